package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/traces"
)

// searched is what a search over all schedules of a world came to.
type searched struct {
	traces map[string]traces.Trace
	states int
}

// most is how many states a search may have.
const most = 2_000_000

// search is every trace that a simulated cache shows in a world: over all states, of which the trace so far is a part.
func (of *world) search(ctx context.Context, design string) (searched, error) {
	found := searched{traces: map[string]traces.Trace{}}
	type key struct {
		digest sim.Digest
		fired  int
	}
	seen := map[key]bool{}
	var stack []state
	visit := func(s state) error {
		d, err := s.Behaviour()
		if err == nil && !seen[key{d, s.fired}] {
			seen[key{d, s.fired}] = true
			stack = append(stack, s)
		}
		return err
	}
	for given, more := (&explore.Combination{}), true; more; more = given.Next() {
		w, err := of.start(design, given)
		if err != nil {
			return found, err
		}
		if err := visit(state{World: w}); err != nil {
			return found, err
		}
	}
	for len(stack) > 0 && ctx.Err() == nil {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.rests() {
			t := s.trace()
			found.traces[t.String()] = t
		}
		for _, a := range of.next(s) {
			for given, more := (&explore.Combination{}), true; more; more = given.Next() {
				w, err := s.Clone()
				if err != nil {
					return found, err
				}
				if err := visit(state{w, s.fired}.do(given, a)); err != nil {
					return found, err
				}
			}
		}
		if len(seen) > most {
			return found, fmt.Errorf("the world has more than %d states", most)
		}
	}
	found.states = len(seen)
	return found, ctx.Err()
}
