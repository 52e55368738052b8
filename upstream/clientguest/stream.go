//go:build wasip1

package main

import (
	"context"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// stream is this end of a gRPC stream, and what has come on it.
type stream[Response any] struct {
	ctx context.Context
	// queue is what has come and was not received yet; come has room for one sign of it.
	queue []*Response
	come  chan struct{}
	// ended is why nothing more comes, nil as long as something may.
	ended error
}

func (s *stream[Response]) deliver(r *Response) {
	s.queue = append(s.queue, r)
	s.signal()
}

func (s *stream[Response]) end(err error) {
	s.ended = err
	s.signal()
}

func (s *stream[Response]) signal() {
	select {
	case s.come <- struct{}{}:
	default:
	}
}

// closed is why nothing can be sent, nil if it can.
func (s *stream[Response]) closed() error {
	switch {
	case s.ended != nil:
		return io.EOF
	case s.ctx.Err() != nil:
		return status.FromContextError(s.ctx.Err()).Err()
	}
	return nil
}

// receive waits for the next response. It calls leave if the context ends.
func (s *stream[Response]) receive(leave func()) (*Response, error) {
	for {
		if err := s.ctx.Err(); err != nil {
			leave()
			return nil, status.FromContextError(err).Err()
		}
		if len(s.queue) > 0 {
			r := s.queue[0]
			s.queue = s.queue[1:]
			return r, nil
		}
		if s.ended != nil {
			return nil, s.ended
		}
		select {
		case <-s.come:
		case <-s.ctx.Done():
		}
	}
}

// Context implements grpc.ClientStream.
func (s *stream[Response]) Context() context.Context { return s.ctx }

// Header implements grpc.ClientStream.
func (*stream[Response]) Header() (metadata.MD, error) { return nil, nil }

// Trailer implements grpc.ClientStream.
func (*stream[Response]) Trailer() metadata.MD { return nil }

// SendMsg implements grpc.ClientStream.
func (*stream[Response]) SendMsg(any) error { return status.Error(codes.Unimplemented, "use Send") }

// RecvMsg implements grpc.ClientStream.
func (*stream[Response]) RecvMsg(any) error { return status.Error(codes.Unimplemented, "use Recv") }
