package races

import (
	"context"
	"errors"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

// send puts a request on a stream.
func send(s *realetcd.Stream, p sim.Payload) error {
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		req := &pb.WatchCreateRequest{
			Key: []byte(p.Key), RangeEnd: []byte(p.RangeEnd), StartRevision: p.StartRevision, PrevKv: p.PrevKv,
		}
		if p.Filters&wire.NoPut != 0 {
			req.Filters = append(req.Filters, pb.WatchCreateRequest_NOPUT)
		}
		if p.Filters&wire.NoDelete != 0 {
			req.Filters = append(req.Filters, pb.WatchCreateRequest_NODELETE)
		}
		return s.Create(req)
	case *wire.WatchCancelRequest:
		return s.Cancel(p.WatchID)
	case *wire.WatchProgressRequest:
		return s.RequestProgress()
	}
	return fmt.Errorf("a race sends no %T on a stream", p)
}

// do has a server answer a request. A refusal that the simulation knows is an answer.
func do(ctx context.Context, conn *grpc.ClientConn, p sim.Payload) (sim.Payload, error) {
	resp, err := realetcd.Call(ctx, conn, p)
	if err != nil {
		return nil, err
	}
	refused, ok := resp.(*wire.Error)
	if !ok {
		return resp, nil
	}
	for _, known := range []*wire.Error{v3rpc.ErrCompacted, v3rpc.ErrFutureRev} {
		if refused.Message == known.Message {
			return known, nil
		}
	}
	return nil, errors.New(refused.Message)
}
