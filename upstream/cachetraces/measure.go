package main

import (
	"context"
	"maps"
	"slices"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/traces"
)

// schedules is how many are taken of the released code, a third of them with each way to schedule its goroutines. attempts is how many are
// made at each trace that these do not show.
const (
	schedules = 600
	attempts  = 400
)

// compare compares a simulated cache with the code of a release.
func compare(ctx context.Context, of *world, design, release string) (row, error) {
	r := row{World: of.Name, Schedules: schedules}
	s, err := of.search(ctx, design)
	if err != nil {
		return r, err
	}
	r.Simulated, r.States = len(s.traces), s.states
	seen := map[string]int{}
	var yielding []*sim.World
	for _, how := range []guests.Schedule{{}, {Late: true}, {Locks: true}} {
		roots, err := of.roots(release + how.String())
		if err != nil {
			return r, err
		}
		if err := of.sample(ctx, roots, schedules/3, seen); err != nil {
			return r, err
		}
		yielding = roots
	}
	r.Released, r.Once = len(seen), traces.Once(seen)
	for _, t := range slices.Sorted(maps.Keys(seen)) {
		if _, is := s.traces[t]; !is {
			r.ReleasedOnly = append(r.ReleasedOnly, t)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(s.traces)) {
		if seen[t] > 0 {
			continue
		}
		found, err := of.towards(ctx, yielding, s.traces[t], attempts)
		if err != nil {
			return r, err
		}
		if found {
			r.Reached++
		} else {
			r.SimulatedOnly = append(r.SimulatedOnly, t)
		}
	}
	return r, nil
}
