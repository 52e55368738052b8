package check

import (
	"cmp"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/model"
)

// recordedWrites are the revisions of which a recorded write is known to have made them. Behind a
// revision that is not known there is no store to compare with, but these still changed what they say.
type recordedWrites struct {
	// writes are in the order of their revisions.
	writes []recordedWrite
	// sure are, by key, the revisions that are certain to have changed it, in order.
	sure map[string][]int64
}

type recordedWrite struct {
	revision int64
	changes  []recordedChange
}

// recordedChange is what a write has done to the keys of a range.
type recordedChange struct {
	kind     model.EventType
	key, end string
	put      *model.Request
	// sure: the key changed so, and the same write did nothing else to it.
	sure bool
}

// newRecordedWrites takes in the writes whose revision is recorded. A revision that two writes claim
// is left out.
func newRecordedWrites(h *model.History) *recordedWrites {
	k := &recordedWrites{sure: map[string][]int64{}}
	for i := range h.Operations {
		op := &h.Operations[i]
		rev := op.Commit
		if op.Outcome == model.Done && op.Request.IsWrite() {
			rev = 0
			if op.Request.Changed(op.Result) {
				rev = op.Result.Revision
			}
		}
		if op.Outcome == model.Failed || !op.Request.IsWrite() || op.Request.Kind == model.LeaseRevoke || rev <= h.Initial.Revision {
			continue
		}
		k.writes = append(k.writes, recordedWrite{rev, recordedChanges(op.Request, op.Result)})
	}
	slices.SortStableFunc(k.writes, func(a, b recordedWrite) int { return cmp.Compare(a.revision, b.revision) })
	var once []recordedWrite
	for i, w := range k.writes {
		if (i == 0 || k.writes[i-1].revision < w.revision) && (i == len(k.writes)-1 || w.revision < k.writes[i+1].revision) {
			once = append(once, w)
		}
	}
	k.writes = once
	for _, w := range k.writes {
		for _, c := range w.changes {
			if c.sure {
				k.sure[c.key] = append(k.sure[c.key], w.revision)
			}
		}
	}
	return k
}

// recordedChanges are those that a write may have made. The result is nil if the write was not
// answered.
func recordedChanges(r *model.Request, res *model.Result) []recordedChange {
	all := addChanges(nil, r, res, true)
	if len(all) == 1 {
		return all
	}
	alone := slices.Clone(all)
	for i := range all {
		alone[i].sure = all[i].sure && !slices.ContainsFunc(all[:i], all[i].overlaps) && !slices.ContainsFunc(all[i+1:], all[i].overlaps)
	}
	return alone
}

// overlaps reports whether another change may be about the key of this one.
func (c recordedChange) overlaps(other recordedChange) bool {
	return model.InRange(c.key, other.key, other.end)
}

func addChanges(to []recordedChange, r *model.Request, res *model.Result, sure bool) []recordedChange {
	switch r.Kind {
	case model.Put:
		return append(to, recordedChange{kind: model.PutEvent, key: r.Key, put: r, sure: sure})
	case model.Delete:
		if res != nil && res.Deleted == 0 {
			return to
		}
		return append(to, recordedChange{kind: model.DeleteEvent, key: r.Key, end: r.End, sure: sure && r.End == ""})
	case model.Txn:
		if res != nil {
			return addBranch(to, r.Branch(res.Succeeded), res.Results, sure)
		}
		if len(r.Compare) == 0 {
			return addBranch(to, r.Success, nil, sure)
		}
		return addBranch(addBranch(to, r.Success, nil, false), r.Failure, nil, false)
	}
	return to
}

// addBranch adds the changes of a branch. A deletion in it whose answer is not known may have found
// no key.
func addBranch(to []recordedChange, branch []model.Request, results []model.Result, sure bool) []recordedChange {
	for i := range branch {
		if i < len(results) {
			to = addChanges(to, &branch[i], &results[i], sure)
		} else {
			to = addChanges(to, &branch[i], nil, sure && branch[i].Kind == model.Put)
		}
	}
	return to
}

// from is the index of the first write of a revision, or of a later one.
func (k *recordedWrites) from(rev int64) int {
	return sort.Search(len(k.writes), func(i int) bool { return k.writes[i].revision >= rev })
}

// of is the write of a revision, nil if it is not known.
func (k *recordedWrites) of(rev int64) *recordedWrite {
	if i := k.from(rev); i < len(k.writes) && k.writes[i].revision == rev {
		return &k.writes[i]
	}
	return nil
}

// lastBefore is the last revision before one that is certain to have changed a key, 0 if none is.
func (k *recordedWrites) lastBefore(rev int64, key string) int64 {
	all := k.sure[key]
	if n := sort.Search(len(all), func(i int) bool { return all[i] >= rev }); n > 0 {
		return all[n-1]
	}
	return 0
}

// puts is the put of a key in a write, nil if there is none.
func (w *recordedWrite) puts(key string) *model.Request {
	for _, c := range w.changes {
		if c.put != nil && c.key == key {
			return c.put
		}
	}
	return nil
}

// mayHave reports whether a write may have put an item.
func (w *recordedWrite) mayHave(it *model.Item) bool {
	return slices.ContainsFunc(w.changes, func(c recordedChange) bool {
		return c.put != nil && c.key == it.Key && (c.put.IgnoreValue || c.put.Value == it.Value) &&
			(c.put.IgnoreLease || it.FitsLease(&model.Item{Lease: c.put.Lease}))
	})
}

// mayDelete reports whether a write may have deleted a key.
func (w *recordedWrite) mayDelete(key string) bool {
	return slices.ContainsFunc(w.changes, func(c recordedChange) bool {
		return c.kind == model.DeleteEvent && model.InRange(key, c.key, c.end)
	})
}
