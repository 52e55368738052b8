package prove

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// views are what the judges see of states: the nodes on which it depends what they say
// (Subject.PastOf). Most states have the view of another one, so that the judges are asked once.
type views struct {
	// nodes are those that the judges see. If timed, they see the clock besides.
	nodes []sim.NodeID
	timed bool

	numbers intern.Pairs
	known   intern.List[intern.Once[view]]
	// steps are steps of a node to a view, judged is what was said of each.
	steps  intern.Pairs
	judged intern.List[judged]
}

type judged = intern.Once[judgement]

// view is what the judges say of states with these nodes.
type view struct {
	// past is what Subject.Past says.
	past sim.Digest
	// over is whether the run has ended, cut whether only the horizon has ended it.
	over, cut bool
	// open is what is open of the goal.
	open uint64
}

// judgement is what is said of a step: which properties it has put to the test, and what it violates.
type judgement struct {
	checked  []int
	failures []explore.Failure
}

// firstView is the number of the view of no nodes.
const firstView = 1

// begin has there be no view but that of no nodes.
func (v *views) begin(s Subject, nodes int) {
	v.timed = s.Options().Mode == sim.Timed
	for n := range sim.NodeID(nodes) {
		if s.PastOf(n) {
			v.nodes = append(v.nodes, n)
		}
	}
	v.known.Reach(firstView)
}

// on is the number of a view that has so much more: the clock, or an object.
func (v *views) on(view, more uint32) uint32 {
	v.known.Reach(firstView + v.numbers.Last() + 1)
	return firstView + v.numbers.Number(view, more)
}

// maxViews is how many are kept.
const maxViews = 1 << 19

func (v *views) isFull() bool { return v.known.Len()+v.judged.Len() > maxViews }

// viewBytes is about what a view or a judgement takes.
const viewBytes = 80

// bytes is about how much memory they take.
func (v *views) bytes() int {
	return v.numbers.Bytes() + v.known.Bytes() + v.steps.Bytes() + v.judged.Bytes() + viewBytes*(v.known.Len()+v.judged.Len())
}

// judges are those of a subject. They are asked for what no worker has asked for.
type judges struct {
	subject  Subject
	seeNodes bool
	// remembers: something is, so that a view is of a state alone, and what is said of it is not kept.
	// memory is what is remembered in the state that is asked about.
	remembers bool
	memory    any
}

// view is what is said of a state with this view. world is that of the state, made if it is needed.
func (j *judges) view(l *learned, number uint32, world func() *sim.World) *view {
	at := l.views.known.At(number)
	if x := at.Get(); x != nil && !j.remembers {
		return x
	}
	x, w := &view{}, world()
	j.adopt(w)
	x.past = j.subject.Past(sim.NewDigest)
	if j.seeNodes {
		x.look(j, w)
	}
	if j.remembers {
		return x
	}
	return at.Know(x)
}

// adopt has the subject look at a state, with what is remembered in it.
func (j *judges) adopt(w *sim.World) {
	j.subject.Adopt(w)
	if j.remembers {
		j.subject.Recall(j.memory)
	}
}

// look asks the subject, which has adopted the world.
func (x *view) look(j *judges, w *sim.World) {
	x.over, x.open = j.subject.Over(w), j.open()
	h, ends := j.subject.(Horizon)
	x.cut = ends && x.over && h.CutOff(w)
}

func (j *judges) open() uint64 {
	if g := j.subject.Goal(); g != nil {
		return g.Open()
	}
	return 0
}

// at is what is said of whether the run has ended in a state, and of the goal.
func (j *judges) at(l *learned, number uint32, world func() *sim.World) view {
	if j.seeNodes {
		return *j.view(l, number, world)
	}
	w := world()
	j.adopt(w)
	var x view
	x.look(j, w)
	return x
}

// step is what is said of a step of a node to a state with this view.
func (j *judges) step(l *learned, number uint32, a sim.Action, world func() *sim.World) *judgement {
	if !j.seeNodes {
		return j.ask(a, world())
	}
	at := l.judgedAt(number, a.Node)
	if x := at.Get(); x != nil {
		return x
	}
	return at.Know(j.ask(a, world()))
}

func (j *judges) ask(a sim.Action, w *sim.World) *judgement {
	j.adopt(w)
	said := &judgement{}
	for i, f := range j.subject.JudgeStep(w, a) {
		if f.Exercised > 0 {
			said.checked = append(said.checked, i)
		}
		if f.Verdict == model.Violated {
			said.failures = append(said.failures, f.Failure())
		}
	}
	return said
}
