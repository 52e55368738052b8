package sampled_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/internal/wholehistory"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// world is a scenario within bounds that a search can look at as a whole.
type world struct {
	// remark says what is in it.
	remark   string
	scenario *testbed.Scenario
	// set are options of the scenario, NAME=VALUE.
	set     string
	firings int
	// most is how many schedules each strategy is given when the table is written.
	most int
	// mostClasses is of how many of them classes are counted, 0 where they are not counted.
	mostClasses int
}

const oneWriteOneList = " writers=1 writes=1 readers=1 reads=1"

var worlds = []world{
	{"One write and one consistent LIST", scenarios.Issue15220, "etcd=3.6.16" + oneWriteOneList, 1, 1_000_000, 100_000},
	{"The same, and each timer fires once more", scenarios.Issue15220, "etcd=3.6.16" + oneWriteOneList, 2, 1_000_000, 0},
	{"The first one with etcd #15220, so that LISTs may be stale", scenarios.Issue15220, "etcd=3.5.7" + oneWriteOneList, 1, 1_000_000, 100_000},
	{"Two watches on one stream of etcd, and one write", scenarios.SecondWatch, "etcd=3.6.16 writes=1", 1, 1_000_000, 100_000},
}

func (w *world) name() string {
	return fmt.Sprintf("%s %s firings=%d", w.scenario.Name, w.set, w.firings)
}

// system claims what both engines can judge.
func (w *world) system(t *testing.T) *testbed.System {
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

// Goal implements prove.Subject.
func (unjudged) Goal() prove.Goal { return nil }

// noting keeps the histories with which schedules end.
type noting struct {
	wholehistory.System
	ends map[sim.Digest]struct{}
}

// Over implements explore.Subject.
func (s noting) Over(w *sim.World) bool {
	over := s.System.Over(w)
	if over {
		s.ends[wholehistory.History(s.System.System, sim.NewDigest)] = struct{}{}
	}
	return over
}

// classes counts the classes that schedules of the world are of.
func (w *world) classes(t *testing.T) int {
	t.Helper()
	if w.mostClasses == 0 {
		return 0
	}
	r, err := schedules.Search(t.Context(), unjudged{w.system(t)}, nil, schedules.Config{Firings: w.firings, All: true})
	require.NoError(t, err)
	require.Empty(t, r.Why)
	return r.Classes
}

// all counts the states of the world, and the histories with which schedules end.
func (w *world) all(t *testing.T) (states, histories int) {
	t.Helper()
	search := func(s subject) int {
		r, err := prove.Search(t.Context(), func() prove.Subject { return unjudged{s} }, nil, prove.Config{
			Bounds: prove.Bounds{Firings: w.firings}, Workers: 1,
		})
		require.NoError(t, err)
		require.Equal(t, prove.Proved, r.Verdict)
		return r.States
	}
	states = search(w.system(t))
	whole := noting{wholehistory.System{System: w.system(t)}, map[sim.Digest]struct{}{}}
	search(whole)
	return states, len(whole.ends)
}
