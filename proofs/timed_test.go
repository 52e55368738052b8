package proofs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// naive is a search that keeps whole worlds, clones them, and takes each step anew.
type naive struct {
	states, ended, cut int
	// steps is the length of a shortest schedule that violates something, -1 if none does.
	steps int
}

func searchNaively(t *testing.T, s *testbed.Searched, most int) (n naive) {
	t.Helper()
	built := sim.NewWorld(s.Options())
	built.OmitNames()
	explore.Build(s, built)
	clone := func(w *sim.World) *sim.World {
		c, err := w.Clone()
		require.NoError(t, err)
		return c
	}
	type key struct{ behaviour, past sim.Digest }
	seen := map[key]bool{}
	var layer, next []*sim.World
	add := func(w *sim.World) {
		s.Adopt(w)
		// It may end the safety phase.
		s.Over(w)
		behaviour, err := w.Behaviour()
		require.NoError(t, err)
		if k := (key{behaviour, s.Monitors(waitingSince(s))}); !seen[k] {
			seen[k] = true
			next = append(next, w)
		}
	}
	given := explore.Combination{Most: most}
	for more := true; more; more = given.Next() {
		w := clone(built)
		w.Start(&given)
		add(w)
	}
	for depth := 1; len(next) > 0; depth++ {
		layer, next = next, nil
		for _, w := range layer {
			s.Adopt(w)
			switch {
			case s.CutOff(w):
				n.cut++
				continue
			case s.Over(w):
				n.ended++
				continue
			}
			for i := range w.Enabled() {
				given := explore.Combination{Most: most}
				for more := true; more; more = given.Next() {
					c := clone(w)
					a := c.Enabled()[i]
					c.Do(&given, a)
					s.Adopt(c)
					for _, f := range s.JudgeStep(c, a) {
						if f.Verdict == model.Violated {
							n.steps = depth
							return n
						}
					}
					add(c)
				}
			}
		}
	}
	n.states, n.steps = len(seen), -1
	return n
}

// waitingSince is when each client has asked for the LIST that it waits for in the liveness phase, which
// the past of answers-in-time has to tell.
func waitingSince(s *testbed.Searched) sim.Digest {
	d := sim.NewDigest
	for i, c := range s.Clients() {
		last := len(c.Operations()) - 1
		if c.Waiting() && c.Operations()[last].Request.Kind == model.List && c.Spans()[last].Phase == sim.Liveness {
			d = d.Int(int64(i)).Int(int64(c.Spans()[last].Call))
		}
	}
	return d
}

// The search comes to what one comes to that keeps and compares whole worlds.
func TestTimedSearchAgreesWithWholeWorlds(t *testing.T) {
	for _, settings := range []string{
		"etcd=3.5.13 reads=1 " + quietTimed,
		"etcd=3.5.12 reads=1 " + quietTimed,
		// The time is over before all is done.
		"etcd=3.5.13 noise-writes=1 readers=1 reads=2 items=1 keys=1 network=0s scheduling=0s horizon=310ms",
		// Messages take one of two times. Nothing is written, so that no LIST could be stale.
		"etcd=3.5.13 reads=1 noise=0 noise-writes=0 readers=1 items=0 keys=0 think=20ms network=100us scheduling=0s horizon=320ms",
		// A stream that breaks in the first phase.
		"etcd=3.5.13 reads=1 breaks=1 faults-for=1ms " + quietTimed,
	}[:testsize.Of(5, 2)] {
		t.Run(settings, func(t *testing.T) {
			sc, p := withSettings(t, "issue-17507", settings)
			s, _, err := sc.Provable(p)
			require.NoError(t, err)
			s.JudgeWith(-1)
			all := searchNaively(t, s, timedAnswers)
			cfg := prove.Config{Bounds: boundsOf(&p, 0), Workers: 2}
			found, _, err := proof.Search(t.Context(), sc, p, cfg, "test")
			require.NoError(t, err)
			t.Logf("%s: %d states", found.Verdict, found.States)
			if all.steps >= 0 {
				require.Equal(t, prove.Violated, found.Verdict)
				require.Equal(t, all.steps, found.Failures[0].Steps)
				return
			}
			require.Empty(t, found.Failures)
			require.Equal(t, naive{found.States, found.Ended, found.CutStates, -1}, all)
		})
	}
}
