package campaign_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
)

// counters is a series of campaigns of one subject, and the order in which they ended.
func counters(ended *[]uint64) campaign.Series {
	return campaign.Series{
		Campaigns: 9, Each: 40,
		Subject: func(uint64) (func() explore.Subject, int, error) { return newCounter, 0, nil },
		Ended:   func(i uint64, _ *campaign.Result) { *ended = append(*ended, i) },
	}
}

func runSeries(t *testing.T, s campaign.Series, cfg campaign.Config) *campaign.Result {
	t.Helper()
	c, err := s.Run(context.Background(), cfg)
	require.NoError(t, err)
	c.Elapsed, c.CPU = 0, 0
	return c
}

func TestSeriesDoesNotDependOnWorkers(t *testing.T) {
	var ended []uint64
	one := runSeries(t, counters(&ended), campaign.Config{FirstSeed: 7, Workers: 1})
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8}, ended)
	ended = nil
	require.Equal(t, one, runSeries(t, counters(&ended), campaign.Config{FirstSeed: 7, Workers: 4}))
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8}, ended)
}

// TestSeriesAddsUpToOneCampaign: where the subject stays the same, its runs are those of
// one campaign over the same seeds.
func TestSeriesAddsUpToOneCampaign(t *testing.T) {
	var ended []uint64
	series := runSeries(t, counters(&ended), campaign.Config{FirstSeed: 7})
	whole := explored(t, newCounter, campaign.Config{FirstSeed: 7, Seeds: 9 * 40})
	require.Equal(t, whole.Schedules, series.Schedules)
	require.Equal(t, whole.Stats, series.Stats)
	require.Equal(t, whole.Properties, series.Properties)
	require.Equal(t, whole.CoveragePoints, series.CoveragePoints)
	require.Equal(t, whole.Failures, series.Failures)
}

func TestSeriesEndsWithAnError(t *testing.T) {
	var ended []uint64
	s := counters(&ended)
	unfit := errors.New("does not fit")
	s.Subject = func(i uint64) (func() explore.Subject, int, error) {
		if i == 3 {
			return nil, 0, unfit
		}
		return newCounter, 0, nil
	}
	c, err := s.Run(context.Background(), campaign.Config{Workers: 2})
	require.ErrorIs(t, err, unfit)
	require.EqualValues(t, 3*40, c.Schedules)
	require.Equal(t, []uint64{0, 1, 2}, ended)
}

func TestSeriesIsInterrupted(t *testing.T) {
	var ended []uint64
	ctx, cancel := context.WithCancel(context.Background())
	s := counters(&ended)
	s.Campaigns = 1_000_000
	s.Ended = func(i uint64, _ *campaign.Result) {
		if ended = append(ended, i); i == 2 {
			cancel()
		}
	}
	c, err := s.Run(ctx, campaign.Config{Workers: 1})
	require.NoError(t, err)
	require.True(t, c.Interrupted)
	require.GreaterOrEqual(t, c.Schedules, uint64(3*40))
	require.Less(t, c.Schedules, uint64(1_000*40), "it went on")

	s.Ended = nil
	c, err = s.Run(context.Background(), campaign.Config{For: time.Millisecond, Workers: 2})
	require.NoError(t, err)
	require.False(t, c.Interrupted, "it had a limit")
	require.Less(t, c.Schedules, uint64(1_000_000))
}
