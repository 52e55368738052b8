package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// txn is applierV3backend.Txn. A range that asks for a revision that is not
// there refuses the whole, before anything was written.
func (s *Server) txn(env *sim.Env, r *wire.TxnRequest) (*wire.TxnResponse, wire.Code) {
	s.readsRevision(env)
	resp := &wire.TxnResponse{Succeeded: s.compares(env, r), Revision: s.store.currentRev}
	ops := r.Failure
	if resp.Succeeded {
		ops = r.Success
	}
	for i := range ops {
		if g := ops[i].Range; g != nil && g.Revision != 0 {
			env.LooksAt(cellCompactRev, 0)
			switch {
			case g.Revision > s.store.currentRev:
				return nil, wire.ErrFutureRev
			case g.Revision < s.store.compactMainRev:
				return nil, wire.ErrCompacted
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
			g, code := s.store.rangeKeys(op.Range, s.store.txnRev())
			if code != 0 {
				return nil, code
			}
			s.readsRange(env, op.Range, g)
			resp.Responses[i].Range = g
		case op.Put != nil:
			s.store.put(op.Put.Key, op.Put.Value)
			resp.Responses[i].Put = &wire.PutResponse{Revision: s.store.currentRev + 1}
		case op.DeleteRange != nil:
			s.readsKey(env, op.DeleteRange.Key, op.DeleteRange.RangeEnd)
			n := s.store.deleteRange(op.DeleteRange.Key, op.DeleteRange.RangeEnd)
			resp.Responses[i].DeleteRange = &wire.DeleteRangeResponse{Revision: s.store.txnRev(), Deleted: n}
		}
	}
	return resp, 0
}

// compares is applyCompares.
func (s *Server) compares(env *sim.Env, r *wire.TxnRequest) bool {
	for i := range r.Compare {
		c := &r.Compare[i]
		s.readsKey(env, c.Key, "")
		var found int64
		if v := s.store.last(c.Key); v != nil && !v.tombstone {
			found = v.kv.ModRevision
			if c.Target == wire.CompareVersion {
				found = v.kv.Version
			}
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
