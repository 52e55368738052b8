//go:build wasip1

package main

import (
	"context"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/host"
)

// watchStream is the server's end of one gRPC stream of the Watch API.
type watchStream struct {
	grpc.ServerStream
	ctx    context.Context
	cancel context.CancelFunc
	conn   uint32
	// queue is what has come and was not received yet; come has room for one sign of it, as drained has for one
	// that more can be sent.
	queue         []*pb.WatchRequest
	come, drained chan struct{}
	out           protocol.Writer
}

// watchRequest takes a message of a stream. With the first one gRPC starts the handler.
func (m *member) watchRequest(kind protocol.Kind, conn uint32, r *protocol.Reader) {
	if !m.listens {
		host.Send(new(protocol.Writer).Begin(protocol.Closed, conn))
		return
	}
	t := m.streams[conn]
	if t == nil {
		t = &watchStream{conn: conn, come: make(chan struct{}, 1), drained: make(chan struct{}, 1)}
		t.ctx, t.cancel = context.WithCancel(context.Background())
		m.streams[conn] = t
		go m.serveWatch(t)
	}
	t.queue = append(t.queue, readWatchRequest(kind, r))
	wake(t.come)
}

// serveWatch runs the handler of a stream. The host learns that the server has ended it.
func (m *member) serveWatch(t *watchStream) {
	m.stream(m.watch, t, &grpc.StreamServerInfo{FullMethod: "/etcdserverpb.Watch/Watch"}, func(any, grpc.ServerStream) error {
		return m.watch.Watch(t)
	})
	t.cancel()
	if m.streams[t.conn] == t {
		delete(m.streams, t.conn)
		host.Send(t.out.Begin(protocol.Closed, t.conn))
	}
}

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Recv implements pb.Watch_WatchServer.
func (t *watchStream) Recv() (*pb.WatchRequest, error) {
	for {
		if t.ctx.Err() != nil {
			return nil, io.EOF
		}
		if len(t.queue) > 0 {
			r := t.queue[0]
			t.queue = t.queue[1:]
			return r, nil
		}
		select {
		case <-t.come:
		case <-t.ctx.Done():
		}
	}
}

// Send implements pb.Watch_WatchServer: it waits for the client to read, as gRPC's flow control has it wait.
func (t *watchStream) Send(r *pb.WatchResponse) error {
	for t.ctx.Err() == nil && !host.CanSend(t.conn) {
		select {
		case <-t.drained:
		case <-t.ctx.Done():
		}
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	host.Send(writeWatchResponse(t.out.Begin(protocol.WatchResponse, t.conn), r))
	return nil
}

// Context implements grpc.ServerStream.
func (t *watchStream) Context() context.Context { return t.ctx }

func readWatchRequest(kind protocol.Kind, r *protocol.Reader) *pb.WatchRequest {
	switch kind {
	case protocol.CreateWatch:
		c := &pb.WatchCreateRequest{Key: readBytes(r), RangeEnd: readBytes(r), StartRevision: r.Int(), ProgressNotify: r.Bool()}
		filters := r.Byte()
		for f := range pb.WatchCreateRequest_FilterType(len(pb.WatchCreateRequest_FilterType_name)) {
			if filters&(1<<f) != 0 {
				c.Filters = append(c.Filters, f)
			}
		}
		c.PrevKv, c.WatchId, c.Fragment = r.Bool(), r.Int(), r.Bool()
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: c}}
	case protocol.CancelWatch:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{CancelRequest: &pb.WatchCancelRequest{WatchId: r.Int()}}}
	default:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}}
	}
}

func writeWatchResponse(w *protocol.Writer, p *pb.WatchResponse) *protocol.Writer {
	w.Int(p.Header.Revision).Int(p.WatchId).Bool(p.Created).Bool(p.Canceled).Int(p.CompactRevision).Text(p.CancelReason).
		Bool(p.Fragment).Int(int64(len(p.Events)))
	for _, e := range p.Events {
		writeKV(w.Byte(byte(e.Type)), e.Kv)
		w.Bool(e.PrevKv != nil)
		if e.PrevKv != nil {
			writeKV(w, e.PrevKv)
		}
	}
	return w
}
