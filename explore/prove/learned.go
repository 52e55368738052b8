package prove

import (
	"sync/atomic"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// learned is what the workers of a search have learned of the subject: the parts of its states with the
// steps between them, what the judges say of them, and which timers have fired on the way. All workers
// share it. They read it without a lock, and take the lock to add to it. A step is carried out, and nodes are
// compared, without the lock.
//
// What it has depends on which worker came first, and so do its numbers. Nothing that a search results in
// depends on them.
type learned struct {
	parts *Store
	lock  intern.Lock
	// seen are the nodes that the judges see. If timed, they see the clock besides.
	seen  []sim.NodeID
	timed bool
	// views are what judges say of states, by the clock and the nodes, judged what they say of a step of a node to a
	// view.
	views  intern.Table[atomic.Pointer[view]]
	judged intern.Table[atomic.Pointer[judgement]]
	fired  firedSets
}

// firstView is the number of the view of no nodes: of the first pair, whose own first number no pair has.
const firstView = 1

// learn begins with the first state.
func learn(w *worker) (*learned, error) {
	parts, err := NewStore(w.first)
	if err != nil {
		return nil, err
	}
	l := &learned{parts: parts, timed: w.starts}
	for n := range sim.NodeID(w.first.Nodes()) {
		if w.subject.IsMonitored(n) {
			l.seen = append(l.seen, n)
		}
	}
	l.views.Number(1<<31, 0)
	l.fired.sets.Add(nil)
	return l, nil
}

// What is learned of nodes and of the steps that they take before a search begins anew with it. A node of
// a small world has some 10 kB.
const (
	maxNodes = 1 << 14
	maxSteps = 1 << 21
	maxViews = 1 << 19
)

// viewBytes is about what a view or a judgement takes.
const viewBytes = 80

// isFull reports whether too much is learned, or more than so many bytes.
func (l *learned) isFull(maxNodes, maxBytes int) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	nodes, steps := l.parts.Size()
	return nodes > maxNodes || steps > maxSteps || l.views.Len()+l.judged.Len() > maxViews || l.bytes() > maxBytes
}

// bytes is about how much memory it takes. It is for the worker that has the lock, or is alone.
func (l *learned) bytes() int {
	return l.parts.Bytes() + l.views.Bytes() + l.judged.Bytes() + viewBytes*(l.views.Len()+l.judged.Len())
}

// view is the number of the view of a state.
func (l *learned) view(s State) uint32 {
	at := uint32(firstView)
	if l.timed {
		at = l.viewOn(at, l.parts.Now(s))
	}
	for _, n := range l.seen {
		at = l.viewOn(at, l.parts.Object(s, n))
	}
	return at
}

// viewOn is the number of a view that has so much more: the clock, or an object.
func (l *learned) viewOn(view, more uint32) uint32 {
	if next := l.views.Find(view, more); next != 0 {
		return next
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.views.Number(view, more)
}

// haveOneView reports whether two states have the same view.
func (l *learned) haveOneView(a, b State) bool {
	if l.parts.Now(a) != l.parts.Now(b) {
		return false
	}
	for _, n := range l.seen {
		if l.parts.Object(a, n) != l.parts.Object(b, n) {
			return false
		}
	}
	return true
}

// judgedAt is where it is kept what is said of a step of a node to a view.
func (l *learned) judgedAt(view uint32, n sim.NodeID) *atomic.Pointer[judgement] {
	number := l.judged.Find(view, uint32(n))
	if number == 0 {
		l.lock.Lock()
		defer l.lock.Unlock()
		number = l.judged.Number(view, uint32(n))
	}
	return l.judged.At(number)
}

// firedAnd is the number of what has fired with one firing more.
func (l *learned) firedAnd(set uint32, t timer) uint32 {
	if next := l.fired.after(set, t); next != 0 {
		return next
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.fired.and(set, t)
}

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
