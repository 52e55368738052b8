package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/traces"
)

// versions are the releases that the table is about: the two that have etcd #15220 and #17507, and the newest of each branch.
var versions = []string{"3.5.7", "3.5.12", "3.5.35", "3.6.16", "3.7.3"}

// schedules is how many are taken of the released code, of which a quarter has goroutines that switch where they block only, and the rest goroutines
// that give way at locks, too. directed is about how many attempts are made at all traces that these do not show, mostly how many at one of them.
const (
	schedules = 800
	directed  = 60
	mostly    = 6
)

// measure compares both sides of a world.
func measure(ctx context.Context, of *world, version string) (row, error) {
	r, s, err := compare(ctx, of, version, version)
	if err != nil || len(r.SimulatedOnly) == 0 {
		return r, err
	}
	yielding, err := of.roots(released(version) + atLocks)
	if err != nil {
		return r, err
	}
	missing, err := r.lookFor(ctx, of, yielding, &s, r.SimulatedOnly, &r.Reached)
	if r.SimulatedOnly = missing; err != nil || len(missing) == 0 {
		return r, err
	}
	return r, r.preempt(ctx, of, &s, missing)
}

// atLocks is behind the name of a guest whose goroutines give way at locks, too.
var atLocks = guests.Schedule{Locks: true}.String()

// compare compares a simulated server with random schedules of the code of a release.
func compare(ctx context.Context, of *world, simulated, release string) (row, searched, error) {
	r := row{World: of.Name, Etcd: release, Schedules: schedules / max(1, of.Slow)}
	s, err := of.search(ctx, simulated)
	if err != nil {
		return r, s, err
	}
	r.Simulated, r.States = len(s.traces), s.states
	seen := map[string]int{}
	for _, part := range []struct {
		code      string
		schedules int
	}{{released(release), r.Schedules / 4}, {released(release) + atLocks, r.Schedules - r.Schedules/4}} {
		roots, err := of.roots(part.code)
		if err != nil {
			return r, s, err
		}
		if err := sample(ctx, roots, part.schedules, seen); err != nil {
			return r, s, err
		}
	}
	r.Released, r.Once = len(seen), traces.Once(seen)
	for _, t := range slices.Sorted(maps.Keys(seen)) {
		if _, is := s.traces[t]; !is {
			r.ReleasedOnly = append(r.ReleasedOnly, t)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(s.traces)) {
		if seen[t] == 0 {
			r.SimulatedOnly = append(r.SimulatedOnly, t)
		}
	}
	return r, s, nil
}

// lookFor looks for each of these traces, counts those that are found, and returns the others.
func (r *row) lookFor(ctx context.Context, of *world, roots []*sim.World, s *searched, missing []string, reached *int) ([]string, error) {
	var left []string
	for _, t := range missing {
		found, err := towards(ctx, roots, s.traces[t], max(1, min(mostly, directed/len(missing)/max(1, of.Slow))))
		if err != nil {
			return nil, err
		}
		if found {
			*reached++
		} else {
			left = append(left, t)
		}
	}
	return left, nil
}

// preempt looks for traces that the code did not show where it gives way in places in which a thread of a server may be preempted.
func (r *row) preempt(ctx context.Context, of *world, s *searched, missing []string) error {
	roots, err := of.roots(released(r.Etcd) + preempted)
	if err != nil {
		return err
	}
	yielding, err := of.roots(released(r.Etcd) + preempted + atLocks)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	if err := errors.Join(sample(ctx, roots, r.Schedules, seen), sample(ctx, yielding, r.Schedules, seen)); err != nil {
		return err
	}
	for t := range seen {
		if _, is := s.traces[t]; !is && !slices.Contains(r.ReleasedOnly, t) {
			r.ReleasedOnly = append(r.ReleasedOnly, t)
		}
	}
	slices.Sort(r.ReleasedOnly)
	all := len(missing)
	missing = slices.DeleteFunc(missing, func(t string) bool { return seen[t] > 0 })
	r.Preempted = all - len(missing)
	r.SimulatedOnly, err = r.lookFor(ctx, of, roots, s, missing, &r.Preempted)
	return err
}

// preempted is the change of a release by which its goroutines give way in more places (testdata).
const preempted = "+preempted"
