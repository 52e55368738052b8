package knownbugs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/option"
)

// TestDelegatedWatchesAreWhatBreaksIt: a cache that shares a stream with delegated watches
// is late. It is in time without them on that stream, and with them on another one.
func TestDelegatedWatchesAreWhatBreaksIt(t *testing.T) {
	const schedules = 100
	for _, tc := range []struct {
		name     string
		settings []option.Setting
		late     bool
		// delegated: etcd serves watches for clients, nearly all of the 100 in each run. A run
		// ends when the readers are done.
		delegated bool
	}{
		{"on one stream", option.Settings("watch-stream=with-delegated"), true, true},
		{"none on it", option.Settings("watch-stream=with-delegated", "unversioned-watchers=0"), false, false},
		{"all served by the cache", option.Settings("watch-stream=with-delegated", "watch-delegation=none"), false, false},
		{"on two streams", nil, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := scenarios.Delegated.Params
			for _, s := range tc.settings {
				require.NoError(t, p.Set(s.Name, s.Value))
			}
			subjects, err := scenarios.Delegated.Subjects(p)
			require.NoError(t, err)
			c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: schedules, Steps: p.Clock.Steps})
			require.NoError(t, err)
			for _, f := range c.Properties {
				require.NotZero(t, f.Exercised, f.Name)
				require.Equal(t, tc.late && f.Name == "answers-in-time", f.Violations > 0, f.Name)
			}
			for _, s := range c.CoveragePoints {
				if s.CoveragePoint.String() == "cache: watch delegated to etcd" {
					require.Equal(t, tc.delegated, s.Times > 95*schedules)
					require.Equal(t, tc.delegated, s.Times > 0)
				}
			}
		})
	}
}
