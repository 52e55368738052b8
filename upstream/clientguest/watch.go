//go:build wasip1

package main

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// watchStream is one gRPC stream of etcd's Watch API.
type watchStream struct {
	stream[pb.WatchResponse]
	etcd *etcd
	conn uint32
}

// Watch implements pb.WatchClient.
func (e *etcd) Watch(ctx context.Context, _ ...grpc.CallOption) (grpc.BidiStreamingClient[pb.WatchRequest, pb.WatchResponse], error) {
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	s := &watchStream{etcd: e, conn: e.number()}
	s.ctx, s.come = ctx, make(chan struct{}, 1)
	e.watches[s.conn] = s
	md, _ := metadata.FromOutgoingContext(ctx)
	e.out.Begin(protocol.Open, s.conn).Bool(len(md.Get("hasleader")) > 0)
	protocol.Send(&e.out)
	return s, nil
}

// Recv implements grpc.BidiStreamingClient.
func (s *watchStream) Recv() (*pb.WatchResponse, error) { return s.receive(s.leave) }

// leave ends the stream at this end.
func (s *watchStream) leave() {
	if s.etcd.watches[s.conn] == s {
		delete(s.etcd.watches, s.conn)
		s.etcd.out.Begin(protocol.CloseStream, s.conn)
		protocol.Send(&s.etcd.out)
	}
}

// Send implements grpc.BidiStreamingClient.
func (s *watchStream) Send(r *pb.WatchRequest) error {
	if err := s.closed(); err != nil {
		return err
	}
	writeWatchRequest(&s.etcd.out, s.conn, r)
	protocol.Send(&s.etcd.out)
	return nil
}

// CloseSend implements grpc.ClientStream.
func (s *watchStream) CloseSend() error {
	s.leave()
	return nil
}

func writeWatchRequest(w *protocol.Writer, conn uint32, r *pb.WatchRequest) {
	switch x := r.RequestUnion.(type) {
	case *pb.WatchRequest_CreateRequest:
		c := x.CreateRequest
		filters := byte(0)
		for _, f := range c.Filters {
			filters |= 1 << f
		}
		w.Begin(protocol.CreateWatch, conn).Text(string(c.Key)).Text(string(c.RangeEnd)).Int(c.StartRevision).
			Bool(c.ProgressNotify).Byte(filters).Bool(c.PrevKv).Int(c.WatchId).Bool(c.Fragment)
	case *pb.WatchRequest_CancelRequest:
		w.Begin(protocol.CancelWatch, conn).Int(x.CancelRequest.WatchId)
	case *pb.WatchRequest_ProgressRequest:
		w.Begin(protocol.RequestProgress, conn)
	}
}

func readWatchResponse(r *protocol.Reader) *pb.WatchResponse {
	p := &pb.WatchResponse{
		Header: header(r.Int()), WatchId: r.Int(), Created: r.Bool(), Canceled: r.Bool(),
		CompactRevision: r.Int(), CancelReason: r.Text(), Fragment: r.Bool(),
	}
	p.Events = make([]*mvccpb.Event, r.Int())
	for i := range p.Events {
		e := &mvccpb.Event{Type: mvccpb.Event_EventType(r.Byte()), Kv: etcdpb.ReadKV(r)}
		if r.Bool() {
			e.PrevKv = etcdpb.ReadKV(r)
		}
		p.Events[i] = e
	}
	return p
}
