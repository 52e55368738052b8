package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// TestGuestFindsIssue15220: Kubernetes' own cache in front of etcd 3.5.7 answers a consistent LIST without
// a completed write, and in front of 3.6.16 it does not. Each seed gives the same run twice, whatever ran before.
func TestGuestFindsIssue15220(t *testing.T) {
	for version, finds := range map[string]bool{"3.5.7": true, "3.6.16": false} {
		p := scenarios.Issue15220.Params
		p.Cache, p.Etcd = "kubernetes@v0.37.2", version
		subjects, err := scenarios.Issue15220.Subjects(p)
		require.NoError(t, err)
		// The campaign carries out some seeds twice, and fails if a run differs.
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 300, Workers: 1, Steps: p.Clock.Steps})
		require.NoError(t, err)
		violated := 0
		for _, property := range c.Properties {
			if property.Verdict == model.Violated {
				violated++
			}
		}
		require.Equal(t, finds, violated > 0, "etcd %s", version)
	}
}
