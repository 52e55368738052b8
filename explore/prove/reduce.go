package prove

import (
	"errors"

	"github.com/watchbed/watchbed/explore/ample"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/sim"
)

// Reducible is an optional capability of a subject: it says which steps its judges see.
type Reducible interface {
	// IsJudged reports whether anything is judged after a step of a node. Its steps are seen.
	IsJudged(n sim.NodeID) bool
	// Seen is what judges see of a node that is not judged (SeesNodes): they see a step that changes it.
	Seen(n sim.NodeID, x sim.Node) sim.Digest
}

// reduction is what a search with ample sets has beside others.
type reduction struct {
	threads *ample.Threads
	// ahead has the keys of the layer after the one that is expanded.
	ahead *visited
	// states is in how many a part of the steps was taken for all, restarts how often the search started over.
	states, restarts int
}

func newReduction(f keyForm) *reduction {
	return &reduction{threads: ample.NewThreads(), ahead: newVisited(f)}
}

// add adds what was seen in a batch. It reports whether what was taken for granted still holds.
func (r *reduction) add(found []*chunk) bool {
	seen := ample.NewSeen()
	for _, c := range found {
		seen.Add(c.saw)
		r.states += c.reduced
	}
	return r.threads.Add(seen)
}

// advance goes on to the next layer.
func (r *reduction) advance() { *r.ahead = *newVisited(r.ahead.form) }

// errStartOver is what a layer ends with in which a thread did what it had been taken never to do.
var errStartOver = errors.New("start over")

// startOver has the search know nothing but the first state, and what threads do.
func (s *search) startOver() {
	*s.tree, *s.visited = *newTree(s.form), *newVisited(s.form)
	s.visited.add(s.root)
	s.reduction.advance()
	s.reduction.states = 0
	s.reduction.restarts++
	s.frontier = frontier{most: s.frontier.most}
	for _, w := range s.workers {
		w.path = w.path[:1]
	}
	// The first layer comes next.
	s.first, s.last, s.done, s.depth = 0, 1, 0, -1
	s.transitions, s.left, s.ended, s.rested, s.cut = 0, 0, 0, 0, 0
	clear(s.stopped)
	clear(s.checked)
}

// canReduce says why a search cannot take some steps for all.
func canReduce(s Subject, cfg *Config, alike bool) error {
	_, says := s.(Reducible)
	switch {
	case s.Options().Mode == sim.Timed:
		return errors.New("--reduce ample is for runs without a clock: with one, what is due first happens first, and nothing can be put off")
	case s.Goal() != nil:
		return errors.New("--reduce ample leaves out schedules that go on for ever, and a claim here is about what must come sooner or later")
	case !says || !s.SeesNodes():
		return errors.New("--reduce ample is for claims about what clients recorded, and one of these claims is about steps of other nodes, about what was so when a client asked, or about where nothing more can happen")
	case cfg.Bounds.Depth > 0:
		return errors.New("--reduce ample comes to some states on a longer way, so that --depth would leave out others than without")
	case cfg.Keep != nil:
		return errors.New("--reduce ample may start over, and a search that is kept (--keep) goes on where it was")
	case alike:
		return errors.New("--reduce ample tells all clients apart, and some of these have the same plan: add --no-symmetry")
	}
	return nil
}

// reducer is what a worker has for it.
type reducer struct {
	subject Reducible
	chooser *ample.Chooser
	ahead   *visited
	// saw is what judges see of a node, by its number.
	saw map[uint32]sim.Digest
	// offered are the steps out of the state, by their places among those that are enabled.
	offered []offered
}

type offered struct {
	place  int
	action sim.Action
	thread sim.Cell
}

// isAhead reports whether a state that was found before belongs to the layer after the one that is expanded.
func (r *reducer) isAhead(k key) bool {
	known, _ := r.ahead.has(k)
	return known
}

// reduced takes some of the steps that are offered out of the state that was entered. If none of them leads to a state
// that is still to be expanded, it takes the others, too: what they put off would be put off for ever.
func (w *worker) reduced(c *chunk) {
	r := w.reducer
	chosen, ok := w.choose(c)
	c.ahead = false
	for _, o := range r.offered {
		if !ok || r.chooser.Has(chosen, o.thread) {
			w.combinations(c, o.place, o.action)
		}
	}
	switch {
	case !ok:
	case c.ahead:
		c.reduced++
	default:
		for _, o := range r.offered {
			if !r.chooser.Has(chosen, o.thread) {
				w.combinations(c, o.place, o.action)
			}
		}
	}
}

// choose looks at all steps that are offered, and chooses some. ok is false if all are to be taken.
func (w *worker) choose(c *chunk) (chosen ample.Chosen, ok bool) {
	r := w.reducer
	r.chooser.Begin()
	from := w.at
	w.learned.parts.EachLane(from.parts, func(thread sim.Cell, held bool) { r.chooser.Lane(c.saw, thread, held) })
	for _, f := range *w.learned.fired.sets.At(from.fired) {
		if f.times >= w.counter.bounds.Firings {
			r.chooser.Spent(sim.TimerThread(f.timer.node, f.timer.number))
		}
	}
	for i := range r.offered {
		o := &r.offered[i]
		var several bool
		o.thread, several = w.learned.parts.Thread(from.parts, o.action)
		var given answers.Combination
		for more := true; more; more = given.Next() {
			next, panicked := w.tryStep(o.action, &given)
			if panicked != nil {
				return chosen, false
			}
			ends := next.view != from.view && w.judges.at(w.learned, next.view, w.worldThere).over
			r.chooser.Offer(c.saw, o.thread, several, w.learner.Touched(), w.sees(from.parts, next.parts, o.action), ends)
		}
	}
	// A fault may strike whenever its world says so, and touches everything.
	if w.learned.parts.Faults(from.parts) {
		return chosen, false
	}
	return r.chooser.Choose(c.saw)
}

// sees reports whether judges see a step.
func (w *worker) sees(from, to sim.State, a sim.Action) bool {
	if w.reducer.subject.IsJudged(a.Node) {
		return true
	}
	for _, n := range w.learned.views.nodes {
		x, y := w.learned.parts.Object(from, n), w.learned.parts.Object(to, n)
		if x != y && (w.reducer.subject.IsJudged(n) || w.reducer.seen(w.learned, n, x) != w.reducer.seen(w.learned, n, y)) {
			return true
		}
	}
	return false
}

func (r *reducer) seen(l *learned, n sim.NodeID, object uint32) sim.Digest {
	d, known := r.saw[object]
	if !known {
		d = r.subject.Seen(n, l.parts.NodeOf(object))
		r.saw[object] = d
	}
	return d
}
