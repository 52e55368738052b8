package prove

import (
	"errors"
	"slices"

	"github.com/watchbed/watchbed/explore/answers"
)

// lasso makes the schedule that leads to a knot and once around in it, such that each thread
// has a turn. loop is the length of the way around.
func (w *worker) lasso(g *graph, k *knot) (path *Path, loop int, err error) {
	entry, err := w.goTo(k.entry)
	if err != nil {
		return nil, 0, err
	}
	l := &looper{worker: w, graph: g, knot: k, at: k.entry, here: kept(entry), taken: map[thread]bool{}}
	for {
		way := l.way(func(e edge) bool { return e.thread != 0 && !l.taken[e.thread] })
		if way == nil {
			break
		}
		if err := l.take(way); err != nil {
			return nil, 0, err
		}
	}
	for l.at != k.entry {
		if err := l.take(l.way(func(e edge) bool { return e.to == k.entry })); err != nil {
			return nil, 0, err
		}
	}
	stem, err := w.tree.path(k.entry)
	return &Path{steps: append(stem, l.steps...), most: w.counter.bounds.Answers}, len(l.steps), err
}

// kept is a place with memory of its own.
func kept(p *place) place {
	c := *p
	c.parts = slices.Clone(p.parts)
	return c
}

// looper goes around in a knot.
type looper struct {
	worker *worker
	graph  *graph
	knot   *knot
	at     uint32
	here   place
	steps  []step
	// taken are the threads that have had a turn.
	taken map[thread]bool
}

// way is a shortest way inside the knot from where the looper is, up to and with the first
// step that will do.
func (l *looper) way(will func(e edge) bool) []edge {
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
			if will(e) {
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
	w := l.worker
	w.enter(&l.here)
	for i, a := range w.enabled() {
		if threadOf(w.world(), a) != e.thread {
			continue
		}
		given := answers.Combination{Most: w.counter.bounds.Answers}
		for more := true; more; more = given.Next() {
			next := w.take(a, &given)
			if k, _ := w.key(&next, w.worldThere); k != l.graph.keys.at(int(e.to)) {
				continue
			}
			taken, err := newStep(i, &given)
			if err != nil {
				return err
			}
			l.steps = append(l.steps, taken)
			l.at, l.here, l.taken[e.thread] = e.to, kept(&next), true
			return nil
		}
	}
	return errNoWay
}
