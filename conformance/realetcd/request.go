package realetcd

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/watchbed/watchbed/sim/wire"
)

var (
	sortOrders = [...]pb.RangeRequest_SortOrder{
		wire.SortNone: pb.RangeRequest_NONE, wire.SortAscend: pb.RangeRequest_ASCEND, wire.SortDescend: pb.RangeRequest_DESCEND,
	}
	sortTargets = [...]pb.RangeRequest_SortTarget{
		wire.SortByKey: pb.RangeRequest_KEY, wire.SortByVersion: pb.RangeRequest_VERSION, wire.SortByCreate: pb.RangeRequest_CREATE,
		wire.SortByMod: pb.RangeRequest_MOD, wire.SortByValue: pb.RangeRequest_VALUE,
	}
	compareResults = [...]pb.Compare_CompareResult{
		wire.CompareEqual: pb.Compare_EQUAL, wire.CompareNotEqual: pb.Compare_NOT_EQUAL,
		wire.CompareGreater: pb.Compare_GREATER, wire.CompareLess: pb.Compare_LESS,
	}
)

func rangeRequest(p *wire.RangeRequest) *pb.RangeRequest {
	return &pb.RangeRequest{
		Key: []byte(p.Key), RangeEnd: []byte(p.RangeEnd), Limit: p.Limit, Revision: p.Revision,
		Serializable: p.Serializable, KeysOnly: p.KeysOnly, CountOnly: p.CountOnly,
		SortOrder: sortOrders[p.SortOrder], SortTarget: sortTargets[p.SortTarget],
		MinModRevision: p.MinModRevision, MaxModRevision: p.MaxModRevision,
		MinCreateRevision: p.MinCreateRevision, MaxCreateRevision: p.MaxCreateRevision,
	}
}

func putRequest(p *wire.PutRequest) *pb.PutRequest {
	return &pb.PutRequest{
		Key: []byte(p.Key), Value: []byte(p.Value), PrevKv: p.PrevKv,
		IgnoreValue: p.IgnoreValue, Lease: p.Lease, IgnoreLease: p.IgnoreLease,
	}
}

func deleteRequest(p *wire.DeleteRangeRequest) *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: []byte(p.Key), RangeEnd: []byte(p.RangeEnd), PrevKv: p.PrevKv}
}

func txnRequest(p *wire.TxnRequest) *pb.TxnRequest {
	txn := &pb.TxnRequest{Success: requestOps(p.Success), Failure: requestOps(p.Failure)}
	for i := range p.Compare {
		txn.Compare = append(txn.Compare, compare(&p.Compare[i]))
	}
	return txn
}

func compare(c *wire.Compare) *pb.Compare {
	out := &pb.Compare{Key: []byte(c.Key), RangeEnd: []byte(c.RangeEnd), Result: compareResults[c.Result]}
	switch c.Target {
	case wire.CompareMod:
		out.Target, out.TargetUnion = pb.Compare_MOD, &pb.Compare_ModRevision{ModRevision: c.Operand}
	case wire.CompareVersion:
		out.Target, out.TargetUnion = pb.Compare_VERSION, &pb.Compare_Version{Version: c.Operand}
	case wire.CompareCreate:
		out.Target, out.TargetUnion = pb.Compare_CREATE, &pb.Compare_CreateRevision{CreateRevision: c.Operand}
	case wire.CompareValue:
		out.Target, out.TargetUnion = pb.Compare_VALUE, &pb.Compare_Value{Value: []byte(c.Value)}
	case wire.CompareLease:
		out.Target, out.TargetUnion = pb.Compare_LEASE, &pb.Compare_Lease{Lease: c.Operand}
	}
	return out
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
		case o.Txn != nil:
			op.Request = &pb.RequestOp_RequestTxn{RequestTxn: txnRequest(o.Txn)}
		}
		out = append(out, op)
	}
	return out
}
