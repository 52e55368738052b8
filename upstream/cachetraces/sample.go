package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/traces"
)

// lookahead is how many ways on are tried from a state before it counts as a dead end.
const lookahead = 6

// more is how many more timers may fire while a trace is looked for: those of a guest go off in the order of their times, so that one
// of some seconds comes behind tens of others.
const more = 200

// stills is before which step messages begin to wait in such a schedule.
const stills = 40

// towards looks for a schedule that shows a trace: random ones that take back each step behind which the trace can no longer become
// the one that is looked for. In a half of the schedules all messages wait from some step on.
func (of *world) towards(ctx context.Context, roots []*sim.World, target traces.Trace, seeds int) (found bool, err error) {
	for seed := range seeds {
		c := traces.NewRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return false, err
		}
		hurried := c.IntN(stills)
		for s, steps := (state{World: w, fired: -more}), 0; s.World != nil; steps++ {
			if s.rests() && s.trace().String() == target.String() {
				return true, nil
			}
			if len(of.next(s)) == 0 {
				break
			}
			if s, err = of.closer(s, target, c, seed%4 >= 2 && steps >= hurried); err != nil {
				return false, err
			}
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// closer is a state one step on that can still show a trace, without a world if none was found.
func (of *world) closer(s state, target traces.Trace, c *traces.Random, hurried bool) (state, error) {
	for range lookahead {
		on := state{&sim.World{}, s.fired}
		if err := s.Fork(on.World); err != nil {
			return state{}, err
		}
		list := of.next(on)
		if hurried {
			list = timersFirst(list)
		}
		if on = on.do(c, list[c.Pick(on.World, list)]); on.trace().Begins(target) {
			return on, nil
		}
	}
	return state{}, nil
}

// timersFirst are the timers among these actions if there are any, as if messages took long.
func timersFirst(all []sim.Action) []sim.Action {
	var timers []sim.Action
	for _, a := range all {
		if a.Kind == sim.Fire {
			timers = append(timers, a)
		}
	}
	if len(timers) > 0 {
		return timers
	}
	return all
}

// starts is how many times a guest is started, with other choices each time.
const starts = 8

// longest is how many steps a schedule may take.
const longest = 5000

// roots are started worlds of a program.
func (of *world) roots(program string) ([]*sim.World, error) {
	var all []*sim.World
	for seed := range starts {
		w, err := of.start(program, traces.NewRandom(seed))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// sample takes random schedules from these worlds on, one for each seed, and counts the traces that they show where they rest.
func (of *world) sample(ctx context.Context, roots []*sim.World, seeds int, seen map[string]int) error {
	for seed := range seeds {
		c := traces.NewRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return err
		}
		s, shown := state{World: w}, map[string]bool{}
		for steps := 0; ; steps++ {
			if s.rests() {
				shown[s.trace().String()] = true
			}
			list := of.next(s)
			if len(list) == 0 {
				break
			}
			if steps == longest {
				return fmt.Errorf("the schedule of seed %d takes more than %d steps", seed, longest)
			}
			s = s.do(c, list[c.Pick(s.World, list)])
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
