package story

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
)

// about is what a violation is about, found again in the trace.
type about struct {
	// clients are those that it is about; nil is all of them.
	clients map[string]bool
	// ends are the steps at which it came to light. The story is what led to them.
	ends []int
	// revision is that of the change which is not shown, key the one where the
	// answer is wrong; both are empty if that is not what is wrong.
	revision int64
	key      string
	// asked is the step at which the operation at fault began, wrong the one at
	// which its answer arrived, missed the one that made what the answer does not
	// show; -1 is none.
	asked, wrong, missed int
}

// aboutFinding finds out what the finding is about, from the explanation as a
// value.
func (r *Run) aboutFinding() about {
	a := about{asked: -1, wrong: -1, missed: -1}
	switch why := r.finding.Why.(type) {
	case *linearizability.Explanation:
		a.answer(r, why)
	case *model.WatchViolation:
		a.show(r)
		a.miss(r, why.Revision)
		a.key = why.Key
	case explore.Concerned:
		a.concern(r, why.Concerns())
	default:
		a.show(r)
	}
	if len(a.ends) == 0 {
		a.end(len(r.Trace.Steps) - 1)
	}
	return a
}

// answer: the answer of an operation is wrong.
func (a *about) answer(r *Run, e *linearizability.Explanation) {
	for _, op := range []int{e.Operation, e.Because, e.Write} {
		if op < 0 {
			continue
		}
		a.operation(r, op)
		if op != e.Operation {
			continue
		}
		a.asked, a.wrong = r.operation(op)
		a.key = e.Key
		if request := r.History.Operations[op].Request; a.key == "" && request.IsWrite() {
			a.key = request.Key
		}
	}
	a.miss(r, e.WriteRevision)
}

// concern: the explanation names what it is about.
func (a *about) concern(r *Run, c explore.Concern) {
	a.key = c.Key
	op := slices.IndexFunc(r.History.Operations, func(op model.Operation) bool {
		return c.Call > 0 && op.Call == c.Call
	})
	if op >= 0 {
		a.operation(r, op)
		a.asked, a.wrong = r.operation(op)
	} else {
		a.show(r)
	}
	a.miss(r, c.Revision)
}

// operation: the violation is about this one and its client.
func (a *about) operation(r *Run, op int) {
	if a.clients == nil {
		a.clients = map[string]bool{}
	}
	a.clients[r.History.Clients[r.History.Operations[op].Client]] = true
	call, answer := r.operation(op)
	a.end(call)
	a.end(answer)
}

// show: no operation is at fault; the violation is where it first shows.
func (a *about) show(r *Run) {
	a.wrong = r.shows
	a.end(a.wrong)
}

// miss: the change that etcd made at a revision is not shown, or not rightly; 0
// is none.
func (a *about) miss(r *Run, revision int64) {
	if revision == 0 {
		return
	}
	a.revision, a.missed = revision, r.made(revision)
	a.end(a.missed)
}

func (a *about) end(step int) {
	if step >= 0 {
		a.ends = append(a.ends, step)
	}
}

// names reports whether a note is about the change that is not shown.
func (a *about) names(n sim.Note) bool {
	s, ok := n.(sim.Subject)
	if !ok {
		return false
	}
	of := s.About()
	return a.revision != 0 && of.Revision == a.revision || a.key != "" && of.Key == a.key
}

// made finds the step at which etcd made a revision, -1 if it never did.
func (r *Run) made(revision int64) int {
	for i := range r.Trace.Steps {
		for _, x := range r.Trace.Steps[i].Accesses {
			if x.Write && x.Cell.Kind == etcd.CellRevision && x.Cell.Item == revision {
				return i
			}
		}
	}
	return -1
}

// operation finds the steps at which a client began an operation of the history
// and heard of its outcome; -1 is never. Both take a tick.
func (r *Run) operation(op int) (call, answer int) {
	call = r.Trace.AtTick(r.History.Operations[op].Call)
	if call < 0 {
		return -1, -1
	}
	for i := call + 1; i < len(r.Trace.Steps); i++ {
		if s := &r.Trace.Steps[i]; s.Node == r.Trace.Steps[call].Node && ticks(s.Accesses) {
			return call, i
		}
	}
	return call, -1
}

func ticks(accesses []sim.Access) bool {
	return slices.ContainsFunc(accesses, func(a sim.Access) bool { return a.Write && a.Cell.Kind == sim.CellTicks })
}
