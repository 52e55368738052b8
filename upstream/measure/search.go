package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// searched is what a search over all schedules of a world came to.
type searched struct {
	traces map[string]trace
	states int
}

// mostStates is how many a search may have.
const mostStates = 2_000_000

// search is every trace that the simulation shows in a world: over all states, of which the trace so far is a part.
func (of *world) search(ctx context.Context, program string) (searched, error) {
	found := searched{traces: map[string]trace{}}
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
	roots, err := of.combinations(program)
	if err != nil {
		return found, err
	}
	for _, w := range roots {
		if err := visit(state{World: w}); err != nil {
			return found, err
		}
	}
	for len(stack) > 0 && ctx.Err() == nil {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if of.rests(s) {
			t := s.trace()
			found.traces[t.String()] = t
		}
		for _, a := range of.next(s) {
			for given, more := (&explore.Combination{}), true; more; more = given.Next() {
				w, err := s.Clone()
				if err != nil {
					return found, err
				}
				if err := visit(of.do(state{w, s.fired}, given, a)); err != nil {
					return found, err
				}
			}
		}
		if len(seen) > mostStates {
			return found, fmt.Errorf("the world has more than %d states", mostStates)
		}
	}
	found.states = len(seen)
	return found, ctx.Err()
}

// combinations are started worlds of a program: one for each answer to what nodes ask when they start.
func (of *world) combinations(program string) ([]*sim.World, error) {
	var all []*sim.World
	for given, more := (&explore.Combination{}), true; more; more = given.Next() {
		w, err := of.start(program, given)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// cacheStarts is how many times a guest of Kubernetes is started, with other choices each time: it asks too much for
// all combinations.
const cacheStarts = 8

// roots are started worlds of the code of a release.
func (of *world) roots(program string) ([]*sim.World, error) {
	if !of.cached() {
		return of.combinations(program)
	}
	var all []*sim.World
	for seed := range cacheStarts {
		w, err := of.start(program, newRandom(seed))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// longest is how many steps a schedule may take.
const longest = 5000

// sample takes random schedules from these worlds on, one for each seed, and counts the traces that they show where
// they rest. Half of them choose every step anew, and half let some threads and goroutines wait for long.
func (of *world) sample(ctx context.Context, roots []*sim.World, seeds int, seen map[string]int) error {
	for seed := range seeds {
		c := newRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return err
		}
		s, shown := state{World: w}, map[string]bool{}
		for steps := 0; ; steps++ {
			if of.rests(s) {
				shown[s.trace().String()] = true
			}
			list := of.next(s)
			if len(list) == 0 {
				break
			}
			if steps == longest {
				return fmt.Errorf("the schedule of seed %d takes more than %d steps", seed, longest)
			}
			s = of.do(s, c, list[c.Pick(s.World, list)])
		}
		for t := range shown {
			seen[t]++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

const (
	// lookahead is how many ways on are tried from a state before it counts as a dead end.
	lookahead = 6
	// more is how many more timers may fire while a trace is looked for: those of a guest go off in the order of their
	// times, so that one of some seconds comes behind tens of others.
	more = 200
	// stills is before which step messages begin to wait in such a schedule.
	stills = 40
)

// towards looks for a schedule that shows a trace: random ones that take back each step behind which the trace can no
// longer become the one that is looked for. With a cache all messages wait from some step on, in a half of the
// schedules.
func (of *world) towards(ctx context.Context, roots []*sim.World, target trace, seeds int) (found bool, err error) {
	for seed := range seeds {
		c := newRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return false, err
		}
		hurried := longest
		if of.cached() {
			if still := c.IntN(stills); seed%4 >= 2 {
				hurried = still
			}
		}
		for s, steps := (state{World: w, fired: -more}), 0; s.World != nil; steps++ {
			if of.rests(s) && s.trace().String() == target.String() {
				return true, nil
			}
			if len(of.next(s)) == 0 {
				break
			}
			if s, err = of.closer(s, target, c, steps >= hurried); err != nil {
				return false, err
			}
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// closer is a state one step on that can still show a trace, without a world if none was found. Without a cache what
// comes to clients belongs to the step.
func (of *world) closer(s state, target trace, c *random, hurried bool) (state, error) {
	for range lookahead {
		on := state{&sim.World{}, s.fired}
		if err := s.Fork(on.World); err != nil {
			return state{}, err
		}
		list := of.next(on)
		if timers := those(list, func(a sim.Action) bool { return a.Kind == sim.Fire }); hurried && len(timers) > 0 {
			list = timers
		}
		on = of.do(on, c, list[c.Pick(on.World, list)])
		for !of.cached() {
			list := of.next(on)
			if len(list) == 0 || !on.toClient(list[0]) {
				break
			}
			on = of.do(on, c, list[0])
		}
		if on.trace().begins(target) {
			return on, nil
		}
	}
	return state{}, nil
}
