package prove

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// A view is the nodes of a state on which it depends what the judges say (Subject.IsMonitored), and in a timed run the
// clock. Most states have the view of another one, so that the judges are asked once.

// view is what the judges say of states with these nodes.
type view struct {
	// past is what Subject.Monitors says.
	past sim.Digest
	// over is whether the run has ended, cut whether only the horizon has ended it.
	over, cut bool
	// open is what is open of the liveness property.
	open uint64
}

// judgement is what is said of a step: which properties it has put to the test, and what it violates.
type judgement struct {
	checked  []int
	failures []explore.Failure
}

// view is what is said of a state with this view. world is that of the state, made if it is needed. If something is
// remembered, a view is of a state alone, and what is said of it is not kept.
func (w *worker) view(number uint32, world func() *sim.World) *view {
	at := w.learned.views.At(number)
	if x := at.Load(); x != nil && !w.remembers {
		return x
	}
	x, there := &view{}, world()
	w.adopt(there)
	x.past = w.subject.Monitors(sim.NewDigest)
	if w.seesNodes {
		w.look(x, there)
	}
	if !w.remembers {
		at.Store(x)
	}
	return x
}

// adopt has the subject look at a state, with what is remembered in it.
func (w *worker) adopt(world *sim.World) {
	w.subject.Adopt(world)
	if w.remembers {
		w.subject.Recall(w.memory)
	}
}

// look asks the subject, which has adopted the world, whether the run has ended, and of the liveness property.
func (w *worker) look(x *view, world *sim.World) {
	x.over = w.subject.Over(world)
	if w.liveness != nil {
		x.open = w.liveness.Open()
	}
	h, ends := w.subject.(Horizon)
	x.cut = ends && x.over && h.CutOff(world)
}

// outlook is what is said of whether the run has ended in a state, and of the liveness property.
func (w *worker) outlook(number uint32, world func() *sim.World) (x view) {
	if w.seesNodes {
		return *w.view(number, world)
	}
	w.adopt(world())
	w.look(&x, world())
	return x
}

// judge is what is said of a step of a node to a state with this view.
func (w *worker) judge(number uint32, a sim.Action, world func() *sim.World) *judgement {
	if !w.seesNodes {
		return w.ask(a, world())
	}
	at := w.learned.judgedAt(number, a.Node)
	x := at.Load()
	if x == nil {
		// Another worker may say the same meanwhile.
		x = w.ask(a, world())
		at.Store(x)
	}
	return x
}

func (w *worker) ask(a sim.Action, world *sim.World) *judgement {
	w.adopt(world)
	said := &judgement{}
	for i, f := range w.subject.JudgeStep(world, a) {
		if f.Exercised > 0 {
			said.checked = append(said.checked, i)
		}
		if f.Verdict == model.Violated {
			said.failures = append(said.failures, f.Failure())
		}
	}
	return said
}
