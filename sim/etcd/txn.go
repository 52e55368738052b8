package etcd

import (
	"cmp"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

// txn is applierV3backend.Txn. A range that asks for a revision that is not there, or a
// put that keeps what is not there, refuses the whole, before anything was written. needless: the member gives
// no answer, and its ranges are not looked at.
func (s *Server) txn(env *sim.Env, r *wire.TxnRequest, needless bool) (*wire.TxnResponse, *wire.Error) {
	s.txnPath = s.compareToPath(env, r, s.txnPath[:0])
	path := txnPath{took: s.txnPath, needless: needless}
	rev := s.store.Rev(env)
	if err := s.checkTxn(env, r, &path); err != nil {
		return nil, err
	}
	path.next = 0
	resp := s.executeTxn(env, r, &path)
	resp.Revision = rev
	return resp, nil
}

// compareToPath adds whether a transaction succeeds, then the same of each transaction in
// the branch that it takes: all compares look at the state before the first write.
func (s *Server) compareToPath(env *sim.Env, r *wire.TxnRequest, path []bool) []bool {
	path = append(path, s.compares(env, r))
	for _, op := range branch(r, path[len(path)-1]) {
		if op.Txn != nil {
			env.Cover(coverNestedTxn)
			path = s.compareToPath(env, op.Txn, path)
		}
	}
	return path
}

func branch(r *wire.TxnRequest, succeeded bool) []wire.RequestOp {
	if succeeded {
		return r.Success
	}
	return r.Failure
}

// txnPath hands out what compareToPath has found, in the same order.
type txnPath struct {
	took []bool
	next int
	// needless: ranges of the outermost transaction are not there.
	needless bool
}

func (p *txnPath) take() bool {
	p.next++
	return p.took[p.next-1]
}

// checkTxn says why a transaction cannot be carried out, nil if it can.
func (s *Server) checkTxn(env *sim.Env, r *wire.TxnRequest, path *txnPath) *wire.Error {
	outermost := path.next == 0
	ops := branch(r, path.take())
	for i := range ops {
		var err *wire.Error
		switch op := &ops[i]; {
		case op.Range != nil && op.Range.Revision != 0:
			if outermost && path.needless {
				s.leaveRangeOut(env, op.Range)
				continue
			}
			if code := s.store.CanRead(env, op.Range.Revision); code != 0 {
				err = v3rpc.Refusal(code)
			}
		case op.Put != nil:
			err = s.checkPut(env, op.Put)
		case op.Txn != nil:
			err = s.checkTxn(env, op.Txn, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaveRangeOut is for a range of which this member gives no answer.
func (s *Server) leaveRangeOut(env *sim.Env, r *wire.RangeRequest) {
	env.Cover(coverNeedlessRange)
	if env.Noting() && s.store.CanRead(env, r.Revision) != 0 {
		rangeLeftOut.Say(env, r.Revision)
	}
}

// executeTxn carries out what checkTxn has accepted.
func (s *Server) executeTxn(env *sim.Env, r *wire.TxnRequest, path *txnPath) *wire.TxnResponse {
	resp := &wire.TxnResponse{Succeeded: path.take()}
	ops := branch(r, resp.Succeeded)
	if len(ops) == 0 {
		return resp
	}
	resp.Responses = make([]wire.ResponseOp, len(ops))
	for i := range ops {
		switch op := &ops[i]; {
		case op.Range != nil:
			// checkTxn has seen that the store has the revision, or its answer is not needed.
			resp.Responses[i].Range, _ = s.store.Range(env, op.Range)
		case op.Put != nil:
			p := s.put(env, op.Put)
			p.Revision = s.store.TxnRev(env)
			resp.Responses[i].Put = p
		case op.DeleteRange != nil:
			d := s.deleteRange(env, op.DeleteRange)
			d.Revision = s.store.TxnRev(env)
			resp.Responses[i].DeleteRange = d
		case op.Txn != nil:
			// The header of an inner answer has no revision.
			if s.store.ChangedNow(op.Txn.Compare) {
				env.Cover(coverComparesOwn)
			}
			resp.Responses[i].Txn = s.executeTxn(env, op.Txn, path)
		}
	}
	return resp
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
		// A missing value and an empty value cannot be told apart.
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
	case wire.CompareLease:
		found = cmp.Compare(kv.Lease, c.Operand)
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

// isTxnReadonly reports whether a transaction is served like a range, and whether it may skip the linearizable read
// loop: all of its ranges may. One without any does too.
func isTxnReadonly(r *wire.TxnRequest) (readOnly, serializable bool) {
	readOnly, serializable = true, true
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			readOnly = readOnly && ops[i].Range != nil
			serializable = readOnly && serializable && ops[i].Range.Serializable
		}
	}
	return readOnly, serializable
}
