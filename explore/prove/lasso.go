package prove

import (
	"errors"
	"slices"

	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/fair"
	"github.com/watchbed/watchbed/sim"
)

// lasso makes the schedule that leads to a knot and once around in it, such that each event
// that is owed a turn at the entry has it. loop is the length of the way around.
func (w *worker) lasso(g *graph, k *knot) (path *Path, loop int, err error) {
	if err := w.goTo(k.entry); err != nil {
		return nil, 0, err
	}
	l := &looper{worker: w, graph: g, knot: k, at: k.entry, here: w.path[len(w.path)-1]}
	l.owed = fair.Owed(nil, l.here.world)
	for len(l.owed) > 0 {
		if len(l.steps) > longestLoop {
			return nil, 0, errNoWay
		}
		if err := l.take(l.way(l.serves)); err != nil {
			return nil, 0, err
		}
	}
	for l.at != k.entry {
		if err := l.take(l.way(func(_ uint32, e edge) bool { return e.to == k.entry })); err != nil {
			return nil, 0, err
		}
	}
	stem := w.tree.path(k.entry)
	return &Path{steps: append(stem, l.steps...)}, len(l.steps), nil
}

// longestLoop is far beyond what gives each event of a state its turn.
const longestLoop = 10_000

// looper goes around in a knot.
type looper struct {
	worker *worker
	graph  *graph
	knot   *knot
	at     uint32
	here   place
	steps  []step
	// owed are the events of the entry that have not had their turn.
	owed []sim.Action
}

// serves reports whether a step takes a thread that is owed a turn, or leads to where one is
// not enabled.
func (l *looper) serves(_ uint32, e edge) bool {
	for _, a := range l.owed {
		t := threadOf(l.here.world, a)
		if e.thread == t || !l.graph.states[e.to].enables(t) {
			return true
		}
	}
	return false
}

// way is a shortest way inside the knot from where the looper is, up to and with the first
// step that will do.
func (l *looper) way(will func(from uint32, e edge) bool) []edge {
	type hop struct {
		before int
		edge   edge
	}
	hops, seen := []hop{{-1, edge{to: l.at}}}, map[uint32]bool{l.at: true}
	for i := 0; i < len(hops); i++ {
		from := hops[i].edge.to
		for _, e := range l.graph.states[from].edges {
			if !l.knot.inside[e.to] {
				continue
			}
			if will(from, e) {
				way := []edge{e}
				for ; hops[i].before >= 0; i = hops[i].before {
					way = append(way, hops[i].edge)
				}
				slices.Reverse(way)
				return way
			}
			if !seen[e.to] {
				seen[e.to] = true
				hops = append(hops, hop{i, e})
			}
		}
	}
	return nil
}

var errNoWay = errors.New("internal error: a loop that was found cannot be gone around; please report this with the command")

// take goes a way.
func (l *looper) take(way []edge) error {
	if way == nil {
		return errNoWay
	}
	for _, e := range way {
		if err := l.hop(e); err != nil {
			return err
		}
	}
	return nil
}

// hop takes a step of this thread to this state. The worlds of a state number what can
// happen in different ways, so the step is looked for.
func (l *looper) hop(e edge) error {
	for i, a := range l.here.world.Enabled() {
		if threadOf(l.here.world, a) != e.thread {
			continue
		}
		var given answers.Combination
		for more := true; more; more = given.Next() {
			next, err := l.worker.take(&l.here, a, &given)
			if err != nil {
				return err
			}
			key, err := l.worker.key(&next)
			if err != nil {
				return err
			}
			if nonzero(key) != l.graph.keys[e.to] {
				continue
			}
			taken, err := newStep(i, &given)
			if err != nil {
				return err
			}
			l.steps = append(l.steps, taken)
			l.at, l.here = e.to, next
			l.owed = slices.DeleteFunc(l.owed, func(o sim.Action) bool { return !slices.Contains(next.world.Enabled(), o) })
			return nil
		}
	}
	return errNoWay
}
