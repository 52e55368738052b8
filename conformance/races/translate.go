package races

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/conformance/rawwatch"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/request"
	"github.com/watchbed/watchbed/sim/wire"
)

// send puts a request on a stream.
func send(s *rawwatch.Stream, p sim.Payload) error {
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
func do(ctx context.Context, kv pb.KVClient, p sim.Payload) (sim.Payload, error) {
	resp, err := ask(ctx, kv, p)
	if err == nil {
		return resp, nil
	}
	for _, known := range []*wire.Error{request.ErrCompacted, request.ErrFutureRev} {
		if status.Convert(err).Message() == known.Message {
			return known, nil
		}
	}
	return nil, err
}

func ask(ctx context.Context, kv pb.KVClient, p sim.Payload) (sim.Payload, error) {
	switch p := p.(type) {
	case *wire.RangeRequest:
		r, err := kv.Range(ctx, rangeRequest(p))
		if err != nil {
			return nil, err
		}
		return rangeResponse(r, r.Header.Revision), nil
	case *wire.PutRequest:
		r, err := kv.Put(ctx, putRequest(p))
		if err != nil {
			return nil, err
		}
		return putResponse(r, r.Header.Revision), nil
	case *wire.DeleteRangeRequest:
		r, err := kv.DeleteRange(ctx, deleteRequest(p))
		if err != nil {
			return nil, err
		}
		return deleteResponse(r, r.Header.Revision), nil
	case *wire.TxnRequest:
		r, err := kv.Txn(ctx, txnRequest(p))
		if err != nil {
			return nil, err
		}
		return txnResponse(r), nil
	case *wire.CompactionRequest:
		r, err := kv.Compact(ctx, &pb.CompactionRequest{Revision: p.Revision})
		if err != nil {
			return nil, err
		}
		return &wire.CompactionResponse{Revision: r.Header.Revision}, nil
	}
	return nil, fmt.Errorf("a race makes no %T", p)
}

func rangeRequest(p *wire.RangeRequest) *pb.RangeRequest {
	return &pb.RangeRequest{Key: []byte(p.Key), RangeEnd: []byte(p.RangeEnd), Revision: p.Revision, Serializable: p.Serializable}
}

func putRequest(p *wire.PutRequest) *pb.PutRequest {
	return &pb.PutRequest{Key: []byte(p.Key), Value: []byte(p.Value), PrevKv: p.PrevKv}
}

func deleteRequest(p *wire.DeleteRangeRequest) *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: []byte(p.Key), RangeEnd: []byte(p.RangeEnd), PrevKv: p.PrevKv}
}

// txnRequest: the races compare versions only.
func txnRequest(p *wire.TxnRequest) *pb.TxnRequest {
	txn := &pb.TxnRequest{Success: requestOps(p.Success), Failure: requestOps(p.Failure)}
	for i := range p.Compare {
		c := &p.Compare[i]
		txn.Compare = append(txn.Compare, &pb.Compare{
			Key: []byte(c.Key), Target: pb.Compare_VERSION, Result: pb.Compare_EQUAL,
			TargetUnion: &pb.Compare_Version{Version: c.Operand},
		})
	}
	return txn
}

func requestOps(ops []wire.RequestOp) (out []*pb.RequestOp) {
	for i := range ops {
		op := &pb.RequestOp{}
		switch o := &ops[i]; {
		case o.Range != nil:
			op.Request = &pb.RequestOp_RequestRange{RequestRange: rangeRequest(o.Range)}
		case o.Put != nil:
			op.Request = &pb.RequestOp_RequestPut{RequestPut: putRequest(o.Put)}
		case o.DeleteRange != nil:
			op.Request = &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: deleteRequest(o.DeleteRange)}
		}
		out = append(out, op)
	}
	return out
}

func txnResponse(r *pb.TxnResponse) *wire.TxnResponse {
	out := &wire.TxnResponse{Revision: r.Header.Revision, Succeeded: r.Succeeded}
	for _, op := range r.Responses {
		var o wire.ResponseOp
		switch {
		case op.GetResponseRange() != nil:
			o.Range = rangeResponse(op.GetResponseRange(), op.GetResponseRange().Header.GetRevision())
		case op.GetResponsePut() != nil:
			o.Put = putResponse(op.GetResponsePut(), op.GetResponsePut().Header.GetRevision())
		case op.GetResponseDeleteRange() != nil:
			o.DeleteRange = deleteResponse(op.GetResponseDeleteRange(), op.GetResponseDeleteRange().Header.GetRevision())
		}
		out.Responses = append(out.Responses, o)
	}
	return out
}

func rangeResponse(r *pb.RangeResponse, revision int64) *wire.RangeResponse {
	return &wire.RangeResponse{Revision: revision, Kvs: keyValues(r.Kvs), More: r.More, Count: r.Count}
}

func putResponse(r *pb.PutResponse, revision int64) *wire.PutResponse {
	return &wire.PutResponse{Revision: revision, PrevKv: keyValue(r.PrevKv)}
}

func deleteResponse(r *pb.DeleteRangeResponse, revision int64) *wire.DeleteRangeResponse {
	return &wire.DeleteRangeResponse{Revision: revision, Deleted: r.Deleted, PrevKvs: keyValues(r.PrevKvs)}
}

func watchResponse(r *pb.WatchResponse) *wire.WatchResponse {
	out := &wire.WatchResponse{
		Revision: r.Header.GetRevision(), WatchID: r.WatchId, Created: r.Created, Canceled: r.Canceled,
		CompactRevision: r.CompactRevision, CancelReason: r.CancelReason, Fragment: r.Fragment,
	}
	for _, e := range r.Events {
		event := wire.Event{Kv: keyValue(e.Kv), PrevKv: keyValue(e.PrevKv)}
		if e.Type == mvccpb.DELETE {
			event.Type = wire.Delete
		}
		out.Events = append(out.Events, event)
	}
	return out
}

func keyValues(kvs []*mvccpb.KeyValue) (out []*wire.KeyValue) {
	for _, kv := range kvs {
		out = append(out, keyValue(kv))
	}
	return out
}

func keyValue(kv *mvccpb.KeyValue) *wire.KeyValue {
	if kv == nil {
		return nil
	}
	return &wire.KeyValue{
		Key: string(kv.Key), Value: string(kv.Value),
		CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version,
	}
}
