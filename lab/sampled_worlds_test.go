package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// system claims what both engines can judge.
func (w *world) system(t *testing.T) *testbed.Searched {
	t.Helper()
	p := w.scenario.Params
	for _, s := range strings.Fields(w.set) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(name, value))
	}
	s, _, err := w.scenario.ProvableByHistory(p)
	require.NoError(t, err)
	return s
}

// subject is what a search looks at. It may begin at rest, which a wrapper must not hide.
type subject interface {
	prove.Subject
	explore.AtRest
}

// unjudged never violates anything: a search does not end at a violation, and goes on
// behind it, as a schedule does.
type unjudged struct{ subject }

// JudgeStep implements prove.Subject.
func (unjudged) JudgeStep(*sim.World, sim.Action) []explore.Finding { return nil }

// Liveness implements prove.Subject.
func (unjudged) Liveness() prove.Liveness { return nil }

// noting keeps the histories with which schedules end.
type noting struct {
	campaigns.WholeHistory
	ends map[sim.Digest]struct{}
}

// Over implements explore.Subject.
func (s noting) Over(w *sim.World) bool {
	over := s.WholeHistory.Over(w)
	if over {
		s.ends[campaigns.History(s.WholeHistory.System, sim.NewDigest)] = struct{}{}
	}
	return over
}

// classes counts the classes that schedules of the world are of.
func (w *world) classes(t *testing.T) int {
	t.Helper()
	if w.mostClasses == 0 {
		return 0
	}
	r, err := schedules.Search(t.Context(), unjudged{w.system(t)}, nil, schedules.Config{TimerBound: w.firings, All: true})
	require.NoError(t, err)
	require.Empty(t, r.Why)
	return r.Schedules.Classes
}

// all counts the states of the world, and the histories with which schedules end.
func (w *world) all(t *testing.T) (states, histories int) {
	t.Helper()
	search := func(s subject) int {
		r, err := prove.Search(t.Context(), func() prove.Subject { return unjudged{s} }, nil, prove.Config{
			Bounds: prove.Bounds{TimerBound: w.firings}, Workers: 1,
		})
		require.NoError(t, err)
		require.Equal(t, prove.Proved, r.Verdict)
		return r.States
	}
	states = search(w.system(t))
	whole := noting{campaigns.WholeHistory{Searched: w.system(t)}, map[sim.Digest]struct{}{}}
	search(whole)
	return states, len(whole.ends)
}
