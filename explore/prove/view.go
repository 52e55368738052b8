package prove

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// views are what the judges see of states: the nodes on which it depends what they say
// (Subject.PastOf). Most states have the view of another one, so that the judges are asked once.
type views struct {
	subject Subject
	// alike is nil if each node is told apart.
	alike *symmetry
	// remembers: something is, so that a view is of a state alone, and what is said of it is not kept.
	// memory is what is remembered in the state that is asked about.
	remembers bool
	memory    any
	// nodes are those that the judges see. If timed, they see the clock besides.
	nodes []sim.NodeID
	timed bool

	numbers intern.Pairs
	known   []view
	// steps are steps of a node to a view, judged is what was said of each.
	steps  intern.Pairs
	judged []judgement
}

// view is what the judges say of states with these nodes.
type view struct {
	known bool
	// past is what Subject.Past says, own what it says of each of the nodes that cannot be told apart.
	past sim.Digest
	own  []sim.Digest
	// over is whether the run has ended, cut whether only the horizon has ended it.
	over, cut bool
	// open is what is open of the goal.
	open uint64
}

// judgement is what is said of a step: which properties it has put to the test, and what it violates.
type judgement struct {
	known    bool
	checked  []int
	failures []explore.Failure
}

func newViews(s Subject, nodes int) *views {
	v := &views{subject: s, remembers: s.Remembers(), timed: s.Options().Mode == sim.Timed}
	for n := range sim.NodeID(nodes) {
		if s.PastOf(n) {
			v.nodes = append(v.nodes, n)
		}
	}
	return v
}

// firstView is the number of the view of no nodes.
const firstView = 1

// number is that of the view of a state.
func (v *views) number(p *sim.Parts, s sim.State) uint32 {
	at := uint32(firstView)
	if v.timed {
		at = firstView + v.numbers.Number(at, p.Now(s))
	}
	for _, n := range v.nodes {
		at = firstView + v.numbers.Number(at, p.Object(s, n))
	}
	return at
}

// same reports whether two states have the same view.
func (v *views) same(p *sim.Parts, a, b sim.State) bool {
	if p.Now(a) != p.Now(b) {
		return false
	}
	for _, n := range v.nodes {
		if p.Object(a, n) != p.Object(b, n) {
			return false
		}
	}
	return true
}

// of is what is said of a state with this view. world is that of the state, made if it is needed.
func (v *views) of(number uint32, world func() *sim.World) *view {
	for int(number) >= len(v.known) {
		v.known = append(v.known, view{})
	}
	x := &v.known[number]
	if x.known && !v.remembers {
		return x
	}
	w := world()
	v.adopt(w)
	if v.alike == nil {
		x.past = v.subject.Past(sim.NewDigest)
	} else {
		x.own = slices.Repeat([]sim.Digest{sim.NewDigest}, len(v.alike.members))
		x.past = v.subject.(Symmetric).PastApart(sim.NewDigest, x.own)
	}
	if v.subject.SeesNodes() {
		x.look(v, w)
	}
	x.known = true
	return x
}

// adopt has the subject look at a state, with what is remembered in it.
func (v *views) adopt(w *sim.World) {
	v.subject.Adopt(w)
	if v.remembers {
		v.subject.Recall(v.memory)
	}
}

// look asks the subject, which has adopted the world.
func (x *view) look(v *views, w *sim.World) {
	x.over, x.open = v.subject.Over(w), v.open()
	h, ends := v.subject.(Horizon)
	x.cut = ends && x.over && h.CutOff(w)
}

func (v *views) open() uint64 {
	if g := v.subject.Goal(); g != nil {
		return g.Open()
	}
	return 0
}

// at is what is said of whether the run has ended in a state, and of the goal.
func (v *views) at(number uint32, world func() *sim.World) view {
	if x := v.of(number, world); v.subject.SeesNodes() {
		return *x
	}
	w := world()
	v.adopt(w)
	var x view
	x.look(v, w)
	return x
}

// judge is what is said of a step to a state, valid until the next call.
func (v *views) judge(number uint32, a sim.Action, world func() *sim.World) *judgement {
	if !v.subject.SeesNodes() {
		j := v.ask(a, world())
		return &j
	}
	i := int(v.steps.Number(number, uint32(a.Node)))
	for i >= len(v.judged) {
		v.judged = append(v.judged, judgement{})
	}
	if j := &v.judged[i]; !j.known {
		*j = v.ask(a, world())
	}
	return &v.judged[i]
}

func (v *views) ask(a sim.Action, w *sim.World) judgement {
	v.adopt(w)
	j := judgement{known: true}
	for i, f := range v.subject.JudgeStep(w, a) {
		if f.Exercised > 0 {
			j.checked = append(j.checked, i)
		}
		if f.Verdict == model.Violated {
			j.failures = append(j.failures, f.Failure())
		}
	}
	return j
}

// maxViews is how many are kept.
const maxViews = 1 << 18

func (v *views) isFull() bool { return len(v.known)+len(v.judged) > maxViews }
