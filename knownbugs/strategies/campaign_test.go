package strategies_test

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

const (
	// campaigns is how many of them each strategy is given to find a bug; an odd number,
	// so that one of them is the median.
	campaigns = 21
	// A campaign ends at its first violation, or after so many schedules, or after so many
	// steps: there are strategies with which a run ends only where it is cut off.
	maxSchedules = 1_000
	maxSteps     = 2_000_000
	// apart is how far the first seeds of two campaigns are from each other. The portfolio
	// takes its members in turn by the seed: it begins with another one each time.
	apart = 1_000_003
)

// firstSeed is far from the seeds with which strategies and scenarios were tried out. It is
// another one for each strategy: the portfolio would have the runs of its members again.
func firstSeed(s strategy.Strategy) uint64 {
	return 1<<40 + sim.NewDigest.Text(s.Name).Sum()>>16
}

// row is what the campaigns of a strategy came to that look for a bug.
type row struct {
	Bug, Strategy string
	// Campaigns has the schedules up to the first that shows the bug. -n: none of n does. There
	// are fewer if so many have missed it that the median is known to be beyond.
	Campaigns []int
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
func (s *search) all(t *testing.T) row {
	r := row{Bug: s.bug.Name, Strategy: s.strategy.Name}
	for missed := 0; len(r.Campaigns) < campaigns && missed <= campaigns/2; {
		n := s.campaign(t, len(r.Campaigns))
		if n < 0 {
			missed++
		}
		r.Campaigns = append(r.Campaigns, n)
	}
	return r
}

// ordered are the campaigns from the soonest on, behind them those that have missed the bug,
// as those must have that were not run.
func (r row) ordered() []int {
	list := slices.Clone(r.Campaigns)
	for len(list) < campaigns {
		list = append(list, r.missedWithin())
	}
	slices.SortFunc(list, func(a, b int) int {
		if (a < 0) != (b < 0) {
			return b - a
		}
		return a - b
	})
	return list
}

// missedWithin is -n: in n schedules no campaign that missed the bug has found it. 0 if
// none missed it.
func (r row) missedWithin() int {
	within := 0
	for _, n := range r.Campaigns {
		if n < 0 && (within == 0 || n > within) {
			within = n
		}
	}
	return within
}

// median is negative if it is beyond so many schedules, and so is bound.
func (r row) median() int { return r.ranked(campaigns / 2) }

// bound is a bound of the real median, at 95 % confidence.
func (r row) bound() int { return r.ranked(boundRank()) }

func (r row) ranked(rank int) int {
	if n := r.ordered()[rank]; n > 0 {
		return n
	}
	return r.missedWithin()
}

// rate is the estimate of the share of schedules that show the bug.
func (r row) rate() float64 {
	hits, schedules := 0, 0
	for _, n := range r.Campaigns {
		if n > 0 {
			hits++
			schedules += n
		} else {
			schedules -= n
		}
	}
	return float64(hits) / float64(schedules)
}
