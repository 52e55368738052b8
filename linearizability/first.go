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
