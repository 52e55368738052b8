// Package possible (unstable) knows what all completions of a history have in common.
//
// A history leaves open which writes of unknown outcome took effect and at which revision, which
// leases expired and, if it is partial, what other clients wrote. A completion decides all of
// that. A history is violated if and only if it is violated in every completion.
//
// A Timeline has, for each key and each revision, all that the key may be in some completion. A
// write of which the revision is known leaves one possibility. A revision that no write is known to
// have made adds the effects of each write that can have made it. Where each of these writes changes
// a key, the key's earlier items are no longer possible. An answer that none of the possibilities
// gives is wrong in every completion. Keys are looked at one by one, so that more may seem possible
// than is. Less never does.
//
// It must never import a judge: which position an operation needs is the judge's to say.
package possible

import (
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// Order is what a property asks of the order of the operations.
type Order struct {
	// Claims reports whether the property is about an operation: the answers of others may be
	// anything.
	Claims func(*model.Operation) bool
	// ReadsAtRevision: a read is at the revision of its answer.
	ReadsAtRevision bool
	// RealTime: what returned before another was called comes before it.
	RealTime bool
	// Behind is, for each operation, a revision that it comes behind, in every order.
	Behind []int64
}

// building is a Timeline under construction.
type building struct {
	*Timeline
	history *model.History
	order   Order
	made    map[int64]int
	// lost are the writes that may have made any hole, or that of their answer.
	lost []int
	// shown is what answers show of a hole. seen is when answers show a key as it was made at a
	// revision.
	shown map[int64][]shownPut
	seen  map[version]sight
	// points are the answers that name their revision, in the order of these.
	points []point
}

type shownPut struct {
	item *model.Item
	// keyOnly: of the item only its key is of the put.
	keyOnly, noValue bool
}

type version struct {
	key string
	mod int64
}

// sight is the last revision at which an answer shows something, and, of the answers that show it,
// the answer that was called last.
type sight struct {
	revision  int64
	operation int32
}

type point struct {
	revision  int64
	operation int
}

// New makes the timeline of a history that leaves something open.
func New(h *model.History, order Order) *Timeline {
	t := &Timeline{initial: h.Initial.Revision, newest: h.Initial.Revision, partial: h.Partial, operations: h.Operations, Impossible: map[int]bool{}}
	b := &building{Timeline: t, history: h, order: order, made: map[int64]int{}, shown: map[int64][]shownPut{}, seen: map[version]sight{}}
	b.writes()
	b.answers()
	b.name()
	if t.Fault.Kind == None {
		b.play()
	}
	return t
}

// writes finds which write made which revision, and those of which that is not known.
func (b *building) writes() {
	for i := range b.history.Operations {
		op := &b.history.Operations[i]
		if !op.Request.IsWrite() || op.Outcome == model.Failed {
			continue
		}
		rev := op.Commit
		if op.Outcome == model.Done {
			rev = op.Result.Revision
			if b.order.Claims(op) {
				b.newest = max(b.newest, rev)
			}
			if op.Request.Kind != model.LeaseRevoke && !op.Request.Changed(op.Result) {
				continue
			}
		}
		switch {
		case op.Request.Kind == model.LeaseRevoke && op.Outcome == model.Done:
			b.lost = append(b.lost, i)
		case rev == 0:
			b.lost = append(b.lost, i)
		case rev < 0:
		default:
			b.newest = max(b.newest, rev)
			if _, taken := b.made[rev]; taken || rev <= b.initial {
				if b.Fault.Kind == None {
					b.Fault = Fault{Taken, i, rev}
				}
				continue
			}
			b.made[rev] = i
			b.taken = append(b.taken, rev)
		}
	}
	slices.Sort(b.taken)
}

// answers takes in what claimed answers show.
func (b *building) answers() {
	for i := range b.history.Operations {
		op := &b.history.Operations[i]
		if op.Outcome != model.Done || !b.order.Claims(op) {
			continue
		}
		rev := int64(0)
		if !op.Request.IsWrite() {
			if b.order.ReadsAtRevision {
				rev = op.Result.Revision
			}
			if op.Request.Freshness == model.Exact {
				rev = op.Request.Revision
			}
			if rev != 0 {
				b.newest = max(b.newest, rev)
				b.points = append(b.points, point{rev, i})
			} else {
				rev = b.order.Behind[i]
			}
		} else if op.Request.Kind == model.Txn && op.Result.Revision != 0 && !op.Request.Changed(op.Result) {
			b.points = append(b.points, point{op.Result.Revision, i})
		}
		b.answer(int32(i), op, rev)
	}
	slices.SortStableFunc(b.points, func(x, y point) int { return int(x.revision - y.revision) })
}

// answer takes in an answer that is of a revision, or of a later one.
func (b *building) answer(i int32, op *model.Operation, rev int64) {
	r, res := op.Request, op.Result
	for _, it := range res.Items {
		b.item(it, shownPut{item: it, noValue: r.KeysOnly})
		b.see(it, i, rev)
	}
	for _, it := range res.Prev {
		b.item(it, shownPut{item: it})
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if i < len(branch) {
			b.answerIn(&branch[i], &res.Results[i])
		}
	}
}

// answerIn takes in the answer of a part of a transaction. The transaction itself may have put
// what it shows, and something else behind that.
func (b *building) answerIn(r *model.Request, res *model.Result) {
	if r.Freshness == model.Exact {
		// It is of the past.
		return
	}
	for _, all := range [...][]*model.Item{res.Items, res.Prev} {
		for _, it := range all {
			b.item(it, shownPut{item: it, keyOnly: true})
		}
	}
	branch := r.Branch(res.Succeeded)
	for i := range res.Results {
		if i < len(branch) {
			b.answerIn(&branch[i], &res.Results[i])
		}
	}
}

// see takes in that an answer shows an item which was there at a revision.
func (b *building) see(it *model.Item, i int32, rev int64) {
	if it.ModRevision == 0 {
		return
	}
	v := version{it.Key, it.ModRevision}
	s, seen := b.seen[v]
	if !seen {
		s.operation = i
	}
	if later := b.operations[i].Call > b.operations[s.operation].Call; later || !seen || rev > s.revision {
		if later {
			s.operation = i
		}
		s.revision = max(s.revision, rev)
		b.seen[v] = s
	}
}

// item takes in an item that shows a put.
func (b *building) item(it *model.Item, p shownPut) {
	b.newest = max(b.newest, it.ModRevision, it.CreateRevision)
	if mod := it.ModRevision; mod > b.initial {
		if _, made := b.made[mod]; !made {
			b.show(mod, p)
		}
	}
	if create := it.CreateRevision; create > b.initial && create != it.ModRevision {
		if _, made := b.made[create]; !made {
			b.show(create, shownPut{item: it, keyOnly: true})
		}
	}
}

func (b *building) show(rev int64, p shownPut) {
	if shown := b.shown[rev]; !slices.Contains(shown, p) {
		b.shown[rev] = append(shown, p)
	}
}

// name finds all keys that there may be, and the keys that may be on each lease.
func (b *building) name() {
	for _, it := range b.history.Initial.Items {
		b.keys = append(b.keys, it.Key)
	}
	for i := range b.history.Operations {
		if op := &b.history.Operations[i]; op.Outcome != model.Failed {
			items.EachPut(op.Request, func(put *model.Request) { b.keys = append(b.keys, put.Key) })
		}
	}
	if b.partial {
		for _, puts := range b.shown {
			for _, p := range puts {
				b.keys = append(b.keys, p.item.Key)
			}
		}
	}
	slices.Sort(b.keys)
	b.keys = slices.Compact(b.keys)
	b.at = make(map[string]int32, len(b.keys))
	for i, key := range b.keys {
		b.at[key] = int32(i)
	}
	b.runs = make([]run, len(b.keys))
	b.attached = map[int64][]int32{}
	for lease, keys := range items.Attached(b.history) {
		for _, key := range keys {
			b.attached[lease] = append(b.attached[lease], b.at[key])
		}
	}
}

// option is one thing that a key may be: an item, or nothing if item is nil.
type option struct {
	item *model.Item
	// anyNumbers: the create revision, the version and the lease of a whole item depend on what
	// the key was before. anyValue and anyLease: so do these.
	anyNumbers, anyValue, anyLease bool
}

var absent = option{}

// shows reports whether an answer may show this for a key.
func (o option) shows(shown *model.Item, keysOnly bool) bool {
	if o.item == nil {
		return false
	}
	it := *o.item
	if o.anyNumbers {
		it.CreateRevision, it.Version = shown.CreateRevision, shown.Version
	}
	if o.anyValue && !keysOnly {
		it.Value = shown.Value
	}
	if o.anyLease {
		it.Lease = shown.Lease
	}
	return items.Shows(shown, &it, keysOnly)
}

// isExact reports whether everything about it is known.
func (o option) isExact() bool { return !o.anyNumbers && !o.anyValue && !o.anyLease }

// mayBeOn reports whether it may be attached to a lease.
func (o option) mayBeOn(lease int64) bool {
	return o.item != nil && (o.anyLease || o.item.Lease == lease)
}

func (o option) equal(p option) bool {
	if o.item == nil || p.item == nil {
		return o.item == p.item
	}
	return *o.item == *p.item && o.anyNumbers == p.anyNumbers && o.anyValue == p.anyValue && o.anyLease == p.anyLease
}

func has(all []option, o option) bool { return slices.ContainsFunc(all, o.equal) }

// put is the option of a key after a put at a revision. Before the put the key was one of
// some options, or anything if wild. The result is false if the put is refused.
func put(r *model.Request, rev int64, before []option, wild bool) (option, bool) {
	it := model.Item{Key: r.Key, Value: r.Value, Lease: r.Lease, ModRevision: rev}
	after := option{item: &it, anyNumbers: wild, anyValue: wild && r.IgnoreValue, anyLease: wild && r.IgnoreLease}
	first := true
	for _, o := range before {
		create, version, value, lease := rev, int64(1), r.Value, r.Lease
		if o.item == nil {
			if r.IgnoreValue || r.IgnoreLease {
				continue
			}
		} else {
			create, version = o.item.CreateRevision, o.item.Version+1
			if r.IgnoreValue {
				value = o.item.Value
			}
			if r.IgnoreLease {
				lease = o.item.Lease
			}
			after.anyNumbers = after.anyNumbers || o.anyNumbers
			after.anyValue = after.anyValue || r.IgnoreValue && o.anyValue
			after.anyLease = after.anyLease || r.IgnoreLease && o.anyLease
		}
		if first {
			it.CreateRevision, it.Version, it.Value, it.Lease = create, version, value, lease
			first = false
			continue
		}
		after.anyNumbers = after.anyNumbers || it.CreateRevision != create || it.Version != version
		after.anyValue = after.anyValue || it.Value != value
		after.anyLease = after.anyLease || it.Lease != lease
	}
	return after, !first || wild
}
