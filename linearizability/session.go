package linearizability

import (
	"math"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/model"
)

// The guarantees of one client's session. Each asks only where a read is in the
// order of revisions. Other properties compare a list with the store at its
// revision.

// after finds a read's first position at or after the bound. The second result is
// false if the read has no position at all.
func (w *Witness) after(i int32, bound int64, c contents) (rev int64, ok, placed bool) {
	if w.roles[i] == observing {
		return w.at[i], w.at[i] >= bound, true
	}
	return c.after(i, bound)
}

func isSessionRead(op *model.Operation) bool {
	return !op.Request.IsWrite() && op.Request.Freshness != model.Exact
}

// session holds each read that the property claims against what its client had seen or written before, or against the
// revision that it asks for.
func (w *Witness) session(prop Property, c contents) (fault, int) {
	w.resetClients()
	if prop == NotOlderThan {
		w.lookAhead(c)
	}
	exercised := 0
	for _, i := range w.order {
		op := &w.history.Operations[i]
		view := &w.clients[op.Client]
		if prop == ReadYourWrites && c.role(i, w.roles[i]) == writing && op.Outcome == model.Done && w.at[i] > view.seen.revision {
			view.seen = position{revision: w.at[i], op: i}
		}
		if w.roles[i] == ignored || !isSessionRead(op) {
			continue
		}
		bound, binds := view.seen, true
		switch prop {
		case Monotonic:
			view.reads++
			binds = view.reads > 1
		case ReadYourWrites:
			binds = bound.op >= 0
		case NotOlderThan:
			bound, binds = position{revision: op.Request.Revision, op: -1}, op.Request.Freshness == model.NotOlderThan
		}
		if binds {
			exercised++
		} else if prop != Monotonic {
			continue
		}
		rev, ok, placed := w.after(i, bound.revision, c)
		switch {
		case !ok && placed:
			return fault{kind: tooOld, op: i, other: bound.op, revision: w.at[i], bound: bound.revision}, exercised
		case prop == NotOlderThan && w.roles[i] == observing:
			if f := w.unmade(i); f.kind != nothing {
				return f, exercised
			}
		case ok && prop == Monotonic:
			view.seen = position{revision: rev, op: i}
		}
	}
	return fault{}, exercised
}

func (w *Witness) exact(c contents) (fault, int) {
	w.lookAhead(c)
	reads := 0
	for _, i := range w.order {
		op := &w.history.Operations[i]
		if w.roles[i] == ignored || op.Request.IsWrite() || op.Request.Freshness != model.Exact {
			continue
		}
		reads++
		if rev := op.Result.Revision; rev != 0 && rev < op.Request.Revision {
			return fault{kind: tooOld, op: i, other: -1, revision: rev, bound: op.Request.Revision}, reads
		}
		for _, f := range [...]fault{w.unmade(i), w.snapshot(i, c)} {
			if f.kind != nothing {
				return f, reads
			}
		}
	}
	return fault{}, reads
}

// lookAhead finds the lowest revision of the writes that come behind each operation in the order of their calls.
func (w *Witness) lookAhead(c contents) {
	n := len(w.order)
	w.ahead = slices.Grow(w.ahead[:0], n+1)[:n+1]
	w.ahead[n] = position{revision: math.MaxInt64, op: -1}
	for k := n - 1; k >= 0; k-- {
		i := w.order[k]
		w.ahead[k] = w.ahead[k+1]
		if rev := w.at[i]; c.role(i, w.roles[i]) == writing && rev > 0 && rev < w.ahead[k].revision {
			w.ahead[k] = position{revision: rev, op: i}
		}
	}
}

// unmade is the fault of an answer at a revision that was not made yet: its write, or that of an earlier one, was
// called only after the answer, or never.
func (w *Witness) unmade(i int32) fault {
	answered := w.history.Operations[i].Return
	k := sort.Search(len(w.order), func(k int) bool { return w.history.Operations[w.order[k]].Call > answered })
	switch ahead := w.ahead[k]; {
	case w.at[i] >= ahead.revision:
		return fault{kind: early, op: i, other: ahead.op, revision: w.at[i], bound: ahead.revision}
	case w.at[i] > w.last && w.broken.kind == nothing && !w.isOpen():
		return fault{kind: wrongAnswer, op: i, other: -1, revision: w.at[i]}
	}
	return fault{}
}

// snapshot holds the answer of an observing read against the store at its
// revision.
func (w *Witness) snapshot(i int32, c contents) fault {
	switch {
	case !c.known(w.at[i]):
		return fault{kind: unjudged, op: i}
	case !c.right(i):
		return fault{kind: wrongAnswer, op: i, other: -1, revision: w.at[i], bound: w.history.Initial.Revision}
	}
	return fault{}
}

// pages follows lists that say there is more: the same client's next list is
// their next page if it goes on right behind the last key, to the same end. A page that
// was compacted ends its list: what comes behind it may be of the newest state.
func (w *Witness) pages(c contents) (fault, int) {
	w.resetClients()
	continued := 0
	for i := range w.clients {
		w.clients[i].seen.op = -1
	}
	for _, i := range w.order {
		op := &w.history.Operations[i]
		if op.Outcome == model.Failed && op.Request.Kind == model.List && op.Result.Err == model.Compacted {
			w.clients[op.Client].seen.op = -1
			continue
		}
		if w.roles[i] != observing || op.Request.Kind != model.List {
			continue
		}
		view := &w.clients[op.Client]
		previous := view.seen.op
		view.seen.op = -1
		if previous >= 0 && w.continues(previous, i) {
			continued++
			if w.at[i] != w.at[previous] {
				return fault{kind: torn, op: i, other: previous, revision: w.at[i], bound: w.at[previous]}, continued
			}
			for _, page := range [...]int32{previous, i} {
				if f := w.snapshot(page, c); f.kind != nothing {
					return f, continued
				}
			}
		}
		if op.Result.More {
			view.seen.op = i
		}
	}
	return fault{}, continued
}

func (w *Witness) continues(page, next int32) bool {
	a, b := &w.history.Operations[page], &w.history.Operations[next]
	items := a.Result.Items
	return len(items) > 0 && a.Request.End == b.Request.End && b.Request.Key == items[len(items)-1].Key+"\x00"
}
