package possible

import (
	"slices"
	"sort"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Timeline is what each key may be at each revision.
type Timeline struct {
	initial int64
	// newest is the highest revision that is known to have been made. All behind it is one
	// revision here, at which anything may have happened that can happen yet.
	newest int64
	// partial: at a hole any key may have become anything.
	partial    bool
	operations []model.Operation
	// taken are the revisions that a write is known to have made, in order. Between them are
	// holes.
	taken []int64

	keys []string
	at   map[string]int32
	runs []run
	// attached are the keys that may ever be on each lease.
	attached map[int64][]int32
	// effort counts what was looked at; beyond maxEffort everything counts as possible.
	effort int

	// Fault is what is wrong with the writes alone, in every completion.
	Fault Fault
	// Impossible are the answers that name their revision and cannot be of it, in every
	// completion, by their operation.
	Impossible map[int]bool
}

// Fault is what no completion can make right.
type Fault struct {
	Kind FaultKind
	// Operation is the one at fault, Revision the one that it is about.
	Operation int
	Revision  int64
}

// FaultKind is what is wrong with writes.
type FaultKind uint8

// The faults.
const (
	// None: nothing is.
	None FaultKind = iota
	// Taken: another write made the same revision.
	Taken
	// Unmade: no write can have made a revision below that of the operation.
	Unmade
	// Idle: a write that says it changed the store cannot have done so.
	Idle
)

const maxEffort = 1 << 28

// run is what a key may be, from revision to revision.
type run struct{ changes []change }

// change adds an option from a revision on.
type change struct {
	revision int64
	// reset is the index of the first change that still counts: those before it are no longer
	// possible.
	reset int32
	// seenBy is the answer that was called last of those that show this item, -1 if none does or
	// the property does not ask for real time.
	seenBy int32
	// until is the last revision at which an answer shows that the key still was what it had
	// become at the reset.
	until int64
	option
}

// Spent reports whether the history needs too much to be looked at: everything counts as
// possible then.
func (t *Timeline) Spent() bool { return t.effort > maxEffort }

// find is the index of the last change of a run up to a revision, -1 if there is none.
func (r *run) find(rev int64) int {
	return sort.Search(len(r.changes), func(i int) bool { return r.changes[i].revision > rev }) - 1
}

// wild reports whether a key may be anything at a revision, where i is the last change up to it.
func (t *Timeline) wild(r *run, i int, rev int64) bool {
	if !t.partial {
		return false
	}
	return t.HoleBehind(t.lastSure(r, i)) <= rev
}

// lastSure is the last revision at which a key is known to be what it was at the reset before a
// change.
func (t *Timeline) lastSure(r *run, i int) int64 {
	if i < 0 {
		return t.initial
	}
	reset := &r.changes[r.changes[i].reset]
	return max(reset.revision, reset.until)
}

// HoleBehind is the first revision behind one that no write is known to have made.
func (t *Timeline) HoleBehind(rev int64) int64 {
	i, found := slices.BinarySearch(t.taken, rev+1)
	if !found {
		return rev + 1
	}
	n := sort.Search(len(t.taken)-i, func(n int) bool { return t.taken[i+n] > rev+1+int64(n) })
	return rev + 1 + int64(n)
}

// options are those that count at a change.
func (r *run) options(i int) []change {
	if i < 0 {
		return nil
	}
	return r.changes[r.changes[i].reset : i+1]
}

// mayLack reports whether a key may not be there, where i is the last change of its run.
func (t *Timeline) mayLack(r *run, i int, rev int64) bool {
	t.effort++
	return i < 0 || t.wild(r, i, rev) || slices.ContainsFunc(r.options(i), func(c change) bool { return c.item == nil })
}

// mayShow reports whether a key may be an item, where i is the last change of its run.
func (t *Timeline) mayShow(r *run, i int, rev int64, it *model.Item, keysOnly bool) bool {
	t.effort++
	if it.ModRevision == 0 && t.wild(r, i, rev) {
		return true
	}
	return slices.ContainsFunc(r.options(i), func(c change) bool { return c.shows(it, keysOnly) })
}

// outlives reports whether an answer that was called after an operation had returned shows what a
// key may be, where i is the last change of its run. A key that is deleted and put again has
// another mod revision, so that the key still was the same at the operation.
func (t *Timeline) outlives(r *run, i int, op *model.Operation) bool {
	return slices.ContainsFunc(r.options(i), func(c change) bool { return c.seenBy >= 0 && t.operations[c.seenBy].Call > op.Return })
}

// between are the places of the keys of a range.
func (t *Timeline) between(key, end string) (from, to int) {
	from, found := slices.BinarySearch(t.keys, key)
	switch end {
	case "":
		if to = from; found {
			to++
		}
	case "\x00":
		to = len(t.keys)
	default:
		to, _ = slices.BinarySearch(t.keys, end)
		to = max(from, to)
	}
	return from, to
}

// mayAnswer reports whether a read may have been answered as it was at a revision. With last, that
// is the newest of the timeline so far.
func (t *Timeline) mayAnswer(op *model.Operation, rev int64, last bool) bool {
	r, res := op.Request, op.Result
	if t.Spent() {
		return true
	}
	if rev < t.initial {
		return false
	}
	if r.Kind == model.Txn {
		branch := r.Branch(res.Succeeded)
		for i := range res.Results {
			part := &branch[i]
			if part.Kind == model.Put || part.Kind == model.Delete || part.Freshness == model.Exact {
				// A read of the past says nothing of now.
				continue
			}
			if !t.mayAnswer(&model.Operation{Request: part, Result: &res.Results[i], Return: op.Return}, rev, last) {
				return false
			}
		}
		return true
	}
	if r.Kind == model.Get && (res.More || len(res.Items) > 1 || res.Count != int64(len(res.Items))) {
		return false
	}
	end, shown := items.RangeEnd(r), res.Items
	from, to := t.between(r.Key, end)
	whole := !r.CountOnly && r.Selection == (model.Selection{})
	if whole && r.Kind == model.List && !t.counts(res, r.Limit) {
		return false
	}
	if r.CountOnly {
		shown = nil
	} else if res.More && len(shown) > 0 {
		// What comes behind the page is not in it.
		_, to = t.between(r.Key, shown[len(shown)-1].Key+"\x00")
	}
	sure, most := int64(0), int64(0)
	i := 0
	for n := from; n < to; n++ {
		run := &t.runs[n]
		at := len(run.changes) - 1
		if !last {
			at = run.find(rev)
		}
		t.effort++
		if r.CountOnly {
			if !t.mayLack(run, at, rev) {
				sure++
			}
			if t.mayBeThere(run, at, rev) {
				most++
			}
			continue
		}
		if i < len(shown) && shown[i].Key < t.keys[n] {
			break
		}
		if i < len(shown) && shown[i].Key == t.keys[n] {
			if !t.mayShow(run, at, rev, shown[i], r.KeysOnly) && whole {
				return false
			}
			i++
		} else if whole && !(res.More && len(shown) == 0) && (!t.mayLack(run, at, rev) || t.outlives(run, at, op)) {
			return false
		}
	}
	if r.CountOnly {
		return t.partial || !res.More && len(res.Items) == 0 && sure <= res.Count && res.Count <= most
	}
	// A key that no write can have put is in no answer.
	return !whole || i == len(shown) || t.partial && slices.ContainsFunc(shown[i:], func(it *model.Item) bool { return it.ModRevision == 0 })
}

// counts reports whether the numbers of an answer fit its items.
func (t *Timeline) counts(res *model.Result, limit int64) bool {
	n := int64(len(res.Items))
	if res.More {
		return limit > 0 && n == limit && (res.Count > n || res.Count == n && !res.Counted)
	}
	return res.Count == n && (limit == 0 || n <= limit)
}

func (t *Timeline) mayBeThere(r *run, i int, rev int64) bool {
	return t.wild(r, i, rev) || slices.ContainsFunc(r.options(i), func(c change) bool { return c.item != nil })
}

// First is the first revision from a bound on at which a read may have been answered as it was.
func (t *Timeline) First(op *model.Operation, bound int64) (rev int64, ok bool) {
	r, res := op.Request, op.Result
	rev = bound
	for _, it := range res.Items {
		rev = max(rev, it.ModRevision)
	}
	if rev > t.newest {
		// All revisions behind the newest are one.
		return rev, t.mayAnswer(op, t.newest+1, false)
	}
	from, to := t.between(r.Key, items.RangeEnd(r))
	for {
		if t.mayAnswer(op, rev, false) {
			return rev, true
		}
		next := t.newest + 1
		for n := from; n < to; n++ {
			t.effort++
			run := &t.runs[n]
			i := run.find(rev)
			if i+1 < len(run.changes) {
				next = min(next, run.changes[i+1].revision)
			}
			if t.partial && !t.wild(run, i, rev) {
				next = min(next, t.HoleBehind(t.lastSure(run, i)))
			}
		}
		if rev == next || rev > t.newest {
			return 0, false
		}
		rev = next
	}
}

// Nearest are the items of a possible answer that differs where an answer is impossible.
func (t *Timeline) Nearest(op *model.Operation, rev int64) (near []*model.Item) {
	r, res := op.Request, op.Result
	shown := map[string]*model.Item{}
	for _, it := range res.Items {
		shown[it.Key] = it
	}
	from, to := t.between(r.Key, items.RangeEnd(r))
	for n := from; n < to; n++ {
		run := &t.runs[n]
		at, it := run.find(rev), shown[t.keys[n]]
		switch {
		case it != nil && t.mayShow(run, at, rev, it, r.KeysOnly):
			near = append(near, it)
		case it == nil && (t.mayLack(run, at, rev) && !t.outlives(run, at, op) || res.More && t.keys[n] > lastKey(res)):
		default:
			// One of the same revision says what differs.
			var one *model.Item
			for _, c := range run.options(at) {
				if c.item != nil && (one == nil || it == nil || one.ModRevision != it.ModRevision) {
					one = c.item
				}
			}
			if one != nil {
				near = append(near, one)
			}
		}
	}
	return near
}

func lastKey(res *model.Result) string {
	if len(res.Items) == 0 {
		return ""
	}
	return res.Items[len(res.Items)-1].Key
}

// Shows is an answer that was called after an operation had returned, and shows an item that may be
// there at a revision; -1 if none does.
func (t *Timeline) Shows(it *model.Item, op *model.Operation, rev int64) int32 {
	run := &t.runs[t.at[it.Key]]
	for _, c := range run.options(run.find(rev)) {
		if c.item != nil && c.item.ModRevision == it.ModRevision && c.seenBy >= 0 && t.operations[c.seenBy].Call > op.Return {
			return c.seenBy
		}
	}
	return -1
}

// Gone is the revision at which a key was deleted that cannot be there at a revision, 0 if it
// never was.
func (t *Timeline) Gone(key string, rev int64) int64 {
	n, there := t.at[key]
	if !there {
		return 0
	}
	run := &t.runs[n]
	i := run.find(rev)
	if i < 0 || run.changes[i].item != nil || run.changes[run.changes[i].reset].revision <= t.initial {
		return 0
	}
	return run.changes[run.changes[i].reset].revision
}
