package linearizability

import (
	"cmp"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// timeline holds what each key was at each revision, for answers that do not
// say which revision they are of.
type timeline struct {
	changes []change
	keys    []keyRun
	grouped bool
	// probes counts looks at single keys, of which a history of large ranges
	// that come and go could need too many.
	probes int

	// base are the many items that the history begins with, at the revision since, nil if
	// they were few. They are in the changes only once a key of theirs changes.
	base  *items.Base
	since int64
	// alone is the run of a key of base that never changes.
	alone [1]keyRun

	window items.Contents
}

const maxProbes = 1 << 30

// change is the state of a key from a revision on; a nil item is none.
type change struct {
	key      string
	revision int64
	sequence int32
	item     *model.Item
}

// keyRun is the part of the changes that is about one key.
type keyRun struct {
	key      string
	from, to int32
}

func (t *timeline) reset(b *items.Base, since int64, writes int) {
	t.changes = slices.Grow(t.changes[:0], writes)
	t.keys, t.grouped, t.probes = t.keys[:0], false, 0
	t.base, t.since = b, since
}

func (t *timeline) spent() bool { return t.probes > maxProbes }

func (t *timeline) add(key string, rev int64, it *model.Item) {
	t.changes = append(t.changes, change{key, rev, int32(len(t.changes)), it})
}

// begin adds what base has of a key.
func (t *timeline) begin(key string) {
	if it := t.base.Get(key); it != nil {
		t.add(key, t.since, it)
	}
}

// group sorts the changes by key. Most histories never need it.
func (t *timeline) group() {
	if t.grouped {
		return
	}
	t.grouped = true
	slices.SortFunc(t.changes, func(a, b change) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(a.sequence, b.sequence)
	})
	for i := range t.changes {
		if i == 0 || t.changes[i].key != t.changes[i-1].key {
			t.keys = append(t.keys, keyRun{key: t.changes[i].key, from: int32(i)})
		}
		t.keys[len(t.keys)-1].to = int32(i + 1)
	}
}

// runs are those of the keys in the range, without those of base that never change.
func (t *timeline) runs(key, end string) []keyRun {
	t.group()
	from := searchRun(t.keys, key)
	to := len(t.keys)
	switch end {
	case "":
		if to = from; from < len(t.keys) && t.keys[from].key == key {
			to++
		}
	case "\x00":
	default:
		to = max(from, searchRun(t.keys, end))
	}
	return t.keys[from:to]
}

// runsOf are those of one key, valid until the next call.
func (t *timeline) runsOf(key string) []keyRun {
	runs := t.runs(key, "")
	if len(runs) > 0 || t.base.Get(key) == nil {
		return runs
	}
	// It goes behind all changes, where no other run reaches.
	from := int32(len(t.changes))
	t.begin(key)
	t.alone[0] = keyRun{key, from, from + 1}
	return t.alone[:]
}

func searchRun(keys []keyRun, key string) int {
	return sort.Search(len(keys), func(i int) bool { return keys[i].key >= key })
}

// at is the index of the change that made the key what it is at a revision; one
// before the run's first if there was none.
func (t *timeline) at(run keyRun, rev int64) int32 {
	t.probes++
	after := sort.Search(int(run.to-run.from), func(i int) bool { return t.changes[run.from+int32(i)].revision > rev })
	return run.from + int32(after) - 1
}

// first is the first revision from the bound on at which the answer of a
// spanning operation is right.
func (w *Witness) first(i int32, bound int64) (int64, bool) {
	op := &w.history.Operations[i]
	if op.Request.Kind == model.Get && (len(op.Result.Items) == 0 || op.Result.Items[0].ModRevision != 0) {
		return w.firstGet(op, bound)
	}
	return w.firstRange(op, bound)
}

// firstGet is fast because there are many Gets: an item is there for one
// stretch of revisions, from its own on.
func (w *Witness) firstGet(op *model.Operation, bound int64) (int64, bool) {
	t := &w.timeline
	answer := op.Result
	if answer.More || answer.Count != int64(len(answer.Items)) || len(answer.Items) > 1 {
		return 0, false
	}
	runs := t.runsOf(op.Request.Key)
	if len(answer.Items) == 0 {
		return w.firstAbsent(runs, bound)
	}
	if len(runs) == 0 {
		return 0, false
	}
	run := runs[0]
	at := t.at(run, max(answer.Items[0].ModRevision, w.history.Initial.Revision))
	if at < run.from {
		return 0, false
	}
	c := &t.changes[at]
	if c.item == nil || !items.Shows(answer.Items[0], c.item, false) {
		return 0, false
	}
	rev := max(bound, c.revision)
	if at+1 < run.to && rev >= t.changes[at+1].revision {
		return 0, false
	}
	return rev, true
}

func (w *Witness) firstAbsent(runs []keyRun, bound int64) (int64, bool) {
	if len(runs) == 0 {
		return bound, true
	}
	t, run := &w.timeline, runs[0]
	at := t.at(run, bound)
	if at < run.from {
		return bound, true
	}
	for ; at < run.to; at++ {
		t.probes++
		c := &t.changes[at]
		hidden := at+1 < run.to && t.changes[at+1].revision <= max(bound, c.revision)
		if c.item == nil && !hidden {
			return max(bound, c.revision), true
		}
	}
	return 0, false
}

// firstRange goes from change to change of the keys that the answer is about.
// The items of a list say where to begin, as none of them was there before it
// was written, and where to stop, as none of them comes back.
func (w *Witness) firstRange(op *model.Operation, bound int64) (int64, bool) {
	t := &w.timeline
	rev := bound
	for _, it := range op.Result.Items {
		rev = max(rev, it.ModRevision)
	}
	if rev > w.last {
		return 0, false
	}
	for !t.spent() {
		next := w.look(op.Request, rev)
		if op.Request.IsWrite() {
			if t.window.Idle(op.Request, op.Result, &w.scratch) {
				return rev, true
			}
		} else if t.window.Answers(op.Request, op.Result, &w.scratch) {
			return rev, true
		}
		for _, it := range op.Result.Items {
			if it.ModRevision == 0 {
				continue
			}
			if have := t.window.Get(it.Key); have == nil || have.ModRevision != it.ModRevision {
				return 0, false
			}
		}
		if next == 0 {
			return 0, false
		}
		rev = next
	}
	return 0, false
}

// look fills the window with what the request can see at a revision, and
// returns the revision of the next change to it, 0 if there is none.
func (w *Witness) look(r *model.Request, rev int64) (next int64) {
	t := &w.timeline
	base := t.base
	if rev < t.since {
		base = nil
	}
	t.window.Reset(nil, base)
	show := func(key, end string) {
		for _, run := range t.runs(key, end) {
			at := t.at(run, rev)
			switch {
			case at < run.from:
			case t.changes[at].item != nil:
				t.window.Set(t.changes[at].item)
			case base != nil:
				t.window.Remove(run.key)
			}
			if at+1 < run.to && (next == 0 || t.changes[at+1].revision < next) {
				next = t.changes[at+1].revision
			}
		}
	}
	ranges(r, show)
	return next
}

// ranges calls f for all ranges that a request is about, those of a branch that is not taken
// included.
func ranges(r *model.Request, f func(key, end string)) {
	if r.Kind != model.Txn {
		f(r.Key, items.RangeEnd(r))
		return
	}
	for i := range r.Compare {
		f(r.Compare[i].Key, r.Compare[i].End)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			ranges(&branch[i], f)
		}
	}
}
