package request

import (
	"slices"

	"github.com/watchbed/watchbed/sim/wire"
)

// writes are what a list of operations and the transactions within it may write.
type writes struct {
	// puts are keys; those of two branches of one transaction may be the same.
	puts []string
	dels []*wire.DeleteRangeRequest
}

// checkIntervals refuses operations that put a key twice, or put and delete it. Two
// branches of one transaction may write the same: only one of them is taken. As upstream, a
// key that an inner transaction puts may be deleted by one that comes after it.
func checkIntervals(ops []wire.RequestOp) (writes, *wire.Error) {
	var all writes
	for i := range ops {
		if d := ops[i].DeleteRange; d != nil {
			all.dels = append(all.dels, d)
		}
	}
	for i := range ops {
		if t := ops[i].Txn; t != nil {
			if err := all.addTxn(t); err != nil {
				return all, err
			}
		}
	}
	for i := range ops {
		if p := ops[i].Put; p != nil {
			if all.writes(p.Key) {
				return all, ErrDuplicateKey
			}
			all.puts = append(all.puts, p.Key)
		}
	}
	return all, nil
}

// addTxn adds what both branches of an inner transaction write.
func (w *writes) addTxn(t *wire.TxnRequest) *wire.Error {
	before := *w
	for _, ops := range [2][]wire.RequestOp{t.Success, t.Failure} {
		branch, err := checkIntervals(ops)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(branch.puts, before.writes) {
			return ErrDuplicateKey
		}
		w.puts = append(w.puts, branch.puts...)
		w.dels = append(w.dels, branch.dels...)
	}
	return nil
}

func (w *writes) writes(key string) bool {
	return slices.Contains(w.puts, key) ||
		slices.ContainsFunc(w.dels, func(d *wire.DeleteRangeRequest) bool { return overlaps(d, key) })
}

// overlaps reports whether a deletion is of a key. Here the end "\x00" is the key below all
// others, and not everything from the key on: such a deletion overlaps nothing, and a key
// that it deletes may be put in the same transaction.
func overlaps(d *wire.DeleteRangeRequest, key string) bool {
	if d.RangeEnd == "" {
		return key == d.Key
	}
	return d.Key <= key && key < d.RangeEnd
}
