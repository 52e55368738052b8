package main

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// chanceBeyond is how likely the median of new campaigns is beyond the recorded one of a rank
// if nothing has become worse. Of all ways to mix the two samples, it counts those in which,
// before the recorded one of that rank, there are too few new ones for their median.
// Where campaigns come to equal numbers it is less likely.
func chanceBeyond(rank int) float64 {
	ways := new(big.Int)
	for before := int64(0); before <= strategyCampaigns/2; before++ {
		behindRecorded, behindNew := int64(strategyCampaigns-rank-1), strategyCampaigns-before
		w := new(big.Int).Binomial(before+int64(rank), before)
		ways.Add(ways, w.Mul(w, new(big.Int).Binomial(behindRecorded+behindNew, behindNew)))
	}
	chance, _ := new(big.Rat).SetFrac(ways, new(big.Int).Binomial(2*strategyCampaigns, strategyCampaigns)).Float64()
	return chance
}

// TestChances: known values.
func TestChances(t *testing.T) {
	// Heads at least 15 times of 21: 0.0392; at least 14 times: 0.0946.
	require.Equal(t, 14, boundRank())
	// Of the medians of two samples of one kind either is as likely the greater one.
	require.InDelta(t, 0.5, chanceBeyond(strategyCampaigns/2), 1e-12)
	// Of the 42 the last 11 are new ones.
	last := 1.0
	for i := range 11 {
		last *= float64(21-i) / float64(42-i)
	}
	require.InDelta(t, last, chanceBeyond(strategyCampaigns-1), 1e-12)
}

// drawn is what campaigns come to if a bug shows in one of so many schedules.
func drawn(r *strategy.Rand, oneOf int) (list []int) {
	for len(list) < strategyCampaigns {
		n := 1
		for r.Below(oneOf) > 0 {
			n++
		}
		list = append(list, n)
	}
	return list
}

// compare draws what is recorded of 60 bugs, and what is measured of them now.
func compare(seed uint64, strategyName string, oneOf func(bug int) (recorded, now int)) *comparison {
	var r strategy.Rand
	r.Seed(seed, 0)
	c := &comparison{}
	for bug := range 60 {
		name := fmt.Sprint("bug ", bug)
		before, now := oneOf(bug)
		c.add(strategyRow{name, strategyName, drawn(&r, before)}, strategyRow{name, strategyName, drawn(&r, now)})
	}
	return c
}

// TestWorseSearchesAreSeen: a search that is one and a half times as long everywhere, or
// twenty times as long for one bug, is seen; other schedules that are as good are not.
func TestWorseSearchesAreSeen(t *testing.T) {
	alarms, all, one := 0, 0, 0
	const times = 200
	for seed := range uint64(times) {
		rarity := func(bug int) int { return 2 + bug }
		if len(compare(seed, "pos", func(bug int) (int, int) { return rarity(bug), rarity(bug) }).worse()) > 0 {
			alarms++
		}
		if len(compare(seed, "pos", func(bug int) (int, int) { return rarity(bug), 3 * rarity(bug) / 2 }).worse()) > 0 {
			all++
		}
		if len(compare(seed, "pos", func(bug int) (int, int) {
			if bug == 30 {
				return rarity(bug), 20 * rarity(bug)
			}
			return rarity(bug), rarity(bug)
		}).worse()) > 0 {
			one++
		}
	}
	t.Logf("of %d comparisons: %d alarms if nothing is worse, %d if all is 1.5 times as long, %d if one bug is 20 times", times, alarms, all, one)
	require.LessOrEqual(t, alarms, times/20)
	require.GreaterOrEqual(t, all, times*9/10)
	require.GreaterOrEqual(t, one, times*9/10)
}

// TestRepeatedCampaigns: a campaign that ends elsewhere is seen, also if it ends sooner.
func TestRepeatedCampaigns(t *testing.T) {
	recorded := readFigures(t)[0]
	b, err := testbed.FindBug(recorded.Bug)
	require.NoError(t, err)
	s := newSearch(t, b, strategy.Default())
	require.False(t, s.differs(t, recorded, strategyCampaigns*maxSchedules))
	for number := range recorded.Campaigns {
		other := strategyRow{recorded.Bug, recorded.Strategy, slices.Clone(recorded.Campaigns)}
		other.Campaigns[number]++
		require.True(t, s.differs(t, other, strategyCampaigns*maxSchedules))
	}
}

// TestMissedCampaigns: what was not found is beyond all that was.
func TestMissedCampaigns(t *testing.T) {
	r := strategyRow{Campaigns: []int{-1000, 5, -300, 7, -1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000}}
	require.Equal(t, []int{-300, -300}, []int{r.median(), r.bound()})
	r = strategyRow{Campaigns: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000}}
	require.Equal(t, []int{11, -1000}, []int{r.median(), r.bound()})
	require.Equal(t, 11./10_066, r.rate())
	missed := strategyChange{recorded: strategyRow{Campaigns: drawn(&strategy.Rand{}, 3)}, now: strategyRow{Campaigns: slices.Repeat([]int{-1000}, 11)}}
	require.True(t, missed.beyond(strategyCampaigns-1))
	require.False(t, strategyChange{missed.now, missed.recorded}.beyond(boundRank()))
}
