package clusterbed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// TestReleaseHolds: three members of a release without a known bug keep what is claimed, whatever breaks, and do the same in each run of a seed.
func TestReleaseHolds(t *testing.T) {
	subjects, err := Default("cluster@v3.6.16").Subjects()
	require.NoError(t, err)
	r, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: strategy.Random(), Seeds: 40, RecheckShare: 0.1, Steps: Steps})
	require.NoError(t, err)
	for _, p := range r.Properties {
		require.Equal(t, model.Holds, p.Verdict, p.Name)
	}
}
