package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// firstSeed is far from the seeds with which strategies and scenarios were tried out. It is
// another one for each strategy: the portfolio would have the runs of its members again.
func firstSeed(s strategy.Strategy) uint64 {
	return 1<<40 + sim.NewDigest.Text(s.Name).Sum()>>16
}

// search looks for a bug.
type search struct {
	bug      *testbed.KnownBug
	strategy strategy.Strategy
	runner   *explore.Runner
	chooser  strategy.Chooser
}

func newSearch(t *testing.T, b *testbed.KnownBug, s strategy.Strategy) *search {
	t.Helper()
	p := b.Scenario.Params
	p.Bugs = []string{b.Name}
	system, err := b.Scenario.New(p)
	require.NoError(t, err)
	r := explore.NewRunner(system, p.Clock.Steps)
	return &search{b, s, r, s.For(r)}
}

// campaign is the one of a number.
func (s *search) campaign(t *testing.T, number int) int {
	seed, steps := firstSeed(s.strategy)+uint64(number*apart), 0
	for n := 1; ; n++ {
		s.chooser.Begin(seed)
		seed++
		result := s.runner.Run(s.chooser)
		i := slices.IndexFunc(result.Findings, func(f explore.Finding) bool { return f.Property == s.bug.Property.Name })
		require.GreaterOrEqual(t, i, 0, "%s was not judged", s.bug.Property.Name)
		steps += result.Steps
		switch {
		case result.Findings[i].Verdict == model.Violated:
			return n
		case n == maxSchedules || steps >= maxSteps:
			return -n
		}
	}
}

// all runs the campaigns.
func (s *search) all(t *testing.T) strategyRow {
	r := strategyRow{Bug: s.bug.Name, Strategy: s.strategy.Name}
	for missed := 0; len(r.Campaigns) < strategyCampaigns && missed <= strategyCampaigns/2; {
		n := s.campaign(t, len(r.Campaigns))
		if n < 0 {
			missed++
		}
		r.Campaigns = append(r.Campaigns, n)
	}
	return r
}
