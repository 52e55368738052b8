//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

func writeRange(w *protocol.Writer, r *pb.RangeRequest) {
	w.Byte(protocol.OpRange).Text(string(r.Key)).Text(string(r.RangeEnd)).Int(r.Limit).Int(r.Revision).
		Bool(r.Serializable).Bool(r.KeysOnly).Bool(r.CountOnly).
		Byte(byte(r.SortOrder)).Byte(byte(r.SortTarget)).
		Int(r.MinModRevision).Int(r.MaxModRevision).Int(r.MinCreateRevision).Int(r.MaxCreateRevision)
}

func writePut(w *protocol.Writer, r *pb.PutRequest) {
	w.Byte(protocol.OpPut).Text(string(r.Key)).Text(string(r.Value)).Bool(r.PrevKv).Bool(r.IgnoreValue).Int(r.Lease).Bool(r.IgnoreLease)
}

func writeDeleteRange(w *protocol.Writer, r *pb.DeleteRangeRequest) {
	w.Byte(protocol.OpDeleteRange).Text(string(r.Key)).Text(string(r.RangeEnd)).Bool(r.PrevKv)
}

func writeTxn(w *protocol.Writer, r *pb.TxnRequest) {
	w.Byte(protocol.OpTxn).Int(int64(len(r.Compare)))
	for _, c := range r.Compare {
		operand := c.GetVersion() + c.GetCreateRevision() + c.GetModRevision() + c.GetLease()
		w.Text(string(c.Key)).Text(string(c.RangeEnd)).Byte(byte(c.Target)).Byte(byte(c.Result)).Int(operand).Text(string(c.GetValue()))
	}
	for _, branch := range [2][]*pb.RequestOp{r.Success, r.Failure} {
		w.Int(int64(len(branch)))
		for _, op := range branch {
			switch x := op.Request.(type) {
			case *pb.RequestOp_RequestRange:
				writeRange(w, x.RequestRange)
			case *pb.RequestOp_RequestPut:
				writePut(w, x.RequestPut)
			case *pb.RequestOp_RequestDeleteRange:
				writeDeleteRange(w, x.RequestDeleteRange)
			case *pb.RequestOp_RequestTxn:
				writeTxn(w, x.RequestTxn)
			}
		}
	}
}

// readOp reads an operation that a client asks for.
func readOp(r *protocol.Reader) clientv3.Op {
	switch r.Byte() {
	case protocol.OpRange:
		return readRange(r)
	case protocol.OpPut:
		return readPut(r)
	case protocol.OpDeleteRange:
		key, end := r.Text(), r.Text()
		return clientv3.OpDelete(key, given(clientv3.WithRange(end), end != ""), given(clientv3.WithPrevKV(), r.Bool()))
	default:
		return readTxn(r)
	}
}

// given is an option if it is set, and else one that does nothing.
func given(option clientv3.OpOption, set bool) clientv3.OpOption {
	if set {
		return option
	}
	return func(*clientv3.Op) {}
}

func readRange(r *protocol.Reader) clientv3.Op {
	key, end, limit, revision := r.Text(), r.Text(), r.Int(), r.Int()
	options := []clientv3.OpOption{
		given(clientv3.WithRange(end), end != ""), clientv3.WithLimit(limit), clientv3.WithRev(revision),
		given(clientv3.WithSerializable(), r.Bool()), given(clientv3.WithKeysOnly(), r.Bool()), given(clientv3.WithCountOnly(), r.Bool()),
	}
	order, target := clientv3.SortOrder(r.Byte()), clientv3.SortTarget(r.Byte())
	options = append(options, given(clientv3.WithSort(target, order), order != clientv3.SortNone),
		clientv3.WithMinModRev(r.Int()), clientv3.WithMaxModRev(r.Int()), clientv3.WithMinCreateRev(r.Int()), clientv3.WithMaxCreateRev(r.Int()))
	return clientv3.OpGet(key, options...)
}

func readPut(r *protocol.Reader) clientv3.Op {
	key, value := r.Text(), r.Text()
	return clientv3.OpPut(key, value, given(clientv3.WithPrevKV(), r.Bool()), given(clientv3.WithIgnoreValue(), r.Bool()),
		clientv3.WithLease(clientv3.LeaseID(r.Int())), given(clientv3.WithIgnoreLease(), r.Bool()))
}

func readTxn(r *protocol.Reader) clientv3.Op {
	compares := make([]clientv3.Cmp, r.Int())
	for i := range compares {
		compares[i] = clientv3.FromCompare(etcdpb.ReadCompare(r))
	}
	var branches [2][]clientv3.Op
	for i := range branches {
		for range r.Int() {
			branches[i] = append(branches[i], readOp(r))
		}
	}
	return clientv3.OpTxn(compares, branches[0], branches[1])
}
