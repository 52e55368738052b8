package etcdtest

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// server is the gRPC server that one client is connected to: its handlers speak for the process in the world.
type server struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedLeaseServer
	pb.UnimplementedMaintenanceServer
	pb.UnimplementedClusterServer
	pb.UnimplementedAuthServer
	loop    *loop
	process *process
	node    sim.NodeID
	etcd    *etcd.Server
	// urls are the URLs in the list of members.
	urls []string
}

// minPing is etcd's --grpc-keepalive-min-time: a client that pings more often is disconnected.
const minPing = 5 * time.Second

// newGRPC is a gRPC server of it. What is too large is up to etcd.
func (s *server) newGRPC() *grpc.Server {
	g := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.UnknownServiceHandler(s.unknown), grpc.UnaryInterceptor(withoutAuth),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing}))
	pb.RegisterKVServer(g, s)
	pb.RegisterWatchServer(g, s)
	pb.RegisterLeaseServer(g, s)
	pb.RegisterMaintenanceServer(g, s)
	pb.RegisterClusterServer(g, s)
	pb.RegisterAuthServer(g, s)
	return g
}

// serve starts the server of a process. It returns the configuration of a client of it, and what ends the server.
func serve(l *loop, node sim.NodeID, p *process, of *etcd.Server) (clientv3.Config, func()) {
	g := (&server{loop: l, process: p, node: node, etcd: of}).newGRPC()
	listener := bufconn.Listen(64 << 10)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = g.Serve(listener)
	}()
	dial := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })
	return clientv3.Config{
			Endpoints: []string{"passthrough:///" + p.name}, Logger: zap.NewNop(),
			DialOptions: []grpc.DialOption{dial, grpc.WithTransportCredentials(insecure.NewCredentials())},
		}, func() {
			g.Stop()
			<-served
		}
}

// errClosed is what requests are answered that come when the run is over.
var errClosed = status.Error(codes.Unavailable, "etcdtest: the etcd is closed")

// unary asks etcd and waits for the answer.
func (s *server) unary(ctx context.Context, request sim.Payload) (sim.Payload, error) {
	come := make(chan sim.Payload, 1)
	var conn sim.Conn
	by := strings.Join(metadata.ValueFromIncomingContext(ctx, byHeader), "")
	asks := func(env *sim.Env) {
		s.process.by = by
		conn = s.process.call(env, request, func(p sim.Payload) { come <- p })
	}
	if !s.loop.post(happening{s.node, calls, request.Label(), asks}) {
		return nil, errClosed
	}
	select {
	case p := <-come:
		switch p := p.(type) {
		case *wire.Error:
			return nil, refusal(p)
		case *sim.Hangup:
			return nil, errBroken
		}
		return p, nil
	case <-ctx.Done():
		s.loop.post(happening{s.node, givesUp, request.Label(), func(env *sim.Env) { s.process.leave(env, conn) }})
		return nil, status.FromContextError(ctx.Err()).Err()
	case <-s.loop.stopping:
		return nil, errClosed
	}
}

// ask is unary with the answer's type, and the answer in gRPC's words.
func ask[P sim.Payload, R any](s *server, ctx context.Context, request sim.Payload, answer func(P) *R) (*R, error) {
	p, err := s.unary(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer(p.(P)), nil
}

func (s *server) Range(ctx context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	return ask(s, ctx, rangeRequest(r), ranged)
}

func (s *server) Put(ctx context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	return ask(s, ctx, putRequest(r), putDone)
}

func (s *server) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	return ask(s, ctx, deleteRequest(r), deleted)
}

func (s *server) Txn(ctx context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	return ask(s, ctx, txnRequest(r), txnDone)
}

func (s *server) Compact(ctx context.Context, r *pb.CompactionRequest) (*pb.CompactionResponse, error) {
	return ask(s, ctx, &wire.CompactionRequest{Revision: r.Revision, Physical: r.Physical}, func(p *wire.CompactionResponse) *pb.CompactionResponse {
		return &pb.CompactionResponse{Header: header(p.Headed, p.Revision)}
	})
}

func (s *server) LeaseGrant(ctx context.Context, r *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	return ask(s, ctx, &wire.LeaseGrantRequest{ID: r.ID, TTL: r.TTL}, func(p *wire.LeaseGrantResponse) *pb.LeaseGrantResponse {
		return &pb.LeaseGrantResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL}
	})
}

func (s *server) LeaseRevoke(ctx context.Context, r *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	return ask(s, ctx, &wire.LeaseRevokeRequest{ID: r.ID}, func(p *wire.LeaseRevokeResponse) *pb.LeaseRevokeResponse {
		return &pb.LeaseRevokeResponse{Header: header(p.Headed, p.Revision)}
	})
}

func (s *server) LeaseTimeToLive(ctx context.Context, r *pb.LeaseTimeToLiveRequest) (*pb.LeaseTimeToLiveResponse, error) {
	return ask(s, ctx, &wire.LeaseTimeToLiveRequest{ID: r.ID, Keys: r.Keys}, func(p *wire.LeaseTimeToLiveResponse) *pb.LeaseTimeToLiveResponse {
		l := &pb.LeaseTimeToLiveResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL, GrantedTTL: p.GrantedTTL}
		for _, k := range p.Keys {
			l.Keys = append(l.Keys, []byte(k))
		}
		return l
	})
}

// LeaseKeepAlive answers the requests of the stream in their order, as etcd does.
func (s *server) LeaseKeepAlive(stream pb.Lease_LeaseKeepAliveServer) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		renewed, err := ask(s, stream.Context(), &wire.LeaseKeepAliveRequest{ID: r.ID}, func(p *wire.LeaseKeepAliveResponse) *pb.LeaseKeepAliveResponse {
			return &pb.LeaseKeepAliveResponse{Header: header(p.Headed, p.Revision), ID: p.ID, TTL: p.TTL}
		})
		if err != nil {
			return err
		}
		if err := stream.Send(renewed); err != nil {
			return err
		}
	}
}

// look has the goroutine of the world look at etcd, and waits for that.
func (s *server) look(ctx context.Context, f func(*etcd.Server)) error {
	done := make(chan struct{})
	if !s.loop.post(happening{s.node, calls, "", func(*sim.Env) { f(s.etcd); close(done) }}) {
		return errClosed
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	case <-s.loop.stopping:
		return errClosed
	}
}

// header is that of an answer about nothing in the store.
func (s *server) header(ctx context.Context) (*pb.ResponseHeader, error) {
	r, err := s.Range(ctx, &pb.RangeRequest{Key: []byte{0}, Serializable: true, CountOnly: true})
	return r.GetHeader(), err
}

func (s *server) LeaseLeases(ctx context.Context, _ *pb.LeaseLeasesRequest) (*pb.LeaseLeasesResponse, error) {
	h, err := s.header(ctx)
	if err != nil {
		return nil, err
	}
	l := &pb.LeaseLeasesResponse{Header: h}
	err = s.look(ctx, func(e *etcd.Server) {
		for _, x := range e.Leases() {
			l.Leases = append(l.Leases, &pb.LeaseStatus{ID: x.ID})
		}
	})
	return l, err
}

// stream is what etcd sends on one connection, until it is taken.
type stream struct {
	conn sim.Conn
	mu   sync.Mutex
	all  []sim.Payload
	come chan struct{}
}

// take is called by the goroutine of the world.
func (q *stream) take(p sim.Payload) {
	q.mu.Lock()
	q.all = append(q.all, p)
	q.mu.Unlock()
	signal(q.come)
}

// open opens a connection, which leave ends.
func (s *server) open(f func(*sim.Env, func(sim.Payload)) sim.Conn) (q *stream, leave func(), err error) {
	q = &stream{come: make(chan struct{}, 1)}
	if !s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { q.conn = f(env, q.take) }}) {
		return nil, nil, errClosed
	}
	return q, func() {
		s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { s.process.leave(env, q.conn) }})
	}, nil
}

// carry calls each for what comes, until that returns an error, or the client has left.
func (s *server) carry(ctx context.Context, q *stream, left <-chan struct{}, each func(sim.Payload) error) error {
	for {
		select {
		case <-q.come:
		case <-left:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-s.loop.stopping:
			return errClosed
		}
		q.mu.Lock()
		all := q.all
		q.all = nil
		q.mu.Unlock()
		for _, p := range all {
			if refused, is := p.(*wire.Error); is {
				return refusal(refused)
			}
			if err := each(p); err != nil {
				return err
			}
		}
	}
}

var errBroken = status.Error(codes.Unavailable, "error reading from server: EOF")

// Watch carries a stream of watches over: this goroutine sends what etcd sent, another one receives from the client.
func (s *server) Watch(to pb.Watch_WatchServer) error {
	q, leave, err := s.open(s.process.open)
	if err != nil {
		return err
	}
	defer leave()
	md, _ := metadata.FromIncomingContext(to.Context())
	requireLeader := len(md.Get("hasleader")) > 0
	left := make(chan struct{})
	go func() {
		defer close(left)
		for {
			r, err := to.Recv()
			if err != nil {
				return
			}
			if p := watchRequest(r, requireLeader); p != nil {
				s.loop.post(happening{s.node, onStream, "", func(env *sim.Env) { s.process.send(env, q.conn, p) }})
			}
		}
	}()
	return s.carry(to.Context(), q, left, func(p sim.Payload) error {
		if r, more := p.(*wire.WatchResponse); more {
			return to.Send(watchResponse(r))
		}
		return errBroken
	})
}

// unknown is for methods that the API of this module's clientv3 does not have: KV.RangeStream of etcd 3.7. A part of
// the answer is sent as the ResponseOp of a range, which has the same field on the wire.
func (s *server) unknown(_ any, to grpc.ServerStream) error {
	if method, _ := grpc.MethodFromServerStream(to); method != "/etcdserverpb.KV/RangeStream" {
		return status.Errorf(codes.Unimplemented, "unknown method %s", method)
	}
	var r pb.RangeRequest
	if err := to.RecvMsg(&r); err != nil {
		return err
	}
	q, leave, err := s.open(func(env *sim.Env, take func(sim.Payload)) sim.Conn {
		return s.process.stream(env, &wire.RangeStreamRequest{Range: rangeRequest(&r)}, take)
	})
	if err != nil {
		return err
	}
	defer leave()
	err = s.carry(to.Context(), q, nil, func(p sim.Payload) error {
		part, more := p.(*wire.RangeStreamResponse)
		if !more {
			if h, over := p.(*sim.Hangup); over && !h.Broken {
				return io.EOF
			}
			return errBroken
		}
		of := &pb.RangeResponse{Kvs: keyValues(part.Kvs), More: part.More, Count: part.Count}
		if part.Revision != 0 {
			of.Header = &pb.ResponseHeader{Revision: part.Revision}
		}
		return to.SendMsg(&pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: of}})
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
