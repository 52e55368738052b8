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
			p := s.put(env, op.Put)
			p.Revision = s.store.TxnRev(env)
			resp.Responses[i].Put = p
		case op.DeleteRange != nil:
			d := s.deleteRange(env, op.DeleteRange)
			d.Revision = s.store.TxnRev(env)
			resp.Responses[i].DeleteRange = d
		}
	}
	return resp, 0
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
