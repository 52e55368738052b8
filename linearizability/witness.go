package linearizability

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/linearizability/possible"
	"github.com/watchbed/watchbed/model"
)

// Witness judges a history by the revisions that its answers carry. It is exact
// and near-linear; the package comment says why it may be believed.
//
// The zero value is ready to use. Its buffers are kept from one history to the
// next, so that judging a small one allocates nothing. One goroutine may use it
// at a time.
type Witness struct {
	history *model.History
	log     *model.Log

	order []int32 // operations by call
	roles []role
	at    []int64 // positions of writing and observing operations
	bad   []bool  // observing operations whose answer is not the store at their position
	// blind is set if a write changed the store and its answer has no revision,
	// open if an outcome is unknown that could matter.
	blind, open bool
	broken      fault
	last        int64 // newest revision replayed

	// points are in the order of their revisions. revocations are those of them whose answer
	// does not say whether they made theirs.
	writes, points, revocations []writeRef
	contents                    items.Contents
	bases                       items.Bases
	items                       items.Arena
	scratch                     []*model.Item
	revision                    int64 // that of contents
	timeline                    timeline

	returns returns
	clients []clientView
	ahead   []position
}

// role is how an operation finds its place in the order of revisions.
type role uint8

const (
	// ignored operations have no place.
	ignored role = iota
	// writing operations make a revision.
	writing
	// observing ones are after one revision and before the next.
	observing
	// spanning ones fit wherever their answer is right.
	spanning
)

type writeRef struct {
	revision int64
	index    int32
}

func sortWrites(refs []writeRef) {
	byRevision := func(a, b writeRef) int {
		return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.index, b.index))
	}
	if !slices.IsSortedFunc(refs, byRevision) {
		slices.SortFunc(refs, byRevision)
	}
}

// Load takes a history and replays its writes. Operations must be in the order
// of their calls, as model.History demands. If a log is given, it supplies the
// writes that the history does not record.
func (w *Witness) Load(h *model.History, log *model.Log) {
	w.history, w.log = h, log
	w.blind, w.open, w.broken = false, false, fault{}
	w.writes, w.points, w.revocations = w.writes[:0], w.points[:0], w.revocations[:0]
	n := len(h.Operations)
	w.order = slices.Grow(w.order[:0], n)[:n]
	w.roles = slices.Grow(w.roles[:0], n)[:n]
	w.at = slices.Grow(w.at[:0], n)[:n]
	w.bad = slices.Grow(w.bad[:0], n)[:n]
	sorted := true
	for i := range h.Operations {
		op := &h.Operations[i]
		w.order[i] = int32(i)
		sorted = sorted && (i == 0 || op.Call >= h.Operations[i-1].Call)
		r, rev := w.place(op)
		w.roles[i], w.at[i], w.bad[i] = r, rev, false
		switch r {
		case writing:
			w.writes = append(w.writes, writeRef{rev, int32(i)})
		case observing:
			w.points = append(w.points, writeRef{rev, int32(i)})
			if op.Request.Kind == model.LeaseRevoke && log == nil {
				w.revocations = append(w.revocations, writeRef{rev, int32(i)})
			}
		}
	}
	if !sorted {
		slices.SortStableFunc(w.order, func(a, b int32) int {
			return cmp.Compare(h.Operations[a].Call, h.Operations[b].Call)
		})
	}
	sortWrites(w.writes)
	sortWrites(w.points)
	sortWrites(w.revocations)
	w.replay()
}

// searchWrites is the index of the first that has a revision, or a later one.
func searchWrites(refs []writeRef, revision int64) int {
	at, _ := slices.BinarySearchFunc(refs, revision, func(ref writeRef, rev int64) int {
		if ref.revision < rev {
			return -1
		}
		return 1
	})
	return at
}

func (w *Witness) place(op *model.Operation) (role, int64) {
	req, res := op.Request, op.Result
	if op.Outcome == model.Failed || !isAboutContents(req) {
		return ignored, 0
	}
	if op.Outcome == model.Unknown {
		switch {
		case !req.IsWrite() || op.Commit < 0:
			return ignored, 0
		case op.Commit > 0:
			return writing, op.Commit
		}
		// With a log, its effect is there, without a name; in a partial history, its effect
		// is one of a write that is not recorded.
		w.open = w.open || w.log == nil && !w.history.Partial
		return ignored, 0
	}
	if req.IsWrite() && (req.Changed(res) || req.Kind == model.LeaseRevoke && w.madeByRevoking(req, res)) {
		w.blind = w.blind || res.Revision == 0
		return writing, res.Revision
	}
	if !req.IsWrite() && req.Freshness == model.Exact {
		return observing, req.Revision
	}
	if res.Revision != 0 {
		return observing, res.Revision
	}
	return spanning, 0
}

// replay makes the contents at every revision, one after the other, and holds
// the answers against them that name their revision.
func (w *Witness) replay() {
	init := &w.history.Initial
	w.items.Reset()
	w.contents.Arena = &w.items
	if w.contents.Observe == nil {
		w.contents.Observe = func(key string, it *model.Item) {
			if w.contents.Untouched(key) {
				// Its first change: the item before it belongs to the timeline too.
				w.timeline.begin(key)
			}
			w.timeline.add(key, w.revision, it)
		}
	}
	w.revision = init.Revision
	base := w.bases.Of(init.Items)
	w.timeline.reset(base, init.Revision, len(w.writes))
	w.contents.Reset(init.Items, base)
	w.last = init.Revision
	if w.blind {
		return
	}
	points := w.points
	for len(points) > 0 && points[0].revision < init.Revision {
		w.bad[points[0].index] = true
		points = points[1:]
	}
	points = w.observe(points)
	for _, ref := range w.writes {
		op := &w.history.Operations[ref.index]
		if ref.revision <= w.revision {
			w.broken = fault{kind: revisionTaken, op: ref.index, revision: ref.revision}
			return
		}
		for w.revision+1 < ref.revision {
			if w.history.Partial {
				points = w.skip(points, ref.revision-1)
				continue
			}
			if !w.revoke() && !w.fill() {
				if w.broken.kind == nothing {
					w.broken = fault{kind: revisionMissing, op: ref.index, revision: w.revision + 1}
				}
				return
			}
			points = w.observe(points)
		}
		shown := op.Result
		if op.Outcome == model.Unknown || w.history.Partial {
			// An unrecorded write may have made the items that this write found.
			shown = nil
		}
		w.revision++
		if changed, right := w.contents.Apply(op.Request, shown, w.revision, &w.scratch); !w.history.Partial && (!changed || !right) {
			w.broken = fault{kind: wrongAnswer, op: ref.index, revision: w.revision - 1}
			return
		}
		w.last = w.revision
		points = w.observe(points)
	}
	for w.revoke() || w.fill() {
		points = w.observe(points)
	}
	if w.history.Partial && len(points) > 0 {
		points = w.skip(points, points[len(points)-1].revision)
	}
	if w.broken.kind != nothing {
		return
	}
	for _, ref := range points {
		w.bad[ref.index] = true
	}
}

// skip goes on to a revision through the revisions of unrecorded writes, and
// returns the answers of later revisions.
func (w *Witness) skip(points []writeRef, to int64) []writeRef {
	for len(points) > 0 && points[0].revision <= to {
		w.revision = points[0].revision
		points = w.observe(points)
	}
	w.revision, w.last = to, to
	return points
}

// madeByRevoking reports whether an answered LeaseRevoke is known to have made the revision of
// its answer: by ground truth. A revision that is not known counts as made, as that of another
// write does.
func (w *Witness) madeByRevoking(r *model.Request, res *model.Result) bool {
	return res.Revision == 0 || w.log != nil && revokes(w.log, r.Lease, res.Revision)
}

// revoke makes one revision by the revocation of a lease that was answered with it and finds
// keys on its lease. One that finds none made no revision, and observed that of its answer.
func (w *Witness) revoke() bool {
	lease := func(ref writeRef) int64 { return w.history.Operations[ref.index].Request.Lease }
	answered := w.revocations[searchWrites(w.revocations, w.revision+1):searchWrites(w.revocations, w.revision+2)]
	at := slices.IndexFunc(answered, func(ref writeRef) bool { return w.contents.Holds(lease(ref)) })
	if at < 0 {
		return false
	}
	made := answered[at]
	// Of two with one lease, the later one is of a lease that was granted again. Either may be it.
	w.open = w.open || slices.ContainsFunc(answered[at+1:], func(ref writeRef) bool { return lease(ref) == lease(made) })
	w.revision++
	w.contents.Revoke(lease(made))
	w.roles[made.index], w.last = writing, w.revision
	w.writes = append(w.writes, made)
	return true
}

// fill makes one revision from the log. It fails if the log does not reach
// there, or if its write changes nothing because of what a client, by its own
// answer, wrote before.
func (w *Witness) fill() bool {
	if w.log == nil {
		return false
	}
	r := w.log.Write(w.revision + 1)
	if r == nil {
		return false
	}
	w.revision++
	if changed, _ := w.contents.Apply(r, nil, w.revision, &w.scratch); !changed {
		for _, ref := range w.writes {
			if ref.revision < w.revision {
				w.broken = fault{kind: contradicted, op: ref.index, revision: w.revision}
			}
		}
		w.revision--
		return false
	}
	w.last = w.revision
	return true
}

// observe judges the answers at the current revision and returns those of
// later ones.
func (w *Witness) observe(points []writeRef) []writeRef {
	for len(points) > 0 && points[0].revision == w.revision {
		i := points[0].index
		op := &w.history.Operations[i]
		if op.Request.IsWrite() {
			w.bad[i] = !w.contents.Idle(op.Request, op.Result, &w.scratch)
		} else {
			w.bad[i] = !w.contents.Answers(op.Request, op.Result, &w.scratch)
		}
		points = points[1:]
	}
	return points
}

// Check judges one property of the loaded history. exercised counts the
// operations that the property really bound to something, as Judgement says. It
// returns VerdictUnknown for three reasons: outcomes are unknown, answers to writes
// have no revision, or the search is too long. The limit of the search is
// deterministic.
func (w *Witness) Check(prop Property) (v model.Verdict, exercised int) {
	v, exercised, _, _ = w.check(prop, true)
	return v, exercised
}

// check is Check. With completions it looks at what all of them have in common, if that is needed, which the last
// result is. A history that is itself one completion of what was recorded has no others.
func (w *Witness) check(prop Property, completions bool) (model.Verdict, int, fault, *possible.Timeline) {
	w.timeline.probes = 0
	v, f, exercised := model.VerdictUnknown, fault{}, 0
	if !w.blind {
		f, exercised = w.sweep(prop, replayed{w})
		switch {
		case !slices.Contains(Properties(), prop), w.timeline.spent(), f.kind == unjudged:
		case f.kind == nothing && exercised == 0:
			v = model.Vacuous
		case f.kind == nothing:
			v = model.Holds
		case !w.isOpen():
			v = model.Violated
		}
	}
	if v == model.VerdictUnknown && w.isOpen() && w.log == nil && completions {
		// The rest takes longer, and a history that holds needs none of it.
		if shared, n, t := w.inEveryCompletion(prop); shared.kind != nothing {
			return model.Violated, n, shared, t
		}
	}
	return v, exercised, f, nil
}

// isOpen reports whether the history has several completions.
func (w *Witness) isOpen() bool { return w.open || w.blind || w.history.Partial }

// sweep looks for a position of each operation that a property is about.
func (w *Witness) sweep(prop Property, c contents) (fault, int) {
	switch prop {
	case Linearizable, LinearizableData, Sequential:
		return w.ordered(prop, c)
	case Monotonic, ReadYourWrites, NotOlderThan:
		return w.session(prop, c)
	case Exact:
		return w.exact(c)
	case Pages:
		return w.pages(c)
	}
	return fault{}, 0
}

// ordered looks for a position of every write and of every read that the property claims: not
// before any that had returned when it was called or, for Sequential, not before those of the same
// client. Real time does not matter there, so the clients are independent of each other. It gives
// each the first feasible position: what comes later can only gain by it.
func (w *Witness) ordered(prop Property, c contents) (fault, int) {
	if f := c.broken(); f.kind != nothing {
		return f, 0
	}
	sequential, data := prop == Sequential, prop == LinearizableData
	first := w.history.Initial.Revision
	if sequential {
		w.resetClients()
	} else {
		w.returns.reset(w.history)
	}
	exercised := 0
	for _, i := range w.order {
		r, op := w.roles[i], &w.history.Operations[i]
		write, bound := op.Request.IsWrite(), &w.returns.bound
		switch {
		case r == ignored:
			continue
		case !sequential && (write || op.Request.Freshness == model.Consistent):
			w.returns.until(op.Call)
		case sequential && (write || op.Request.Freshness != model.Exact):
			bound = &w.clients[op.Client].seen
		default:
			continue
		}
		if !write {
			if data {
				r = spanning
			}
			if bound.revision > first {
				exercised++
			}
		}
		rev, f := w.settle(i, r, *bound, c)
		switch {
		case f.kind != nothing:
			return f, exercised
		case op.Outcome != model.Done:
			// What was given up may happen after all that its client did next.
		case sequential:
			*bound = position{revision: rev, op: i}
		default:
			w.returns.at[i] = rev
		}
	}
	return fault{}, exercised
}

// position is a place in the order of revisions, and the operation that holds it.
type position struct {
	revision int64
	op       int32
}

// settle finds the first feasible position at or after the bound.
func (w *Witness) settle(i int32, r role, bound position, c contents) (int64, fault) {
	rev := w.at[i]
	f := fault{op: i, other: bound.op, revision: rev, bound: bound.revision}
	switch r = c.role(i, r); {
	case r == observing && !c.right(i):
		f.kind = wrongAnswer
	case r == writing && rev <= bound.revision, r == observing && rev < bound.revision:
		f.kind = tooOld
	case r == spanning:
		var ok bool
		if rev, ok = c.first(i, bound.revision); !ok {
			f.kind, f.revision = nowhere, 0
		}
	}
	if f.kind != nothing {
		return 0, f
	}
	return rev, fault{}
}

// clientView is what a client may not go back behind.
type clientView struct {
	seen  position
	reads int
}

func (w *Witness) resetClients() {
	n := len(w.history.Clients)
	for i := range w.history.Operations {
		n = max(n, w.history.Operations[i].Client+1)
	}
	w.clients = slices.Grow(w.clients[:0], n)[:n]
	start := position{revision: w.history.Initial.Revision, op: -1}
	for i := range w.clients {
		w.clients[i] = clientView{seen: start}
	}
}

// returns are the operations in the order of their returns.
type returns struct {
	operations []model.Operation
	order      []int32
	// at are the positions of operations, 0 for an operation without a position.
	at []int64
	// next is the first operation of the order that has not returned, bound the newest position of the operations that
	// have returned.
	next  int
	bound position
}

func (r *returns) reset(h *model.History) {
	n := len(h.Operations)
	r.operations, r.order, r.at, r.next = h.Operations, slices.Grow(r.order[:0], n)[:n], slices.Grow(r.at[:0], n)[:n], 0
	r.bound = position{revision: h.Initial.Revision, op: -1}
	clear(r.at)
	for i := range r.order {
		r.order[i] = int32(i)
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(h.Operations[a].Return, h.Operations[b].Return), cmp.Compare(a, b))
	})
}

// until is the bound of what is called at a time: it comes behind what returned before. Equal readings are concurrent.
func (r *returns) until(call int64) position {
	for ; r.next < len(r.order) && r.operations[r.order[r.next]].Return < call; r.next++ {
		if i := r.order[r.next]; r.at[i] > r.bound.revision {
			r.bound = position{revision: r.at[i], op: i}
		}
	}
	return r.bound
}

// contents are what a sweep holds answers against: those of the store after the writes that are
// known (replayed), or what they have in common in all completions of the history (common).
type contents interface {
	// broken is what is wrong with the writes alone.
	broken() fault
	// role is how an operation finds its place.
	role(i int32, r role) role
	// known reports whether answers of a revision can be judged.
	known(rev int64) bool
	// right reports whether an answer is that of the store at its position.
	right(i int32) bool
	// first is the first revision from the bound on at which the answer of a spanning operation is
	// right.
	first(i int32, bound int64) (rev int64, ok bool)
	// after is the same for a read of a session. placed is false if its answer is right at no
	// revision.
	after(i int32, bound int64) (rev int64, ok, placed bool)
}

type replayed struct{ w *Witness }

func (c replayed) broken() fault { return c.w.broken }

func (c replayed) role(_ int32, r role) role { return r }

func (c replayed) known(rev int64) bool { return c.w.broken.kind == nothing || rev <= c.w.last }

func (c replayed) right(i int32) bool { return !c.w.bad[i] }

func (c replayed) first(i int32, bound int64) (int64, bool) { return c.w.first(i, bound) }

func (c replayed) after(i int32, bound int64) (rev int64, ok, placed bool) {
	if c.w.broken.kind != nothing {
		return 0, false, false
	}
	if rev, ok = c.w.first(i, bound); ok {
		return rev, true, true
	}
	_, placed = c.w.first(i, c.w.history.Initial.Revision)
	return 0, false, placed
}

// isRevocation reports whether it is only by the contents that a LeaseRevoke made a revision.
func (w *Witness) isRevocation(i int32) bool {
	return w.log == nil && w.history.Operations[i].Request.Kind == model.LeaseRevoke && w.history.Operations[i].Outcome == model.Done
}
