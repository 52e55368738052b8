package knownbugs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestCompactionsUnheard: kubernetes #131011 is served history that etcd has
// compacted, for as long as nothing is written, and nothing else is wrong.
func TestCompactionsUnheard(t *testing.T) {
	for _, sc := range []*testbed.Scenario{scenarios.CompactedHistory, scenarios.CompetingCompactors} {
		p := sc.Params
		p.Bugs = []string{"kubernetes-131011"}
		subjects, err := sc.Subjects(p)
		require.NoError(t, err)
		result, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: testsize.Of[uint64](1000, 200), Steps: p.Clock.Steps})
		require.NoError(t, err)
		require.Len(t, result.Failures, 1)
		assert.Equal(t, explore.Failure{Property: reads.NoCompactedReads.Name, Label: "served-by-cache"}, result.Failures[0].Failure)
	}
}
