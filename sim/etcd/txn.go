package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// txn is applierV3backend.Txn. A range that asks for a revision that is not
// there refuses the whole, before anything was written.
func (s *Server) txn(env *sim.Env, r *wire.TxnRequest) (*wire.TxnResponse, wire.Code) {
	resp := &wire.TxnResponse{Succeeded: s.compares(env, r), Revision: s.store.Rev(env)}
	ops := r.Failure
	if resp.Succeeded {
		ops = r.Success
	}
	for i := range ops {
		if g := ops[i].Range; g != nil && g.Revision != 0 {
			if code := s.store.CanRead(env, g.Revision); code != 0 {
				return nil, code
			}
		}
	}
	if len(ops) == 0 {
		return resp, 0
	}
	resp.Responses = make([]wire.ResponseOp, len(ops))
	for i := range ops {
		switch op := &ops[i]; {
		case op.Range != nil:
			g, code := s.store.Range(env, op.Range)
			if code != 0 {
				return nil, code
			}
			resp.Responses[i].Range = g
		case op.Put != nil:
			s.store.Put(op.Put.Key, op.Put.Value)
			resp.Responses[i].Put = &wire.PutResponse{Revision: s.store.TxnRev(env)}
		case op.DeleteRange != nil:
			n := s.store.DeleteRange(env, op.DeleteRange.Key, op.DeleteRange.RangeEnd)
			resp.Responses[i].DeleteRange = &wire.DeleteRangeResponse{Revision: s.store.TxnRev(env), Deleted: n}
		}
	}
	return resp, 0
}

// compares is applyCompares.
func (s *Server) compares(env *sim.Env, r *wire.TxnRequest) bool {
	for i := range r.Compare {
		c := &r.Compare[i]
		found, version := s.store.Newest(env, c.Key)
		if c.Target == wire.CompareVersion {
			found = version
		}
		var holds bool
		switch c.Result {
		case wire.CompareEqual:
			holds = found == c.Operand
		case wire.CompareNotEqual:
			holds = found != c.Operand
		case wire.CompareGreater:
			holds = found > c.Operand
		case wire.CompareLess:
			holds = found < c.Operand
		}
		if !holds {
			return false
		}
	}
	return true
}

// isTxnReadonly reports whether a transaction is served like a range.
func isTxnReadonly(r *wire.TxnRequest) bool {
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			if ops[i].Range == nil {
				return false
			}
		}
	}
	return true
}

// isTxnSerializable reports whether a transaction that only reads may skip the
// linearizable read loop: all of its ranges may. One without any does too.
func isTxnSerializable(r *wire.TxnRequest) bool {
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			if g := ops[i].Range; g == nil || !g.Serializable {
				return false
			}
		}
	}
	return true
}
