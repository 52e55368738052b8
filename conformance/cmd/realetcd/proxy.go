package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// frame is a message as it is on the wire.
type frame struct{ bytes []byte }

// raw passes messages on as they are. Its name is that of the codec that clients and servers use.
type raw struct{}

func (raw) Name() string                    { return "proto" }
func (raw) Marshal(v any) ([]byte, error)   { return v.(*frame).bytes, nil }
func (raw) Unmarshal(b []byte, v any) error { v.(*frame).bytes = b; return nil }

// proxy passes on the calls of clients, each of whose connections has one of its own to the server.
type proxy struct {
	connect func() (*grpc.ClientConn, error)
	journal *journal
	clients atomic.Int64
}

// client is a connection of a client.
type client struct {
	number int64
	server *grpc.ClientConn
	err    error

	mu sync.Mutex
	// busy are the names that have a request under way: a client of a history does one thing at a time. A name whose
	// request has an unknown outcome stays busy.
	busy    []bool
	streams int
}

type clientKey struct{}

func (p *proxy) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	c := &client{number: p.clients.Add(1)}
	c.server, c.err = p.connect()
	return context.WithValue(ctx, clientKey{}, c)
}

func (p *proxy) HandleConn(ctx context.Context, s stats.ConnStats) {
	if _, over := s.(*stats.ConnEnd); over {
		if c := ctx.Value(clientKey{}).(*client); c.server != nil {
			_ = c.server.Close()
		}
	}
}

func (p *proxy) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (p *proxy) HandleRPC(context.Context, stats.RPCStats)                       {}

// server is a gRPC server that passes on each call, of whatever service.
func (p *proxy) server(options ...grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options, grpc.StatsHandler(p), grpc.UnknownServiceHandler(p.call), grpc.ForceServerCodec(raw{}), grpc.WaitForHandlers(true),
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32), grpc.MaxConcurrentStreams(math.MaxUint32))...)
}

// call passes on one call: deadline and cancellation are those of the context.
func (p *proxy) call(_ any, from grpc.ServerStream) error {
	ctx, cancel := context.WithCancel(from.Context())
	defer cancel()
	method, _ := grpc.MethodFromServerStream(from)
	c := ctx.Value(clientKey{}).(*client)
	if c.err != nil {
		return status.Error(codes.Unavailable, c.err.Error())
	}
	sent, _ := metadata.FromIncomingContext(ctx)
	ctx = metadata.NewOutgoingContext(ctx, sent)
	o := p.journal.observe(ctx, c, method)
	if o.request != nil {
		return p.unary(ctx, from, c.server, method, o)
	}
	to, err := c.server.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method,
		grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32))
	if err != nil {
		return err
	}
	go func() {
		for {
			var f frame
			if err := from.RecvMsg(&f); err != nil {
				if errors.Is(err, io.EOF) {
					_ = to.CloseSend()
				} else {
					cancel()
				}
				return
			}
			o.asked(f.bytes)
			if to.SendMsg(&f) != nil {
				return
			}
		}
	}()
	header, err := to.Header()
	if err == nil {
		err = from.SendHeader(header)
	}
	for err == nil {
		var f frame
		if err = to.RecvMsg(&f); err == nil {
			o.answered(f.bytes)
			err = from.SendMsg(&f)
		}
	}
	from.SetTrailer(to.Trailer())
	if errors.Is(err, io.EOF) {
		err = nil
	}
	o.over(err)
	return err
}

// unary passes on a request and its answer, without a goroutine of its own.
func (p *proxy) unary(ctx context.Context, from grpc.ServerStream, to *grpc.ClientConn, method string, o *call) error {
	var request, response frame
	if err := from.RecvMsg(&request); err != nil {
		return err
	}
	o.asked(request.bytes)
	var header, trailer metadata.MD
	err := to.Invoke(ctx, method, &request, &response, grpc.ForceCodec(raw{}), grpc.Header(&header), grpc.Trailer(&trailer),
		grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32))
	if err == nil {
		o.answered(response.bytes)
	}
	o.over(err)
	from.SetTrailer(trailer)
	if sent := from.SendHeader(header); err == nil {
		err = sent
	}
	if err == nil {
		err = from.SendMsg(&response)
	}
	return err
}

// messages makes what is recorded of a method: a request and its answer.
var messages = map[string]func() (request, response any){
	"/etcdserverpb.KV/Range":          func() (any, any) { return &pb.RangeRequest{}, &pb.RangeResponse{} },
	"/etcdserverpb.KV/Put":            func() (any, any) { return &pb.PutRequest{}, &pb.PutResponse{} },
	"/etcdserverpb.KV/DeleteRange":    func() (any, any) { return &pb.DeleteRangeRequest{}, &pb.DeleteRangeResponse{} },
	"/etcdserverpb.KV/Txn":            func() (any, any) { return &pb.TxnRequest{}, &pb.TxnResponse{} },
	"/etcdserverpb.KV/Compact":        func() (any, any) { return &pb.CompactionRequest{}, &pb.CompactionResponse{} },
	"/etcdserverpb.Lease/LeaseRevoke": func() (any, any) { return &pb.LeaseRevokeRequest{}, &pb.LeaseRevokeResponse{} },
}

func decode(b []byte, into any) error {
	return into.(interface{ Unmarshal([]byte) error }).Unmarshal(b)
}

// journal writes what is recorded. What cannot be written ends it, and nothing else.
type journal struct {
	clock  atomic.Int64
	prefix string
	// sample is the share of reads and watches that are recorded, judge is nil if nothing is judged.
	sample float64
	judge  *judge

	mu    sync.Mutex
	to    *history.Writer
	lines int
	// lost is told once what ended the journal.
	lost func(error)
}

func (j *journal) write(line func(*history.Writer) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.to == nil {
		return
	}
	if err := line(j.to); err != nil {
		j.to = nil
		j.lost(err)
		return
	}
	j.lines++
}

// concerns reports whether a range has keys below the prefix.
func (j *journal) concerns(key, end string) bool {
	last := model.PrefixEnd(j.prefix)
	switch {
	case j.prefix == "":
		return true
	case end == "":
		return key >= j.prefix && key < last
	}
	return key < last && (end == "\x00" || end > j.prefix)
}

// drawn reports whether a read or a watch is in the sample.
func (j *journal) drawn() bool { return j.sample == 0 || rand.Float64() < j.sample }

func (j *journal) wants(r *model.Request) bool {
	switch r.Kind {
	case model.Compact, model.LeaseRevoke:
		return true
	case model.Txn:
		for _, branch := range [][]model.Request{r.Success, r.Failure} {
			for i := range branch {
				if j.wants(&branch[i]) {
					return true
				}
			}
		}
		return false
	}
	return j.concerns(r.Key, r.End)
}

// call is what the journal knows of a call.
type call struct {
	journal  *journal
	from     *client
	ctx      context.Context
	response any
	request  any
	// name is that of the client in the history, place its number among those of the connection.
	name  string
	place int
	op    *model.Operation
	// watch is set of a stream of watches.
	watch bool
	by    recorded.Watches[string]
	// names are those of its watches, by which they are judged.
	names []string
	// mu is for op and by: a goroutine receives requests, and another one answers.
	mu sync.Mutex
}

func (j *journal) observe(ctx context.Context, from *client, method string) *call {
	c := &call{journal: j, from: from, ctx: ctx, watch: method == "/etcdserverpb.Watch/Watch"}
	if fresh := messages[method]; fresh != nil {
		c.request, c.response = fresh()
	}
	return c
}

// named is a client of the history: the address of the connection, with a number for each request under way.
func (c *call) named(kind string, number int) string {
	at := "client"
	if p, ok := peer.FromContext(c.ctx); ok {
		at = p.Addr.String()
	}
	return fmt.Sprintf("%d@%s/%s%d", c.from.number, at, kind, number)
}

func (c *call) asked(b []byte) {
	if c.watch {
		c.askedWatch(b)
		return
	}
	if c.request == nil || decode(b, c.request) != nil {
		return
	}
	request := recorded.RequestOf(c.request)
	if !c.journal.wants(request) || !isChange(request) && !c.journal.drawn() {
		return
	}
	c.place = c.from.take()
	c.name = c.named("", c.place+1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.op = &model.Operation{Request: request, Return: math.MaxInt64}
	if j := c.journal; j.judge != nil {
		j.judge.called(c.name, c.op)
	} else {
		c.op.Call = j.clock.Add(1)
	}
}

// take is the lowest number that no request has.
func (c *client) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.busy {
		if !c.busy[i] {
			c.busy[i] = true
			return i
		}
	}
	c.busy = append(c.busy, true)
	return len(c.busy) - 1
}

func (c *call) askedWatch(b []byte) {
	var r pb.WatchRequest
	if decode(b, &r) != nil || r.GetCreateRequest() == nil {
		return
	}
	w, name := recorded.WatchOf(r.GetCreateRequest()), ""
	// A history has no watch from a negative revision.
	if c.journal.concerns(w.Request.Key, w.Request.End) && w.Request.StartRevision >= 0 && c.journal.drawn() {
		c.from.mu.Lock()
		c.from.streams++
		name = c.named("watch", c.from.streams)
		c.from.mu.Unlock()
		c.journal.write(func(to *history.Writer) error { return to.Watch(name, w) })
		if g := c.journal.judge; g != nil {
			g.watch(name, w.Request)
		}
	}
	c.mu.Lock()
	c.names = append(c.names, name)
	c.by.Asked = append(c.by.Asked, name)
	c.mu.Unlock()
}

func (c *call) answered(b []byte) {
	if !c.watch {
		if c.response != nil && decode(b, c.response) == nil {
			c.settle(nil)
		}
		return
	}
	var p pb.WatchResponse
	if decode(b, &p) != nil {
		return
	}
	r := recorded.ResponseOf(&p)
	c.mu.Lock()
	names := c.by.Of(&p)
	c.mu.Unlock()
	for _, name := range names {
		if name != "" {
			c.journal.write(func(to *history.Writer) error { return to.Response(name, &r) })
			if g := c.journal.judge; g != nil {
				g.response(name, &r)
			}
		}
	}
}

// over is for a call that ends without an answer, too.
func (c *call) over(err error) {
	if err == nil {
		err = status.Error(codes.Unavailable, "no answer")
	}
	c.settle(err)
	if g := c.journal.judge; g != nil && c.watch {
		c.mu.Lock()
		defer c.mu.Unlock()
		g.ended(c.names)
	}
}

func (c *call) settle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	op := c.op
	if c.op = nil; op == nil {
		return
	}
	told := recorded.Settle(op, c.journal.clock.Add(1), c.response, err)
	if g := c.journal.judge; g != nil {
		g.settled(op, told)
	}
	if told {
		c.journal.write(func(to *history.Writer) error { return to.Operation(c.name, op) })
	}
	if op.Outcome != model.Unknown {
		c.from.mu.Lock()
		c.from.busy[c.place] = false
		c.from.mu.Unlock()
	}
}
