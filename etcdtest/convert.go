package etcdtest

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

func rangeRequest(r *pb.RangeRequest) *wire.RangeRequest {
	to := &wire.RangeRequest{
		Key: string(r.Key), RangeEnd: string(r.RangeEnd), Limit: r.Limit, Revision: r.Revision,
		Serializable: r.Serializable, KeysOnly: r.KeysOnly, CountOnly: r.CountOnly,
		SortOrder: wire.SortOrder(r.SortOrder), SortTarget: wire.SortTarget(r.SortTarget),
		MinModRevision: r.MinModRevision, MaxModRevision: r.MaxModRevision,
		MinCreateRevision: r.MinCreateRevision, MaxCreateRevision: r.MaxCreateRevision,
	}
	if to.SortOrder == wire.SortNone && to.SortTarget != wire.SortByKey && to.Limit == 0 {
		// Without a limit it is the same, and the judge has a word for it.
		to.SortOrder = wire.SortAscend
	}
	return to
}

func putRequest(r *pb.PutRequest) *wire.PutRequest {
	return &wire.PutRequest{
		Key: string(r.Key), Value: string(r.Value), PrevKv: r.PrevKv, IgnoreValue: r.IgnoreValue, Lease: r.Lease, IgnoreLease: r.IgnoreLease,
	}
}

func deleteRequest(r *pb.DeleteRangeRequest) *wire.DeleteRangeRequest {
	return &wire.DeleteRangeRequest{Key: string(r.Key), RangeEnd: string(r.RangeEnd), PrevKv: r.PrevKv}
}

// The fields and relations of compares, by the numbers that etcdserverpb has for them.
var (
	compareTargets = map[pb.Compare_CompareTarget]wire.CompareTarget{
		pb.Compare_VERSION: wire.CompareVersion, pb.Compare_CREATE: wire.CompareCreate, pb.Compare_MOD: wire.CompareMod,
		pb.Compare_VALUE: wire.CompareValue, pb.Compare_LEASE: wire.CompareLease,
	}
	compareResults = map[pb.Compare_CompareResult]wire.CompareResult{
		pb.Compare_EQUAL: wire.CompareEqual, pb.Compare_GREATER: wire.CompareGreater, pb.Compare_LESS: wire.CompareLess,
		pb.Compare_NOT_EQUAL: wire.CompareNotEqual,
	}
)

func txnRequest(r *pb.TxnRequest) *wire.TxnRequest {
	t := &wire.TxnRequest{Success: operations(r.Success), Failure: operations(r.Failure)}
	for _, c := range r.Compare {
		t.Compare = append(t.Compare, wire.Compare{
			Key: string(c.Key), RangeEnd: string(c.RangeEnd), Target: compareTargets[c.Target], Result: compareResults[c.Result],
			// At most one of them is set.
			Operand: c.GetVersion() + c.GetCreateRevision() + c.GetModRevision() + c.GetLease(), Value: string(c.GetValue()),
		})
	}
	return t
}

func operations(ops []*pb.RequestOp) []wire.RequestOp {
	all := make([]wire.RequestOp, len(ops))
	for i, op := range ops {
		switch op := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			all[i].Range = rangeRequest(op.RequestRange)
		case *pb.RequestOp_RequestPut:
			all[i].Put = putRequest(op.RequestPut)
		case *pb.RequestOp_RequestDeleteRange:
			all[i].DeleteRange = deleteRequest(op.RequestDeleteRange)
		case *pb.RequestOp_RequestTxn:
			all[i].Txn = txnRequest(op.RequestTxn)
		}
	}
	return all
}

func watchRequest(r *pb.WatchRequest, requireLeader bool) sim.Payload {
	switch r := r.RequestUnion.(type) {
	case *pb.WatchRequest_CreateRequest:
		c := r.CreateRequest
		w := &wire.WatchCreateRequest{
			Key: string(c.Key), RangeEnd: string(c.RangeEnd), StartRevision: c.StartRevision, ProgressNotify: c.ProgressNotify,
			PrevKv: c.PrevKv, WatchID: c.WatchId, Fragment: c.Fragment, RequireLeader: requireLeader,
		}
		for _, f := range c.Filters {
			w.Filters |= 1 << f
		}
		return w
	case *pb.WatchRequest_CancelRequest:
		return &wire.WatchCancelRequest{WatchID: r.CancelRequest.WatchId}
	case *pb.WatchRequest_ProgressRequest:
		return &wire.WatchProgressRequest{RequireLeader: requireLeader}
	}
	return nil
}

func header(of wire.Headed, revision int64) *pb.ResponseHeader {
	h := &pb.ResponseHeader{Revision: revision}
	if by := of.From(); by != nil {
		h.ClusterId, h.MemberId, h.RaftTerm = uint64(by.ClusterID), uint64(by.MemberID), uint64(by.RaftTerm)
	}
	return h
}

func keyValue(kv *wire.KeyValue) *mvccpb.KeyValue {
	if kv == nil {
		return nil
	}
	return &mvccpb.KeyValue{
		Key: []byte(kv.Key), Value: []byte(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
	}
}

func keyValues(kvs []*wire.KeyValue) []*mvccpb.KeyValue {
	all := make([]*mvccpb.KeyValue, len(kvs))
	for i, kv := range kvs {
		all[i] = keyValue(kv)
	}
	return all
}

func ranged(p *wire.RangeResponse) *pb.RangeResponse {
	return &pb.RangeResponse{Header: header(p.Headed, p.Revision), Kvs: keyValues(p.Kvs), More: p.More, Count: p.Count}
}

func putDone(p *wire.PutResponse) *pb.PutResponse {
	return &pb.PutResponse{Header: header(p.Headed, p.Revision), PrevKv: keyValue(p.PrevKv)}
}

func deleted(p *wire.DeleteRangeResponse) *pb.DeleteRangeResponse {
	return &pb.DeleteRangeResponse{Header: header(p.Headed, p.Revision), Deleted: p.Deleted, PrevKvs: keyValues(p.PrevKvs)}
}

func txnDone(p *wire.TxnResponse) *pb.TxnResponse {
	t := &pb.TxnResponse{Header: header(p.Headed, p.Revision), Succeeded: p.Succeeded}
	for i := range p.Responses {
		did := &pb.ResponseOp{}
		switch op := &p.Responses[i]; {
		case op.Range != nil:
			did.Response = &pb.ResponseOp_ResponseRange{ResponseRange: ranged(op.Range)}
		case op.Put != nil:
			did.Response = &pb.ResponseOp_ResponsePut{ResponsePut: putDone(op.Put)}
		case op.DeleteRange != nil:
			did.Response = &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: deleted(op.DeleteRange)}
		case op.Txn != nil:
			did.Response = &pb.ResponseOp_ResponseTxn{ResponseTxn: txnDone(op.Txn)}
		}
		t.Responses = append(t.Responses, did)
	}
	return t
}

func watchResponse(p *wire.WatchResponse) *pb.WatchResponse {
	w := &pb.WatchResponse{
		Header: header(p.Headed, p.Revision), WatchId: p.WatchID, Created: p.Created, Canceled: p.Canceled,
		CompactRevision: p.CompactRevision, CancelReason: p.CancelReason, Fragment: p.Fragment,
	}
	for i := range p.Events {
		e := &p.Events[i]
		w.Events = append(w.Events, &mvccpb.Event{Type: mvccpb.Event_EventType(e.Type), Kv: keyValue(e.Kv), PrevKv: keyValue(e.PrevKv)})
	}
	return w
}

// refusals are the errors whose code the message alone tells.
var refusals = []error{
	rpctypes.ErrGRPCLeaseNotFound, rpctypes.ErrGRPCLeaseExist, rpctypes.ErrGRPCLeaseTTLTooLarge, rpctypes.ErrGRPCRequestTooManyRequests,
	rpctypes.ErrGRPCNoLeader, rpctypes.ErrGRPCCompacted, rpctypes.ErrGRPCFutureRev,
}

// refusal is an error of etcd as gRPC has it.
func refusal(e *wire.Error) error {
	for _, known := range refusals {
		if e.Message == rpctypes.ErrorDesc(known) {
			return known
		}
	}
	code := codes.Unknown
	switch e.Code {
	case wire.Unavailable:
		code = codes.Unavailable
	case wire.BadRequest:
		code = codes.InvalidArgument
	case wire.Unimplemented:
		code = codes.Unimplemented
	}
	return status.Error(code, e.Message)
}
