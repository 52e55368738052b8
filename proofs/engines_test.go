package proofs_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/internal/tried"
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
		if i%testsize.Of(1, 3, 3) != 0 {
			continue
		}
		t.Run(test.scenario+" "+test.settings, func(t *testing.T) {
			sc, err := testbed.FindScenario(test.scenario)
			require.NoError(t, err)
			p := sc.Params
			require.NoError(t, setAll(&p, test.settings))
			var claims []string
			subject := func() prove.Subject {
				s, _, err := sc.ProvableByHistory(p)
				require.NoError(t, err)
				claims = testbed.Names(s.Claims())
				return s
			}
			ends, some := &histories{t: t, subject: tried.WholeHistory{System: subject().(*testbed.System)}, firings: test.firings}, map[sim.Digest]bool{}
			ends.search()
			s := subject()
			r, err := schedules.Search(context.Background(), s, claims, schedules.Config{
				Firings: test.firings, All: true,
				Ended: func(*sim.World) { some[tried.WholeHistory{System: s.(*testbed.System)}.Past(sim.NewDigest)] = true },
			})
			require.NoError(t, err)
			states, err := prove.Search(context.Background(), subject, claims, prove.Config{Bounds: prove.Bounds{Firings: test.firings}})
			require.NoError(t, err)
			t.Logf("%s: %d classes, %d abandoned, %d histories of %d states; %d states without history",
				r.Verdict, r.Classes, r.Abandoned, len(ends.found), len(ends.seen), states.States)
			require.Equal(t, states.Verdict, r.Verdict)
			require.Equal(t, ends.found, some)
			require.Zero(t, r.Redundant())
			for _, f := range states.Failures {
				require.True(t, slices.ContainsFunc(r.Failures, func(x schedules.Failed) bool { return x.Failure == f.Failure }), f.Failure)
			}
		})
	}
}

// histories goes once through each state with the history that led to it, until nothing can
// happen, without any reduction.
type histories struct {
	t       *testing.T
	subject tried.WholeHistory
	firings int
	seen    map[sim.Digest]bool
	found   map[sim.Digest]bool
}

func (h *histories) search() {
	w := sim.NewWorld(h.subject.Options())
	explore.Begin(h.subject, w, &explore.Combination{})
	h.seen, h.found = map[sim.Digest]bool{}, map[sim.Digest]bool{}
	h.from(w, map[timer]int{})
}

type timer struct {
	node  sim.NodeID
	timer sim.Timer
}

func (h *histories) from(w *sim.World, fired map[timer]int) {
	behaviour, err := w.Behaviour()
	require.NoError(h.t, err)
	h.subject.Adopt(w)
	past := h.subject.Past(sim.NewDigest)
	key := behaviour.Fold(past)
	for n := range w.Nodes() {
		for i := range sim.Timer(100) {
			if times := fired[timer{sim.NodeID(n), i}]; times > 0 {
				key = key.Int(int64(n)).Int(int64(i)).Int(int64(times))
			}
		}
	}
	if h.seen[key] {
		return
	}
	h.seen[key] = true
	ended := true
	for _, a := range slices.Clone(w.Enabled()) {
		next := fired
		if a.Kind == sim.Fire && h.subject.Endless(a.Node) {
			id := timer{a.Node, w.TimerOf(a)}
			if fired[id] >= h.firings {
				continue
			}
			next = maps.Clone(fired)
			next[id]++
		}
		ended = false
		var given explore.Combination
		for more := true; more; more = given.Next() {
			c, err := w.Clone()
			require.NoError(h.t, err)
			c.Do(&given, a)
			h.from(c, next)
		}
	}
	if ended {
		h.found[past] = true
	}
}
