package proofs_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// The two engines of prove come to the same verdict, and the schedules of the one end in the
// same histories as all schedules do.
func TestEnginesAgree(t *testing.T) {
	for i, test := range []struct {
		scenario, settings string
		firings            int
	}{
		{"issue-15220", "etcd=3.5.7 writers=1 writes=1 readers=1 reads=1", 0},
		{"issue-15220", "etcd=3.5.7 writers=1 writes=1 readers=1 reads=1", 1},
		{"issue-15220", "etcd=3.5.13 writers=1 writes=1 readers=1 reads=1", 1},
		{"second-watch", "writes=1", 0},
		{"negative-watch", "writes=1", 1},
		{"future-watch", "writes=1", 0},
	} {
		if i%testsize.Of(1, 6) != 0 {
			continue
		}
		t.Run(test.scenario+" "+test.settings, func(t *testing.T) {
			sc, p := withSettings(t, test.scenario, test.settings)
			var claims []string
			subject := func() prove.Subject {
				s, _, err := sc.ProvableByHistory(p)
				require.NoError(t, err)
				claims = testbed.Names(s.Claims())
				return s
			}
			ends, some := &histories{t: t, subject: campaigns.WholeHistory{Searched: subject().(*testbed.Searched)}, firings: test.firings}, map[sim.Digest]bool{}
			ends.search()
			s := subject()
			r, err := schedules.Search(context.Background(), s, claims, schedules.Config{
				TimerBound: test.firings, All: true,
				Ended: func(*sim.World) {
					some[campaigns.WholeHistory{Searched: s.(*testbed.Searched)}.Monitors(sim.NewDigest)] = true
				},
			})
			require.NoError(t, err)
			states, err := prove.Search(context.Background(), subject, claims, prove.Config{Bounds: prove.Bounds{TimerBound: test.firings}})
			require.NoError(t, err)
			t.Logf("%s: %d classes, %d abandoned, %d histories of %d states; %d states without history",
				r.Verdict, r.Schedules.Classes, r.Schedules.Abandoned, len(ends.found), len(ends.seen), states.States)
			require.Equal(t, states.Verdict, r.Verdict)
			require.Equal(t, ends.found, some)
			require.Zero(t, r.Schedules.Redundant)
			for _, f := range states.Failures {
				require.True(t, slices.ContainsFunc(r.Failures, func(x prove.Failed) bool { return x.Failure == f.Failure }), f.Failure)
			}
		})
	}
}

// histories goes once through each state with the history that led to it, until nothing can
// happen, without any reduction.
type histories struct {
	t       *testing.T
	subject campaigns.WholeHistory
	firings int
	seen    map[sim.Digest]bool
	found   map[sim.Digest]bool
}

func (h *histories) search() {
	w := sim.NewWorld(h.subject.Options())
	explore.Begin(h.subject, w, &explore.Combination{})
	h.seen, h.found = map[sim.Digest]bool{}, map[sim.Digest]bool{}
	h.from(met{world: w})
}

func (h *histories) from(m met) {
	key := m.key(h.t, h.subject)
	if h.seen[key] {
		return
	}
	h.seen[key] = true
	past := h.subject.Monitors(sim.NewDigest)
	if !m.steps(h.subject, h.firings, func(_ int, a sim.Action, given *explore.Combination, fired map[timer]int) {
		next := fork(h.t, m.world)
		next.Do(given, a)
		h.from(met{next, fired})
	}) {
		h.found[past] = true
	}
}
