package main

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/traces"
)

// longest is how many steps a schedule may take.
const longest = 5000

// roots are the started worlds of a release: one for each answer to what the guest asks when it starts.
func (of *world) roots(release string) ([]*sim.World, error) {
	var all []*sim.World
	for given, more := (&explore.Combination{}), true; more; more = given.Next() {
		w, err := of.start(release, given)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// sample takes random schedules from these worlds on, one for each seed, and counts the traces with which they come to rest. Half of
// them choose every step anew, and half let some threads and goroutines wait for long.
func sample(ctx context.Context, roots []*sim.World, seeds int, seen map[string]int) error {
	for seed := range seeds {
		c := traces.NewRandom(seed)
		w := &sim.World{}
		if err := roots[c.IntN(len(roots))].Fork(w); err != nil {
			return err
		}
		for steps := 0; ; steps++ {
			list := next(w.Enabled())
			if len(list) == 0 {
				break
			}
			if steps == longest {
				return fmt.Errorf("the schedule of seed %d takes more than %d steps", seed, longest)
			}
			w.Do(c, list[c.Pick(w, list)])
		}
		seen[traceOf(w).String()]++
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
