package prove

import (
	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/internal/intern"
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
	lock  intern.Lock
	parts *sim.Parts
	views views
	fired firedSets
}

// learn begins with the first state.
func learn(w *worker) (*learned, error) {
	l := &learned{}
	parts, err := sim.NewParts(w.first, values.Alike(), values.Weigh(), &l.lock)
	if err != nil {
		return nil, err
	}
	l.parts = parts
	l.views.begin(w.subject, w.first.Nodes())
	l.fired.sets.Add(nil)
	return l, nil
}

// What is learned of nodes and of the steps that they take before a search begins anew with it. A node of
// a small world has some 10 kB.
const (
	maxNodes = 1 << 14
	maxSteps = 1 << 21
)

// isFull reports whether too much is learned, or more than so many bytes.
func (l *learned) isFull(maxNodes, maxBytes int) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	nodes, steps := l.parts.Size()
	return nodes > maxNodes || steps > maxSteps || l.views.isFull() || l.bytes() > maxBytes
}

// bytes is about how much memory it takes. It is for the worker that has the lock, or is alone.
func (l *learned) bytes() int { return l.parts.Bytes() + l.views.bytes() }

// view is the number of the view of a state.
func (l *learned) view(s sim.State) uint32 {
	at := uint32(firstView)
	if l.views.timed {
		at = l.viewOn(at, l.parts.Now(s))
	}
	for _, n := range l.views.nodes {
		at = l.viewOn(at, l.parts.Object(s, n))
	}
	return at
}

// viewOn is the number of a view that has so much more.
func (l *learned) viewOn(view, more uint32) uint32 {
	if next := l.views.numbers.Find(view, more); next != 0 {
		return firstView + next
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.views.on(view, more)
}

// haveOneView reports whether two states have the same view.
func (l *learned) haveOneView(a, b sim.State) bool {
	if l.parts.Now(a) != l.parts.Now(b) {
		return false
	}
	for _, n := range l.views.nodes {
		if l.parts.Object(a, n) != l.parts.Object(b, n) {
			return false
		}
	}
	return true
}

// judgedAt is where it is kept what is said of a step of a node to a view.
func (l *learned) judgedAt(view uint32, n sim.NodeID) *judged {
	number := l.views.steps.Find(view, uint32(n))
	if number == 0 {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.views.judged.Reach(l.views.steps.Last() + 1)
		number = l.views.steps.Number(view, uint32(n))
	}
	return l.views.judged.At(number)
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
