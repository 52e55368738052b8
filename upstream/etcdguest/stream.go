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

// stream is the server's end of one gRPC stream of the Watch API.
type stream struct {
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

// stream is the one of a connection. With the first message gRPC starts the handler.
func (s *server) stream(conn uint32) *stream {
	t := s.streams[conn]
	if t == nil {
		t = &stream{conn: conn, come: make(chan struct{}, 1), drained: make(chan struct{}, 1)}
		t.ctx, t.cancel = context.WithCancel(context.Background())
		s.streams[conn] = t
		go s.serve(t)
	}
	return t
}

// serve runs the handler of a stream. The host learns that the server has ended it.
func (s *server) serve(t *stream) {
	s.watch.Watch(t)
	t.cancel()
	if s.streams[t.conn] == t {
		delete(s.streams, t.conn)
		host.Send(t.out.Begin(protocol.Closed, t.conn))
	}
}

func (t *stream) deliver(r *pb.WatchRequest) {
	t.queue = append(t.queue, r)
	wake(t.come)
}

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Recv implements pb.Watch_WatchServer.
func (t *stream) Recv() (*pb.WatchRequest, error) {
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
func (t *stream) Send(r *pb.WatchResponse) error {
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
func (t *stream) Context() context.Context { return t.ctx }
