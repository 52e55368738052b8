package apiserver

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// stream is a gRPC stream on which etcd sends messages of one type. It implements grpc.ServerStreamingClient.
type stream[R any] struct {
	etcd *etcd
	ctx  context.Context
	conn uint32
	// queue is what has come and was not received yet; come has room for one sign of it.
	queue []*R
	come  chan struct{}
	// ended is why nothing more comes, nil as long as something may.
	ended error
	gone  bool
}

// newStream makes a stream. The host's lock is held.
func newStream[R any](e *etcd, ctx context.Context) *stream[R] {
	e.last++
	return &stream[R]{etcd: e, ctx: ctx, conn: e.last, come: make(chan struct{}, 1)}
}

// deliver takes a message. The host's lock is held, as for end.
func (s *stream[R]) deliver(r *R) {
	s.queue = append(s.queue, r)
	s.signal()
}

func (s *stream[R]) end(err error) {
	s.ended = err
	s.signal()
}

func (s *stream[R]) signal() {
	select {
	case s.come <- struct{}{}:
	default:
	}
}

// Recv implements grpc.ServerStreamingClient.
func (s *stream[R]) Recv() (*R, error) {
	for {
		if r, err, come := s.next(); come {
			return r, err
		}
		select {
		case <-s.come:
		case <-s.ctx.Done():
		}
	}
}

// next is what Recv returns, if it is there.
func (s *stream[R]) next() (r *R, err error, come bool) {
	s.etcd.host.Lock()
	defer s.etcd.host.Unlock()
	switch {
	case s.ctx.Err() != nil:
		s.leave()
		return nil, status.FromContextError(s.ctx.Err()).Err(), true
	case len(s.queue) > 0:
		r, s.queue = s.queue[0], s.queue[1:]
		return r, nil, true
	case s.ended != nil:
		s.gone = true
		return nil, s.ended, true
	}
	return nil, nil, false
}

// leave ends the stream at this end. The host's lock is held.
func (s *stream[R]) leave() {
	if !s.gone {
		s.gone = true
		delete(s.etcd.watches, s.conn)
		s.etcd.ranges.leave(s.conn)
		s.etcd.out.Begin(protocol.CloseStream, s.conn)
		s.etcd.host.Send(&s.etcd.out)
	}
}

// CloseSend implements grpc.ClientStream.
func (*stream[R]) CloseSend() error { return nil }

// Context implements grpc.ClientStream.
func (s *stream[R]) Context() context.Context { return s.ctx }

// Header implements grpc.ClientStream.
func (*stream[R]) Header() (metadata.MD, error) { return nil, nil }

// Trailer implements grpc.ClientStream.
func (*stream[R]) Trailer() metadata.MD { return nil }

// SendMsg implements grpc.ClientStream.
func (*stream[R]) SendMsg(any) error {
	return status.Error(codes.Unimplemented, "nothing is sent on it")
}

// RecvMsg implements grpc.ClientStream.
func (*stream[R]) RecvMsg(any) error { return status.Error(codes.Unimplemented, "use Recv") }
