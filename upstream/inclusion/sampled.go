package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/sim"
)

// longest is how many steps a schedule may take.
const longest = 5000

// once is how many traces only one schedule showed. Divided by the schedules it is about how likely the next one shows a new
// trace (Good 1953).
func once(seen map[string]int) int {
	n := 0
	for _, times := range seen {
		if times == 1 {
			n++
		}
	}
	return n
}

// roots are the started worlds of a release: one for each answer to what the guest asks when it starts.
func (of *world) roots(release string) ([]*sim.World, error) {
	var all []*sim.World
	for given, more := (&answers.Combination{}), true; more; more = given.Next() {
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
		c := newRandom(seed)
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

// random chooses. If it is stubborn, threads have priorities (as in PCT, Burckhardt et al. 2010) that change now and then, and so have answers.
type random struct {
	*rand.Rand
	stubborn bool
	weights  map[string]int
}

func newRandom(seed int) *random {
	return &random{Rand: rand.New(rand.NewPCG(uint64(seed), 0)), stubborn: seed%2 == 1, weights: map[string]int{}}
}

// changes is how many choices there are, about, between two changes of a priority.
const changes = 12

// weight is the priority of what has this name.
func (r *random) weight(name string) int {
	of, known := r.weights[name]
	if !known || r.IntN(changes) == 0 {
		of = r.IntN(1 << 20)
		r.weights[name] = of
	}
	return of
}

// Pick implements sim.Chooser.
func (r *random) Pick(w *sim.World, enabled []sim.Action) int {
	if !r.stubborn {
		return r.IntN(len(enabled))
	}
	best, most := 0, -1
	for i, a := range enabled {
		if of := r.weight(fmt.Sprint(a.Kind, a.Slot)); of > most {
			best, most = i, of
		}
	}
	return best
}

// Choose implements sim.Chooser.
func (r *random) Choose(_ *sim.World, n int, what string) int {
	if !r.stubborn {
		return r.IntN(n)
	}
	return r.weight(what) % n
}
