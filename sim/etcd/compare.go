package etcd

import (
	"cmp"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
