package proofs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"

	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// In every state of small worlds, each two steps whose cells do not conflict lead in either order
// to the same state with the same past. The search over schedules takes one order of them only.
func TestStepsThatDoNotConflictCommute(t *testing.T) {
	for i, test := range []struct {
		scenario, settings string
		firings            int
	}{
		{"issue-15220", one, 1},
		{"issue-15220", one + " breaks=1", 0},
		{"second-watch", "writes=1", 1},
		{"quiet-range", "noise-writes=1", 0},
		{"informer-expired", "at-rest=true caches=1 writers=1 writes=1 noise=0 noise-writes=0 deletes=false keys=1 items=1 compactions=0" +
			" informers=1 informer-breaks=0 informer-refusals=1", 0},
	} {
		if i%testsize.Of(1, 3) != 0 {
			continue
		}
		t.Run(fmt.Sprint(test.scenario, " ", test.settings, " ", test.firings), func(t *testing.T) {
			sc, p := withSettings(t, test.scenario, test.settings)
			s, _, err := sc.ProvableByHistory(p)
			require.NoError(t, err)
			c := commuting{t: t, subject: s, firings: test.firings, seen: map[sim.Digest]bool{}}
			c.search()
			require.Positive(t, c.swapped)
			t.Logf("%d states, %d pairs of steps, %d of them swapped", len(c.seen), c.pairs, c.swapped)
		})
	}
}

// commuting goes through all states, and swaps steps in each.
type commuting struct {
	t       *testing.T
	subject *testbed.Searched
	firings int

	queue          []met
	seen           map[sim.Digest]bool
	pairs, swapped int
}

// taken is a step out of a state, with its answers.
type taken struct {
	action sim.Action
	given  given
	cells  sim.Footprint
	// vague: it does not say which part of its node it touched.
	vague bool
}

// given answers the questions of one step.
type given []int

func (g *given) Pick(*sim.World, []sim.Action) int { panic("not picked") }
func (g *given) Choose(*sim.World, int, string) int {
	answer := (*g)[0]
	*g = (*g)[1:]
	return answer
}

func (c *commuting) search() {
	first := sim.NewWorld(c.subject.Options())
	explore.Begin(c.subject, first, &explore.Combination{})
	// As in the search over schedules: a number of a connection that is free would be a cell, too.
	first.KeepNumbers()
	c.meet(met{world: first})
	for len(c.queue) > 0 {
		s := c.queue[0]
		c.queue = c.queue[1:]
		if c.subject.Adopt(s.world); c.subject.Over(s.world) {
			continue
		}
		steps := c.from(s)
		for i := range steps {
			for j := range steps[:i] {
				c.swap(s.world, &steps[i], &steps[j])
			}
		}
	}
}

func (c *commuting) meet(s met) {
	if key := s.key(c.t, c.subject); !c.seen[key] {
		c.seen[key] = true
		c.queue = append(c.queue, s)
	}
}

// from takes each step out of a state, and notes where they lead.
func (c *commuting) from(s met) (steps []taken) {
	s.steps(c.subject, c.firings, func(_ int, a sim.Action, given *explore.Combination, fired map[timer]int) {
		step := taken{action: a}
		next := fork(c.t, s.world)
		next.RecordCells(&step.cells)
		next.Do(given, a)
		next.RecordCells(nil)
		step.given = slices.Clone(given.Given())
		step.vague = !slices.ContainsFunc(step.cells.Accesses, func(x sim.Access) bool { return x.Cell.Node == a.Node })
		steps = append(steps, step)
		c.meet(met{next, fired})
	})
	return steps
}

// swap takes two steps in either order, if nothing says that they conflict.
func (c *commuting) swap(w *sim.World, a, b *taken) {
	if a.action.Slot == b.action.Slot {
		return
	}
	c.pairs++
	if a.cells.Conflicts(&b.cells) || a.action.Node == b.action.Node && (a.vague || b.vague) {
		return
	}
	c.swapped++
	if c.both(w, a, b) != c.both(w, b, a) {
		require.Fail(c.t, "another state", "%s / %s", w.Name(a.action), w.Name(b.action))
	}
}

// both is the state behind two steps.
func (c *commuting) both(w *sim.World, a, b *taken) sim.Digest {
	next := fork(c.t, w)
	for _, step := range []*taken{a, b} {
		require.True(c.t, slices.ContainsFunc(next.Enabled(), func(x sim.Action) bool { return x.Slot == step.action.Slot }), "%s / %s", w.Name(a.action), w.Name(b.action))
		g := slices.Clone(step.given)
		next.Do(&g, step.action)
	}
	return met{world: next}.key(c.t, c.subject)
}
