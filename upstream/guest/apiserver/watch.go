package apiserver

import (
	"context"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// watchStream is one gRPC stream of etcd's Watch API.
type watchStream struct {
	*stream[pb.WatchResponse]
}

// Watch implements pb.WatchClient.
func (e *etcd) Watch(ctx context.Context, _ ...grpc.CallOption) (pb.Watch_WatchClient, error) {
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	e.host.Lock()
	defer e.host.Unlock()
	s := &watchStream{newStream[pb.WatchResponse](e, ctx)}
	e.watches[s.conn] = s
	e.out.Begin(protocol.Open, s.conn).Bool(requiresLeader(ctx))
	e.host.Send(&e.out)
	return s, nil
}

func requiresLeader(ctx context.Context) bool {
	md, _ := metadata.FromOutgoingContext(ctx)
	return len(md.Get("hasleader")) > 0
}

// Send implements grpc.BidiStreamingClient.
func (s *watchStream) Send(r *pb.WatchRequest) error {
	s.etcd.host.Lock()
	defer s.etcd.host.Unlock()
	switch {
	case s.gone || s.ended != nil:
		return io.EOF
	case s.ctx.Err() != nil:
		return status.FromContextError(s.ctx.Err()).Err()
	}
	writeWatchRequest(&s.etcd.out, s.conn, r)
	s.etcd.host.Send(&s.etcd.out)
	return nil
}

// CloseSend implements grpc.ClientStream.
func (s *watchStream) CloseSend() error {
	s.etcd.host.Lock()
	defer s.etcd.host.Unlock()
	s.leave()
	return nil
}

// SendMsg implements grpc.ClientStream.
func (s *watchStream) SendMsg(m any) error { return s.Send(m.(*pb.WatchRequest)) }
