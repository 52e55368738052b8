package diagnosis

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/testbed"
)

// finderOf looks for a known bug in its scenario.
func finderOf(t *testing.T, bug string) (*Finder, *testbed.KnownBug) {
	t.Helper()
	b, err := testbed.FindBug(bug)
	require.NoError(t, err)
	p := b.Scenario.Params
	p.Bugs = []string{bug}
	return &Finder{Scenario: b.Scenario, Params: p, Strategy: strategy.Default(), Last: 999, Shrink: true}, b
}

// TestTheListedPropertyIsFirst: a bug violates others as well, some of which weigh
// more.
func TestTheListedPropertyIsFirst(t *testing.T) {
	f, b := finderOf(t, "kubernetes-58545")
	var failures []campaign.FailureTally
	for _, p := range append(b.Further, b.Property) {
		failures = append(failures, campaign.FailureTally{Failure: explore.Failure{Property: p.Name}})
	}
	require.Equal(t, b.Property.Name, summary.PlainestFirst(summary.KnownOf(f.Scenario, &f.Params), &f.Params, failures)[0].Failure.Property)
	f.Params.Bugs = nil
	require.Equal(t, b.Further[0].Name, summary.PlainestFirst(summary.KnownOf(f.Scenario, &f.Params), &f.Params, failures)[0].Failure.Property, "by weight")
}

// TestFaultsThatAreNotNeededAreLeftOut: one bug shows without restarts, another one needs
// a cache that is replaced.
func TestFaultsThatAreNotNeededAreLeftOut(t *testing.T) {
	for bug, needed := range map[string][]string{"store-without-snapshot": nil, "kubernetes-78029": {"recreations"}} {
		f, b := finderOf(t, bug)
		subjects, err := f.Scenario.Subjects(f.Params)
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: f.Strategy, Seeds: f.Last + 1, Steps: f.Params.Clock.Steps})
		require.NoError(t, err)
		for _, tally := range c.Failures {
			if tally.Failure.Property != b.Property.Name {
				continue
			}
			p, seed := f.fewer(t.Context(), tally)
			var left []string
			for _, s := range p.Faults.Set() {
				left = append(left, s.Name)
			}
			require.Equal(t, needed, left, bug)
			require.NotEmpty(t, f.Params.Faults.Set())
			system, err := f.Scenario.New(p)
			require.NoError(t, err)
			chooser := f.Strategy.For(explore.NewRunner(system, p.Clock.Steps))
			chooser.Begin(seed)
			result := explore.NewRunner(system, p.Clock.Steps).Run(chooser)
			require.NotNil(t, result.Find(tally.Failure))
			break
		}
	}
}

// TestInformersThatAreNotNeededAreLeftOut: one informer shows that its first LIST at another API server goes back in
// time, and both API servers stay.
func TestInformersThatAreNotNeededAreLeftOut(t *testing.T) {
	sc, err := testbed.FindScenario("informer-fallback")
	require.NoError(t, err)
	p := sc.Params
	p.Etcd = "3.5.7"
	require.Equal(t, 2, p.Informers.Count)
	f := &Finder{Scenario: sc, Params: p, Strategy: strategy.Default(), Last: 999, Shrink: true}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: f.Strategy, Seeds: f.Last + 1, Steps: p.Clock.Steps})
	require.NoError(t, err)
	behind := slices.IndexFunc(c.Failures, func(t campaign.FailureTally) bool { return t.Failure.Property == "informer-monotonic" })
	require.GreaterOrEqual(t, behind, 0)
	fewer, _ := f.fewer(t.Context(), c.Failures[behind])
	require.Equal(t, 1, fewer.Informers.Count)
	require.Equal(t, p.Topology.Servers, fewer.Topology.Servers)
}

// diagnosed is the diagnosis of a known bug's own violation, found in the first 25 seeds.
func diagnosed(t *testing.T, bug string) (*Diagnosis, *Finder, *testbed.KnownBug) {
	t.Helper()
	f, b := finderOf(t, bug)
	f.Last = 24
	subjects, err := f.Scenario.Subjects(f.Params)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: f.Strategy, Seeds: f.Last + 1, Steps: f.Params.Clock.Steps})
	require.NoError(t, err)
	i := slices.IndexFunc(c.Failures, func(t campaign.FailureTally) bool { return t.Failure.Property == b.Property.Name })
	require.GreaterOrEqual(t, i, 0)
	told, err := f.Find(t.Context(), c.Failures[i:i+1])
	require.NoError(t, err)
	return told[0], f, b
}

// TestTheCauseStays: a run is of less work, as long as the planted bug decides. That of client-keeps-calls
// is not timed, and its violation shows only where nothing more can happen.
func TestTheCauseStays(t *testing.T) {
	for _, c := range []struct {
		bug      string
		lessWork bool
	}{{"client-keeps-calls", true}, {"issue-17507", false}, {"leaderless-kept", true}}[:testsize.Of(3, 1)] {
		d, f, b := diagnosed(t, c.bug)
		require.Equal(t, b.Setting, d.Decision.Blame())
		p, err := f.Scenario.RecordedParams(d.Recording.Parameters)
		require.NoError(t, err)
		require.Equal(t, c.lessWork, p.Workload != f.Params.Workload, c.bug)
	}
}

// TestWaitsAreShort: a read waits no longer for the cache than it takes to see that no progress comes, and
// longer than etcd may take for progress.
func TestWaitsAreShort(t *testing.T) {
	d, f, b := diagnosed(t, "issue-17507")
	require.Equal(t, b.Setting, d.Decision.Blame())
	p, err := f.Scenario.RecordedParams(d.Recording.Parameters)
	require.NoError(t, err)
	system, err := f.Scenario.New(p)
	require.NoError(t, err)
	whole, short := waitOf(&f.Params, "block-timeout"), waitOf(&p, "block-timeout")
	t.Logf("%v for %v, and %v are enough for progress", short, whole, system.ReadBound().Total)
	require.Equal(t, 3*time.Second, whole)
	require.Less(t, short, whole)
	require.Greater(t, short, system.ReadBound().Total)
}

// TestShrinkingHasALimit: what decides is looked for all the same, and the failure is told.
func TestShrinkingHasALimit(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Nanosecond} {
		f, b := finderOf(t, "kubernetes-58545")
		f.Limit = limit
		subjects, err := f.Scenario.Subjects(f.Params)
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: f.Strategy, Seeds: 100, Steps: f.Params.Clock.Steps})
		require.NoError(t, err)
		found, err := f.Find(t.Context(), c.Failures)
		require.NoError(t, err)
		require.NotEmpty(t, found)
		require.Equal(t, b.Property.Name, found[0].Failure.Property)
		require.NotNil(t, found[0].Decision)
		require.Equal(t, limit != 0, found[0].Stopped)
	}
}
