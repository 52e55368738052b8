package linearizability

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

// firstAnswer finds the first answer with which no order of the operations fits: those
// up to the one before have an order. It returns -1 if porcupine finds the history in
// order, or gives up.
func (p *Porcupine) firstAnswer(h *model.History, log *model.Log, prop Property, budget int) int {
	var answered []int
	for i := range h.Operations {
		if h.Operations[i].Outcome != model.Unknown {
			answered = append(answered, i)
		}
	}
	slices.SortFunc(answered, func(a, b int) int { return cmp.Compare(h.Operations[a].Return, h.Operations[b].Return) })
	spent := false
	n := sort.Search(len(answered), func(n int) bool {
		v, _ := p.Check(upTo(h, h.Operations[answered[n]].Return), log, prop, budget)
		spent = spent || v == model.VerdictUnknown
		return v == model.Violated
	})
	if spent || n == len(answered) {
		return -1
	}
	return answered[n]
}

// upTo is what was recorded up to a time: what was answered later is not answered
// yet.
func upTo(h *model.History, tick int64) *model.History {
	part := &model.History{Clients: h.Clients, Initial: h.Initial}
	for _, op := range h.Operations {
		if op.Call > tick {
			continue
		}
		if op.Outcome != model.Unknown && op.Return > tick {
			op.Outcome, op.Result, op.Return = model.Unknown, nil, math.MaxInt64
		}
		part.Operations = append(part.Operations, op)
	}
	return part
}

// firstUnexplained makes the explanation of a history that no order fits one of the
// first answer with which that is so.
func (e *Explanation) firstUnexplained(w *Witness, op int, lost bool) {
	*e = Explanation{Property: e.Property, Anomaly: Unexplained, Operation: op, Because: -1, Write: -1}
	answer := &w.history.Operations[op]
	e.begin(operation(op), answer.Server)
	if answer.Outcome == model.Failed {
		e.Because = w.shownBy(op)
		e.say(" is refused, which")
	} else if e.showsRefused(w, answer.Result.Items); answer.Result.Revision > 0 {
		e.Revision = answer.Result.Revision
		e.say(" is of revision %d, which", e.Revision)
	} else {
		e.say(" has an answer that")
	}
	e.say(" is the first answer with which no order of the operations fits")
	if lost || LosesWrites(w.history) {
		e.say(", whether or not the writes with unknown outcome took effect")
	}
	if e.Because >= 0 {
		e.say("; %s shows its effect", operation(e.Because))
	}
	if e.Write >= 0 {
		e.say("; it shows key %q as %q, as %s would have made it, which was refused", e.Key, e.Got.Value, operation(e.Write))
	}
	e.Sentence = e.Say(w.name)
}

// shownBy is the first read that shows what a write has made, -1 if none does.
func (w *Witness) shownBy(write int) int {
	r := w.history.Operations[write].Request
	return slices.IndexFunc(w.history.Operations, func(op model.Operation) bool {
		return op.Outcome == model.Done && slices.ContainsFunc(op.Result.Items, func(it *model.Item) bool { return puts(r, it) })
	})
}

// showsRefused finds an item of an answer that a refused write would have made, and no other.
func (e *Explanation) showsRefused(w *Witness, shown []*model.Item) {
	for _, it := range shown {
		made := func(refused bool) int {
			return slices.IndexFunc(w.history.Operations, func(op model.Operation) bool {
				return (op.Outcome == model.Failed) == refused && puts(op.Request, it)
			})
		}
		if write := made(true); write >= 0 && made(false) < 0 {
			e.Key, e.Got, e.Write = it.Key, copyOf(it), write
			return
		}
	}
}

// puts reports whether a request can have put an item with this value.
func puts(r *model.Request, it *model.Item) bool {
	return items.Any(r, func(r *model.Request) bool {
		return r.Kind == model.Put && r.Key == it.Key && (r.IgnoreValue || r.Value == it.Value)
	})
}

// fault is what the witness found. It is small because the witness runs after
// every schedule; only a violation is explained later.
type fault struct {
	kind faultKind
	// op is the operation at fault. other is the operation that forces op to be
	// later, -1 if there is none.
	op, other int32
	// revision is the position that the operation claims for itself, bound the
	// minimum.
	revision, bound int64
	// shared: the history has it in every completion.
	shared bool
}

type faultKind uint8

const (
	nothing faultKind = iota
	// unjudged: the contents needed to judge are not known.
	unjudged
	// revisionTaken: two writes made the same revision, or a write made a revision
	// from before the history.
	revisionTaken
	// revisionMissing: no operation made a revision below this one.
	revisionMissing
	// contradicted: after this write the writes of the log cannot have happened
	// as they did.
	contradicted
	// early: a write that was called after the answer made its revision, or an earlier one.
	early
	// tooOld: the position is before the bound.
	tooOld
	// wrongAnswer: the store at the position answers otherwise.
	wrongAnswer
	// nowhere: the store answers otherwise at every position from the bound on.
	nowhere
	// torn: two pages of one list are of different revisions.
	torn
)

// Kept is something of a history that later verdicts depend on: what an operation of a
// client must not be answered from before.
type Kept struct {
	// Client is an index into History.Clients, -1 for all of them.
	Client int
	// Operation is the number of one of the client's operations, counted from 0; -1 for all
	// that are still to be called.
	Operation int
	Revision  int64
}

// Past appends what the verdict on a property still depends on, of the loaded history, if
// that is extended by what comes after it. The history has to hold so far: positions are
// those of the sweep, each the first feasible one. Two histories of which Past is equal,
// and the store and the open operations too, hold together or are violated together
// however they go on.
func (w *Witness) Past(to []Kept, p Property) []Kept {
	switch p {
	case Linearizable, LinearizableData:
		return w.pastInRealTime(w.pastWrites(to), p == LinearizableData)
	case Sequential:
		return w.pastOfSessions(w.pastWrites(to), Sequential.Claims)
	case Monotonic:
		return w.pastOfSessions(to, isSessionRead)
	case ReadYourWrites:
		return w.pastOfSessions(to, func(op *model.Operation) bool { return op.Request.IsWrite() })
	case Pages:
		return w.pastPages(to)
	}
	// Each read is judged alone.
	return to
}

// pastWrites is which revisions writes were answered with: no later one may have them.
func (w *Witness) pastWrites(to []Kept) []Kept {
	w.eachOfClients(func(i int32, n int) {
		if op := &w.history.Operations[i]; w.roles[i] == writing && op.Outcome == model.Done {
			to = append(to, Kept{op.Client, n, w.at[i]})
		}
	})
	return to
}

// eachOfClients visits operations in the order of their calls, with the number of each
// among those of its client.
func (w *Witness) eachOfClients(visit func(i int32, n int)) {
	w.resetClients()
	for _, i := range w.order {
		view := &w.clients[w.history.Operations[i].Client]
		visit(i, view.reads)
		view.reads++
	}
}

// pastInRealTime is, for each operation that is open and for all later ones, the newest
// position of what had returned when it was called.
func (w *Witness) pastInRealTime(to []Kept, data bool) []Kept {
	w.returns.reset(w.history)
	w.eachOfClients(func(i int32, n int) {
		op := &w.history.Operations[i]
		bound := w.returns.until(op.Call)
		write := op.Request.IsWrite()
		switch {
		case !write && op.Request.Freshness != model.Consistent:
		case op.Outcome == model.Unknown:
			to = append(to, Kept{op.Client, n, bound.revision})
		case w.roles[i] != ignored:
			r := w.roles[i]
			if data && !write {
				r = spanning
			}
			if rev, f := w.settle(i, r, bound, replayed{w}); f.kind == nothing {
				w.returns.at[i] = rev
			}
		}
	})
	newest := w.history.Initial.Revision
	for _, rev := range w.returns.at {
		newest = max(newest, rev)
	}
	return append(to, Kept{-1, -1, newest})
}

// pastOfSessions is, for each client, the newest position of its operations that count.
func (w *Witness) pastOfSessions(to []Kept, counts func(*model.Operation) bool) []Kept {
	w.resetClients()
	for _, i := range w.order {
		op := &w.history.Operations[i]
		if w.roles[i] == ignored || op.Outcome != model.Done || !counts(op) {
			continue
		}
		seen := &w.clients[op.Client].seen.revision
		if w.roles[i] == writing {
			*seen = max(*seen, w.at[i])
		} else if rev, ok, _ := w.after(i, *seen, replayed{w}); ok {
			*seen = max(*seen, rev)
		}
	}
	for c := range w.clients {
		if seen := w.clients[c].seen.revision; seen > w.history.Initial.Revision {
			to = append(to, Kept{c, -1, seen})
		}
	}
	return to
}

// pastPages is, for each client whose last list says that there is more, the revision of
// that page.
func (w *Witness) pastPages(to []Kept) []Kept {
	w.resetClients()
	for c := range w.clients {
		w.clients[c].seen.revision = 0
	}
	for _, i := range w.order {
		if op := &w.history.Operations[i]; w.roles[i] == observing && op.Request.Kind == model.List {
			view := &w.clients[op.Client]
			if view.seen.revision = 0; op.Result.More {
				view.seen.revision = w.at[i]
			}
		}
	}
	for c := range w.clients {
		if page := w.clients[c].seen.revision; page > 0 {
			to = append(to, Kept{c, -1, page})
		}
	}
	return to
}
