package linearizability

import (
	"github.com/watchbed/watchbed/linearizability/possible"
	"github.com/watchbed/watchbed/model"
)

// A completion of a history says of each write of unknown outcome whether it took effect, and at
// which revision. The history holds if it does in one completion, and is violated if it is in each.
// This file is about the latter, which has one rule: an answer is wrong in every completion if
// nothing that is possible in any of them gives it (package possible). The sweep for positions is
// the same as for contents that are known. What seems possible is never less than what is, so that
// an operation that finds no position there finds none in any completion.

// inEveryCompletion finds a fault that the loaded history has in all of its completions.
func (w *Witness) inEveryCompletion(prop Property) (fault, int, *possible.Timeline) {
	c := common{w: w}
	switch prop {
	case Linearizable, LinearizableData, Sequential, Exact:
		c.Timeline = possible.New(w.history, possible.Order{
			Claims: prop.Claims, ReadsAtRevision: prop != LinearizableData,
			RealTime: prop == Linearizable || prop == LinearizableData, Behind: w.behind(prop),
		})
	}
	f, exercised := w.sweep(prop, c)
	f.shared = true
	return f, exercised, c.Timeline
}

// common is what all completions have in common. Without a Timeline, that is the revisions that
// answers name, and nothing of the contents.
type common struct {
	w *Witness
	*possible.Timeline
}

func (c common) broken() fault {
	f := c.Fault
	switch f.Kind {
	case possible.Taken:
		return fault{kind: revisionTaken, op: int32(f.Operation), revision: f.Revision}
	case possible.Idle:
		if c.w.history.Operations[f.Operation].Outcome == model.Unknown {
			// No answer says that it changed the store: that its revision was made does.
			return fault{kind: revisionMissing, op: c.w.above(f.Revision), revision: f.Revision}
		}
		return fault{kind: wrongAnswer, op: int32(f.Operation), revision: f.Revision - 1}
	case possible.Unmade:
		return fault{kind: revisionMissing, op: c.w.above(f.Revision), revision: f.Revision}
	}
	return fault{}
}

// role of a LeaseRevoke is one of which it does not matter whether it made its revision: that is
// what contents say. A write without a revision has its place between others.
func (c common) role(i int32, r role) role {
	switch {
	case r == writing && c.w.at[i] == 0:
		return spanning
	case c.w.isRevocation(i):
		return observing
	}
	return r
}

func (c common) known(int64) bool { return true }

func (c common) right(i int32) bool {
	return c.Timeline == nil || c.Spent() || !c.Impossible[int(i)]
}

func (c common) first(i int32, bound int64) (int64, bool) {
	op := &c.w.history.Operations[i]
	switch {
	case c.Spent():
		return bound, true
	case !op.Request.IsWrite():
		return c.First(op, bound)
	case op.Request.Changed(op.Result):
		return c.HoleBehind(bound), true
	}
	return bound, true
}

// after does not place a read without a revision: in some completion its answer may be right at no
// revision, and binds nothing.
func (c common) after(int32, int64) (rev int64, ok, placed bool) { return 0, false, false }

// behind is, for each operation, the newest revision named by the answers of the operations that
// every order has before it.
func (w *Witness) behind(prop Property) []int64 {
	behind := make([]int64, len(w.order))
	first := w.history.Initial.Revision
	w.returns.reset(w.history)
	w.resetClients()
	for _, i := range w.order {
		op := &w.history.Operations[i]
		seen := &w.clients[op.Client].seen.revision
		realTime := w.returns.until(op.Call)
		behind[i] = first
		switch prop {
		case Linearizable, LinearizableData:
			behind[i] = realTime.revision
		case Sequential:
			behind[i] = *seen
		}
		if op.Outcome != model.Done || !prop.Claims(op) {
			continue
		}
		rev := int64(0)
		if op.Request.IsWrite() || prop != LinearizableData {
			rev = op.Result.Revision
		}
		for _, it := range op.Result.Items {
			rev = max(rev, it.ModRevision)
		}
		*seen = max(*seen, rev)
		w.returns.at[i] = rev
	}
	return behind
}

// above is an operation that shows that a revision was made: the write of the next one that is
// known, or else the answer of the next one, -1 if no answer names one.
func (w *Witness) above(rev int64) int32 {
	if at := searchWrites(w.writes, rev+1); at < len(w.writes) {
		return w.writes[at].index
	}
	if at := searchWrites(w.points, rev); at < len(w.points) {
		return w.points[at].index
	}
	return -1
}
