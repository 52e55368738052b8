package campaign_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
)

// TestLotsAreTheCampaign: in any order, with some that came twice, and through JSON.
func TestLotsAreTheCampaign(t *testing.T) {
	for name, subject := range map[string]func() explore.Subject{"failures": newCounter, "metrics": newMeter} {
		t.Run(name, func(t *testing.T) {
			cfg := campaign.Config{FirstSeed: 7, Seeds: 1001, RecheckShare: 0.1}
			whole := explored(t, subject, cfg)
			for _, batches := range []uint64{1, 5, 100} {
				var lots []*campaign.Lot
				for n := range campaign.Lots(cfg.Seeds, batches) {
					lot := campaign.NewLot(cfg.Seeds, batches, n)
					beats := uint64(0)
					require.NoError(t, lot.Run(t.Context(), subject, cfg, func() { beats++ }))
					require.Equal(t, lot.Batches, beats)
					text, err := json.Marshal(lot)
					require.NoError(t, err)
					read := new(campaign.Lot)
					require.NoError(t, json.Unmarshal(text, read))
					lots = append(lots, read)
				}
				r := rand.New(rand.NewPCG(1, 2))
				lots = append(lots, lots[r.IntN(len(lots))])
				r.Shuffle(len(lots), func(i, k int) { lots[i], lots[k] = lots[k], lots[i] })
				require.Equal(t, whole, merged(t, cfg, lots))
			}
		})
	}
}

// TestLotsBehindAGapAreLeftOut: the result is that of the first seeds.
func TestLotsBehindAGapAreLeftOut(t *testing.T) {
	cfg := campaign.Config{Seeds: 10 * campaign.BatchSize}
	var lots []*campaign.Lot
	for n := range campaign.Lots(cfg.Seeds, 2) {
		lot := campaign.NewLot(cfg.Seeds, 2, n)
		require.NoError(t, lot.Run(t.Context(), newCounter, cfg, nil))
		lots = append(lots, lot)
	}
	got := merged(t, cfg, slices.Delete(lots, 2, 3))
	require.True(t, got.Interrupted)
	got.Interrupted = false
	require.Equal(t, explored(t, newCounter, campaign.Config{Seeds: 4 * campaign.BatchSize}), got)
}

func merged(t *testing.T, cfg campaign.Config, lots []*campaign.Lot) *campaign.Result {
	t.Helper()
	m, err := campaign.NewMerger(cfg)
	require.NoError(t, err)
	for _, l := range lots {
		m.Add(l)
	}
	r := m.Result()
	require.Positive(t, r.CPU)
	r.Elapsed, r.CPU = 0, 0
	return r
}
