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
	// Operation is the operation at fault, Revision the revision of the fault.
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
	// seenBy is, of the answers that show this item, the answer that was called last. It is -1 if
	// none shows it or the property does not ask for real time.
	seenBy int32
	// until is the last revision at which an answer shows that the key was unchanged since the
	// reset.
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

// lastSure is the last revision at which a key is known to be unchanged since the reset before a
// change.
func (t *Timeline) lastSure(r *run, i int) int64 {
	if i < 0 {
		return t.initial
	}
	reset := &r.changes[r.changes[i].reset]
	return max(reset.revision, reset.until)
}

// HoleBehind is the first revision behind a given one that no write is known to have made.
func (t *Timeline) HoleBehind(rev int64) int64 {
	i, found := slices.BinarySearch(t.taken, rev+1)
	if !found {
		return rev + 1
	}
	n := sort.Search(len(t.taken)-i, func(n int) bool { return t.taken[i+n] > rev+1+int64(n) })
	return rev + 1 + int64(n)
}

// options are the options that count at a change.
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
	switch r := op.Request; {
	case t.Spent():
		return true
	case rev < t.initial:
		return false
	case r.Kind == model.Txn:
		return t.mayAnswerReads(op, rev, last)
	case r.CountOnly:
		return t.mayCount(r, op.Result, rev, last)
	}
	return t.mayList(op, rev, last)
}

// mayAnswerReads is mayAnswer for the reads of a transaction. One of the past says nothing of now.
func (t *Timeline) mayAnswerReads(op *model.Operation, rev int64, last bool) bool {
	branch := op.Request.Branch(op.Result.Succeeded)
	for i := range op.Result.Results {
		part := &branch[i]
		if part.Kind == model.Put || part.Kind == model.Delete || part.Freshness == model.Exact {
			continue
		}
		if !t.mayAnswer(&model.Operation{Request: part, Result: &op.Result.Results[i], Return: op.Return}, rev, last) {
			return false
		}
	}
	return true
}

// lastOf is the last change of a key up to a revision.
func (t *Timeline) lastOf(r *run, rev int64, last bool) int {
	t.effort++
	if last {
		return len(r.changes) - 1
	}
	return r.find(rev)
}

// mayCount is mayAnswer for a list of which the number of items is asked for: some keys are there for
// certain, and others may be.
func (t *Timeline) mayCount(r *model.Request, res *model.Result, rev int64, last bool) bool {
	least, most := int64(0), int64(0)
	from, to := t.between(r.Key, items.RangeEnd(r))
	for n := from; n < to; n++ {
		run := &t.runs[n]
		at := t.lastOf(run, rev, last)
		if !t.mayLack(run, at, rev) {
			least++
		}
		if t.mayBeThere(run, at, rev) {
			most++
		}
	}
	return t.partial || !res.More && len(res.Items) == 0 && least <= res.Count && res.Count <= most
}

// mayList is mayAnswer for a Get and for a List with items: each key may be what is shown of it. A
// list with a Selection may show anything.
func (t *Timeline) mayList(op *model.Operation, rev int64, last bool) bool {
	r, res, shown := op.Request, op.Result, op.Result.Items
	if r.Selection != (model.Selection{}) {
		return true
	}
	if r.Kind == model.List && !t.counts(res, r.Limit) || r.Kind == model.Get && (res.More || len(shown) > 1 || res.Count != int64(len(shown))) {
		return false
	}
	from, to := t.between(r.Key, items.RangeEnd(r))
	switch {
	case res.More && len(shown) > 0:
		// What comes behind the page is not in it.
		_, to = t.between(r.Key, shown[len(shown)-1].Key+"\x00")
	case res.More:
		to = from
	}
	for n := from; n < to; n++ {
		run := &t.runs[n]
		at := t.lastOf(run, rev, last)
		switch {
		case len(shown) == 0 || shown[0].Key > t.keys[n]:
			if !t.mayLack(run, at, rev) || t.outlives(run, at, op) {
				return false
			}
		case shown[0].Key == t.keys[n]:
			if !t.mayShow(run, at, rev, shown[0], r.KeysOnly) {
				return false
			}
			shown = shown[1:]
		default:
			return t.mayBeOfOthers(shown)
		}
	}
	return t.mayBeOfOthers(shown)
}

// mayBeOfOthers reports whether others may have put what no recorded write can have put: nothing, or in a
// partial history an item without a revision.
func (t *Timeline) mayBeOfOthers(shown []*model.Item) bool {
	return len(shown) == 0 || t.partial && slices.ContainsFunc(shown, func(it *model.Item) bool { return it.ModRevision == 0 })
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
