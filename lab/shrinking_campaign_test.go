package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

const (
	// firstShrunkSeed is far from the seeds with which scenarios were tried out.
	firstShrunkSeed = 1 << 41
	// soonEnough is after how many a bug must have shown.
	soonEnough = 40_000
	// longer is how many times as long a campaign goes on as it takes to the first violation, so
	// that diagnosis has other seeds to choose from: likely as many that fail.
	longer = 4
)

// bed is the scenario of a bug, with the bug planted.
type bed struct {
	bug      *testbed.KnownBug
	params   testbed.Params
	strategy strategy.Strategy
}

func bedOf(t *testing.T, b *testbed.KnownBug) *bed {
	t.Helper()
	p := b.Scenario.Params
	p.Bugs = []string{b.Name}
	s := strategy.Default()
	if b.Strategy != "" {
		var err error
		s, err = strategy.Find(b.Strategy)
		require.NoError(t, err)
	}
	return &bed{b, p, s}
}

func (b *bed) timed() bool { return b.params.Clock.Mode == sim.Timed }

// campaign is the one of a number: simrun run would come to the same run, had it found the
// violation of this property only.
func (b *bed) campaign(t *testing.T, number int) run {
	t.Helper()
	first := uint64(firstShrunkSeed + number*apart)
	found, after := b.violation(t, first)
	finder := &diagnosis.Finder{
		Scenario: b.bug.Scenario, Params: b.params, Strategy: b.strategy, First: first, Last: first + longer*after, Shrink: true,
	}
	long, err := finder.Unshrunk(found)
	require.NoError(t, err)
	told, err := finder.Find(t.Context(), []campaign.FailureTally{found})
	require.NoError(t, err)
	small := told[0].Recording
	return run{Found: long.Steps(), Steps: small.Steps(), Choices: len(small.Choices)}
}

// violation is the first one from a seed on, and how many schedules it took.
func (b *bed) violation(t *testing.T, first uint64) (campaign.FailureTally, uint64) {
	t.Helper()
	system, err := b.bug.Scenario.New(b.params)
	require.NoError(t, err)
	runner := explore.NewRunner(system, b.params.Clock.Steps)
	chooser := b.strategy.For(runner)
	for n := range uint64(soonEnough) {
		chooser.Begin(first + n)
		result := runner.Run(chooser)
		i := slices.IndexFunc(result.Findings, func(f explore.Finding) bool {
			return f.Property == b.bug.Property.Name && f.Verdict == model.Violated
		})
		if i >= 0 {
			return campaign.FailureTally{Failure: result.Findings[i].Failure(), FirstSeed: first + n, Schedules: 1 + longer}, n + 1
		}
	}
	t.Fatalf("%s does not show in %d schedules", b.bug.Name, soonEnough)
	return campaign.FailureTally{}, 0
}

// all runs the campaigns.
func (b *bed) all(t *testing.T) []run {
	t.Helper()
	runs := make([]run, shrinkCampaigns)
	for number := range runs {
		runs[number] = b.campaign(t, number)
	}
	return runs
}
