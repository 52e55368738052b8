package main

import (
	"context"
	"maps"
	"slices"

	"github.com/watchbed/watchbed/upstream/traces"
)

// schedules is how many are taken of the released code, half of them with goroutines that switch where they block only, and half with goroutines
// that give way at locks, too. attempts is how many are made at each trace that these do not show.
const (
	schedules = 400
	attempts  = 400
)

// atLocks is behind the name of a guest whose goroutines give way at locks, too.
const atLocks = ":locks"

// compare compares a simulated cache with the code of a release.
func compare(ctx context.Context, of *world, design, release string) (row, error) {
	r := row{World: of.Name, Schedules: schedules}
	s, err := of.search(ctx, design)
	if err != nil {
		return r, err
	}
	r.Simulated, r.States = len(s.traces), s.states
	roots, err := of.roots(release)
	if err != nil {
		return r, err
	}
	yielding, err := of.roots(release + atLocks)
	if err != nil {
		return r, err
	}
	seen := map[string]int{}
	if err := of.sample(ctx, roots, schedules/2, seen); err != nil {
		return r, err
	}
	if err := of.sample(ctx, yielding, schedules/2, seen); err != nil {
		return r, err
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
