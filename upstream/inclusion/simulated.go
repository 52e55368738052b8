package main

import (
	"context"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/traces"
)

// searched is what a search over all schedules of a world came to.
type searched struct {
	// traces are those with which the world comes to rest.
	traces map[string]traces.Trace
	states int
}

// search is every trace that the simulated server of a version shows in a world: over all states, of which the trace
// so far is a part.
func (of *world) search(ctx context.Context, version string) (searched, error) {
	s := searched{traces: map[string]traces.Trace{}}
	seen := map[sim.Digest]bool{}
	var stack []*sim.World
	visit := func(w *sim.World) error {
		d, err := w.Behaviour()
		if err == nil && !seen[d] {
			seen[d] = true
			stack = append(stack, w)
		}
		return err
	}
	for given, more := (&explore.Combination{}), true; more; more = given.Next() {
		w, err := of.start(version, given)
		if err != nil {
			return s, err
		}
		if err := visit(w); err != nil {
			return s, err
		}
	}
	for len(stack) > 0 && ctx.Err() == nil {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		steps := next(w.Enabled())
		if len(steps) == 0 {
			t := traceOf(w)
			s.traces[t.String()] = t
		}
		for _, a := range steps {
			for given, more := (&explore.Combination{}), true; more; more = given.Next() {
				c, err := w.Clone()
				if err != nil {
					return s, err
				}
				c.Enabled()
				c.Do(given, a)
				if err := visit(c); err != nil {
					return s, err
				}
			}
		}
	}
	s.states = len(seen)
	return s, ctx.Err()
}
