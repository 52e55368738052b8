package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/testbed"
)

func nothingEntered() []int { return nil }

// campaignOf is a scenario with its parameters, and with bugs planted.
func campaignOf(t *testing.T, scenario string, bugs ...string) *Campaign {
	t.Helper()
	sc, err := testbed.FindScenario(scenario)
	require.NoError(t, err)
	p := sc.Params
	p.Bugs = bugs
	return newCampaign(sc, p)
}

func measured(t *testing.T, c *Campaign) *Baseline {
	t.Helper()
	b, err := MeasureBaseline(c, nothingEntered)
	require.NoError(t, err)
	return b
}

// mutated judges a campaign with other parameters than those of its baseline: as if
// the code had changed.
func mutated(c *Campaign, b *Baseline, setting func(*testbed.Params)) (kind, what string) {
	changed := *c
	setting(&changed.Params)
	return Judge(&changed, b)
}

func TestJudgeSparesWhatMakesNoDifference(t *testing.T) {
	for _, c := range []*Campaign{campaignOf(t, "resumed-watch"), campaignOf(t, "resumed-watch", "kubernetes-58545")} {
		b := measured(t, c)
		kind, what := Judge(c, b)
		require.Empty(t, kind, what)
	}
}

// TestJudgeKillsAPlantedBug: what is violated with the bug is known only if the bug is
// asked for, and what must be violated with it is missed without.
func TestJudgeKillsAPlantedBug(t *testing.T) {
	planted := campaignOf(t, "resumed-watch", "kubernetes-58545")
	bug, err := testbed.FindBug("kubernetes-58545")
	require.NoError(t, err)

	b := measured(t, planted)
	require.Contains(t, b.Expected, bug.Property.Name)
	kind, what := mutated(planted, b, func(p *testbed.Params) { p.Bugs = nil })
	require.Equal(t, []string{"no violation", bug.Property.Name}, []string{kind, what})

	// The violation is found, and never with a cause that was to be found.
	cause := explore.Failure{Property: bug.Property.Name, Label: "another cause"}
	require.NotContains(t, b.Labels, cause)
	require.NotEmpty(t, b.Labels)
	b.Labels = append(b.Labels, cause)
	kind, what = Judge(planted, b)
	require.Equal(t, []string{"no violation", cause.String()}, []string{kind, what})

	// A violation of which no row says anything.
	stale := campaignOf(t, "stale-own-write")
	stale.Scenario = withoutRows(stale.Scenario)
	kind, _ = Judge(stale, &Baseline{Schedules: sliceOf})
	require.Equal(t, "violation", kind)
}

// withoutRows is a scenario of which nothing is known.
func withoutRows(sc *testbed.Scenario) *testbed.Scenario {
	changed := *sc
	changed.Known = nil
	return &changed
}

func TestJudgeKillsWhatDoesNotComeAboutAnyMore(t *testing.T) {
	c := campaignOf(t, "consistent-list")
	b := measured(t, c)
	require.NotEmpty(t, b.Exercised)
	require.NotEmpty(t, b.CoveragePoints)
	without := func(p *testbed.Params) { p.Workload.Readers = 0 }
	kind, _ := mutated(c, b, without)
	require.Equal(t, "vacuous", kind)
	b.Exercised = nil
	kind, _ = mutated(c, b, without)
	require.Equal(t, "coverage point", kind)
}

// TestEveryScenarioAndBugHasACampaign whose name is its own.
func TestEveryScenarioAndBugHasACampaign(t *testing.T) {
	all := Campaigns()
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	require.Len(t, slices.Compact(names), len(all))
	for _, sc := range testbed.Scenarios() {
		require.True(t, slices.ContainsFunc(all, func(c *Campaign) bool { return c.Scenario == sc && len(c.Params.Bugs) == 0 }), sc.Name)
	}
	for _, b := range testbed.KnownBugs() {
		require.True(t, slices.ContainsFunc(all, func(c *Campaign) bool { return c.Params.Plants(b) }), b.Name)
	}
}
