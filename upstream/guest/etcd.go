//go:build wasip1

package main

import (
	"context"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/host"
)

// etcd is the etcd that the host speaks with. It implements the generated clients of etcd's
// KV and Watch API, on which clientv3 rests.
type etcd struct {
	// last is the number of the newest connection.
	last uint32
	// calls and streams wait for what etcd says.
	calls   map[uint32]chan answer
	streams map[uint32]*stream
	out     protocol.Writer
}

// answer is what came of a call: one of the four is set.
type answer struct {
	ranged  *pb.RangeResponse
	txned   *pb.TxnResponse
	version string
	err     error
}

func newEtcd() *etcd {
	return &etcd{calls: map[uint32]chan answer{}, streams: map[uint32]*stream{}}
}

func (e *etcd) call(ctx context.Context, write func(*protocol.Writer, uint32)) (answer, error) {
	e.last++
	conn := e.last
	come := make(chan answer, 1)
	e.calls[conn] = come
	write(&e.out, conn)
	host.Send(&e.out)
	select {
	case a := <-come:
		return a, a.err
	case <-ctx.Done():
		delete(e.calls, conn)
		e.out.Begin(protocol.CloseStream, conn)
		host.Send(&e.out)
		return answer{}, status.FromContextError(ctx.Err()).Err()
	}
}

func (e *etcd) answered(conn uint32, a answer) {
	if come, waits := e.calls[conn]; waits {
		delete(e.calls, conn)
		come <- a
	}
}

// Range implements pb.KVClient.
func (e *etcd) Range(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	a, err := e.call(ctx, func(w *protocol.Writer, conn uint32) { writeRange(w.Begin(protocol.Range, conn), r) })
	return a.ranged, err
}

// Txn implements pb.KVClient.
func (e *etcd) Txn(ctx context.Context, r *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest writes nothing")
}

// RangeStream implements pb.KVClient, as an etcd does that is older than 3.7.
func (e *etcd) RangeStream(context.Context, *pb.RangeRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.RangeStreamResponse], error) {
	return nil, status.Error(codes.Unimplemented, "unknown method RangeStream for service etcdserverpb.KV")
}

// Put implements pb.KVClient.
func (*etcd) Put(context.Context, *pb.PutRequest, ...grpc.CallOption) (*pb.PutResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest writes nothing")
}

// DeleteRange implements pb.KVClient.
func (*etcd) DeleteRange(context.Context, *pb.DeleteRangeRequest, ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest writes nothing")
}

// Compact implements pb.KVClient.
func (*etcd) Compact(context.Context, *pb.CompactionRequest, ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the guest compacts nothing")
}

// stream is one gRPC stream of etcd's Watch API.
type stream struct {
	etcd *etcd
	ctx  context.Context
	conn uint32
	// queue is what has come and was not received yet; come has room for one sign of it.
	queue []*pb.WatchResponse
	come  chan struct{}
	// ended is why nothing more comes, nil as long as something may.
	ended error
	gone  bool
}

// Watch implements pb.WatchClient.
func (e *etcd) Watch(ctx context.Context, _ ...grpc.CallOption) (grpc.BidiStreamingClient[pb.WatchRequest, pb.WatchResponse], error) {
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	e.last++
	s := &stream{etcd: e, ctx: ctx, conn: e.last, come: make(chan struct{}, 1)}
	e.streams[s.conn] = s
	e.out.Begin(protocol.Open, s.conn).Bool(requiresLeader(ctx))
	host.Send(&e.out)
	return s, nil
}

func requiresLeader(ctx context.Context) bool {
	md, _ := metadata.FromOutgoingContext(ctx)
	return len(md.Get("hasleader")) > 0
}

func (s *stream) deliver(r *pb.WatchResponse) {
	s.queue = append(s.queue, r)
	s.signal()
}

func (s *stream) end(err error) {
	s.ended = err
	s.signal()
}

func (s *stream) signal() {
	select {
	case s.come <- struct{}{}:
	default:
	}
}

// Recv implements grpc.BidiStreamingClient.
func (s *stream) Recv() (*pb.WatchResponse, error) {
	for {
		if err := s.ctx.Err(); err != nil {
			s.leave()
			return nil, status.FromContextError(err).Err()
		}
		if len(s.queue) > 0 {
			r := s.queue[0]
			s.queue = s.queue[1:]
			return r, nil
		}
		if s.ended != nil {
			s.gone = true
			return nil, s.ended
		}
		select {
		case <-s.come:
		case <-s.ctx.Done():
		}
	}
}

// leave ends the stream at this end.
func (s *stream) leave() {
	if !s.gone {
		s.gone = true
		delete(s.etcd.streams, s.conn)
		s.etcd.out.Begin(protocol.CloseStream, s.conn)
		host.Send(&s.etcd.out)
	}
}

// Send implements grpc.BidiStreamingClient.
func (s *stream) Send(r *pb.WatchRequest) error {
	switch {
	case s.gone || s.ended != nil:
		return io.EOF
	case s.ctx.Err() != nil:
		return status.FromContextError(s.ctx.Err()).Err()
	}
	writeWatchRequest(&s.etcd.out, s.conn, r)
	host.Send(&s.etcd.out)
	return nil
}

// CloseSend implements grpc.ClientStream.
func (s *stream) CloseSend() error {
	s.leave()
	return nil
}

// Context implements grpc.ClientStream.
func (s *stream) Context() context.Context { return s.ctx }

// Header implements grpc.ClientStream.
func (*stream) Header() (metadata.MD, error) { return nil, nil }

// Trailer implements grpc.ClientStream.
func (*stream) Trailer() metadata.MD { return nil }

// SendMsg implements grpc.ClientStream.
func (s *stream) SendMsg(m any) error { return s.Send(m.(*pb.WatchRequest)) }

// RecvMsg implements grpc.ClientStream.
func (s *stream) RecvMsg(any) error { return status.Error(codes.Unimplemented, "use Recv") }
