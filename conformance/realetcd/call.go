package realetcd

import (
	"context"
	"errors"
	"fmt"
	"io"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Call has a server answer a unary request; a keep-alive has a stream of its own, and the chunks of a RangeStream are
// one answer. A refusal
// is an answer with its message and without a code, which is gRPC's. The error says that
// there was no answer.
func Call(ctx context.Context, conn *grpc.ClientConn, p sim.Payload) (sim.Payload, error) {
	resp, err := call(ctx, conn, p)
	if err == nil {
		return resp, nil
	}
	switch s := status.Convert(err); s.Code() {
	case codes.InvalidArgument, codes.OutOfRange, codes.NotFound, codes.FailedPrecondition, codes.Unimplemented:
		return &wire.Error{Message: s.Message()}, nil
	}
	return nil, err
}

func call(ctx context.Context, conn *grpc.ClientConn, p sim.Payload) (sim.Payload, error) {
	kv, lease := pb.NewKVClient(conn), pb.NewLeaseClient(conn)
	switch p := p.(type) {
	case *wire.RangeRequest:
		r, err := kv.Range(ctx, rangeRequest(p))
		if err != nil {
			return nil, err
		}
		return rangeResponse(r), nil
	case *wire.RangeStreamRequest:
		return rangeStream(ctx, conn, p)
	case *wire.PutRequest:
		r, err := kv.Put(ctx, putRequest(p))
		if err != nil {
			return nil, err
		}
		return putResponse(r), nil
	case *wire.DeleteRangeRequest:
		r, err := kv.DeleteRange(ctx, deleteRequest(p))
		if err != nil {
			return nil, err
		}
		return deleteResponse(r), nil
	case *wire.TxnRequest:
		r, err := kv.Txn(ctx, txnRequest(p))
		if err != nil {
			return nil, err
		}
		return txnResponse(r), nil
	case *wire.CompactionRequest:
		r, err := kv.Compact(ctx, &pb.CompactionRequest{Revision: p.Revision, Physical: p.Physical})
		if err != nil {
			return nil, err
		}
		return &wire.CompactionResponse{Revision: r.Header.GetRevision()}, nil
	case *wire.LeaseGrantRequest:
		r, err := lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: p.ID, TTL: p.TTL})
		if err != nil {
			return nil, err
		}
		return &wire.LeaseGrantResponse{Revision: r.Header.GetRevision(), ID: r.ID, TTL: r.TTL}, nil
	case *wire.LeaseRevokeRequest:
		r, err := lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: p.ID})
		if err != nil {
			return nil, err
		}
		return &wire.LeaseRevokeResponse{Revision: r.Header.GetRevision()}, nil
	case *wire.LeaseTimeToLiveRequest:
		r, err := lease.LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: p.ID, Keys: p.Keys})
		if err != nil {
			return nil, err
		}
		return timeToLiveResponse(r), nil
	case *wire.LeaseKeepAliveRequest:
		return keepAlive(ctx, lease, p)
	}
	return nil, fmt.Errorf("%T is no unary request", p)
}

// RangeStream sends a request for a stream of chunks, each of which has a range. The API of 3.6 does not know the
// method; its ResponseOp has the range in the field where etcdserverpb.RangeStreamResponse has it.
func RangeStream(ctx context.Context, conn *grpc.ClientConn, r *pb.RangeRequest) (next func() (*pb.RangeResponse, error), err error) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/etcdserverpb.KV/RangeStream")
	if err != nil {
		return nil, err
	}
	next = func() (*pb.RangeResponse, error) {
		var chunk pb.ResponseOp
		err := s.RecvMsg(&chunk)
		return chunk.GetResponseRange(), err
	}
	return next, errors.Join(s.SendMsg(r), s.CloseSend())
}

func rangeStream(ctx context.Context, conn *grpc.ClientConn, p *wire.RangeStreamRequest) (sim.Payload, error) {
	next, err := RangeStream(ctx, conn, rangeRequest(p.Range))
	if err != nil {
		return nil, err
	}
	all := &wire.RangeStreamResponse{}
	for {
		switch chunk, err := next(); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		default:
			r := rangeResponse(chunk)
			all = &wire.RangeStreamResponse{Revision: r.Revision, Kvs: append(all.Kvs, r.Kvs...), More: r.More, Count: r.Count}
		}
	}
}

// keepAlive opens a stream for one renewal.
func keepAlive(ctx context.Context, lease pb.LeaseClient, p *wire.LeaseKeepAliveRequest) (sim.Payload, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := lease.LeaseKeepAlive(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Send(&pb.LeaseKeepAliveRequest{ID: p.ID}); err != nil {
		return nil, err
	}
	r, err := s.Recv()
	if err != nil {
		return nil, err
	}
	return &wire.LeaseKeepAliveResponse{Revision: r.Header.GetRevision(), ID: r.ID, TTL: r.TTL}, nil
}
