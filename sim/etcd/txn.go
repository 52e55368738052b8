package etcd

import (
	"cmp"

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

// compares is applyCompares.
func (s *Server) compares(env *sim.Env, r *wire.TxnRequest) bool {
	for i := range r.Compare {
		if !s.applyCompare(env, &r.Compare[i]) {
			return false
		}
	}
	return true
}

// missing is what a compare sees of a key that does not exist.
var missing wire.KeyValue

func (s *Server) applyCompare(env *sim.Env, c *wire.Compare) bool {
	found := s.store.Compared(env, c.Key, c.RangeEnd)
	if len(found) == 0 {
		// A value that is missing and one that is empty cannot be told apart.
		return c.Target != wire.CompareValue && compareKV(c, &missing)
	}
	for _, kv := range found {
		if !compareKV(c, kv) {
			return false
		}
	}
	return true
}

func compareKV(c *wire.Compare, kv *wire.KeyValue) bool {
	var found int
	switch c.Target {
	case wire.CompareMod:
		found = cmp.Compare(kv.ModRevision, c.Operand)
	case wire.CompareVersion:
		found = cmp.Compare(kv.Version, c.Operand)
	case wire.CompareCreate:
		found = cmp.Compare(kv.CreateRevision, c.Operand)
	case wire.CompareValue:
		found = cmp.Compare(kv.Value, c.Value)
	}
	switch c.Result {
	case wire.CompareEqual:
		return found == 0
	case wire.CompareNotEqual:
		return found != 0
	case wire.CompareGreater:
		return found > 0
	}
	return found < 0
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
