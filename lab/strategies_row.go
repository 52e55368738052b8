package main

import (
	"slices"
	"sync"

	"github.com/watchbed/watchbed/metric"
)

const (
	// strategyCampaigns is how many of them each strategy is given to find a bug; an odd number,
	// so that one of them is the median.
	strategyCampaigns = 21
	// A campaign ends at its first violation, or after so many schedules, or after so many
	// steps: there are strategies with which a run ends only where it is cut off.
	maxSchedules = 1_000
	maxSteps     = 2_000_000
	// apart is how far the first seeds of two campaigns are from each other. The portfolio
	// takes its members in turn by the seed: it begins with another one each time.
	apart = 1_000_003
)

// strategyRow is what the campaigns of a strategy came to that look for a bug.
type strategyRow struct {
	Bug, Strategy string
	// Campaigns has the schedules up to the first that shows the bug. -n: none of n does. There
	// are fewer if so many have missed it that the median is known to be beyond.
	Campaigns []int
}

// ordered are the campaigns from the soonest on, behind them those that have missed the bug,
// as those must have that were not run.
func (r strategyRow) ordered() []int {
	list := slices.Clone(r.Campaigns)
	for len(list) < strategyCampaigns {
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
func (r strategyRow) missedWithin() int {
	within := 0
	for _, n := range r.Campaigns {
		if n < 0 && (within == 0 || n > within) {
			within = n
		}
	}
	return within
}

// median is negative if it is beyond so many schedules, and so is bound.
func (r strategyRow) median() int { return r.ranked(strategyCampaigns / 2) }

// bound is a bound of the real median, at 95 % confidence.
func (r strategyRow) bound() int { return r.ranked(boundRank()) }

func (r strategyRow) ranked(rank int) int {
	if n := r.ordered()[rank]; n > 0 {
		return n
	}
	return r.missedWithin()
}

// rate is the estimate of the share of schedules that show the bug.
func (r strategyRow) rate() float64 {
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

const confidence = 0.95

// boundRank is the rank, from 0 on, of the campaign that bounds the real median at this
// confidence: a campaign is shorter than the real median as often as a coin shows heads, so
// that the median is beyond the one of this rank only if rank+1 of them or more are shorter.
var boundRank = sync.OnceValue(func() int {
	for rank := range strategyCampaigns {
		if metric.AtLeast(rank+1, strategyCampaigns, 0.5) <= 1-confidence {
			return rank
		}
	}
	panic("strategies: too few campaigns")
})
