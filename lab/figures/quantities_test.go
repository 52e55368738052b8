package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// TestBoundsFollowQuantities sets a period, a timeout or a size to what the bound for its
// default does not allow: a property holds all the same, because its bound is that of the
// quantity in force. With the bound of the default each row fails.
func TestBoundsFollowQuantities(t *testing.T) {
	for _, x := range []struct {
		scenario, property string
		set                []string
	}{
		{"recovery", "answers-in-time", []string{"progress-period=1s"}},
		{"recovery", "answers-in-time", []string{"sync-interval=2s"}},
		{"recovery", "answers-in-time", []string{"cache=accumulated-reads", "accumulate-period=500ms"}},
		{"recovery", "needed-progress", []string{"progress-period=50ms"}},
		{"pauses", "relists-in-time", []string{"relist-delay=3s"}},
		{"pauses", "reopens-in-time", []string{"reopen-backoff=20ms"}},
		{"pauses", "reopens-in-time", []string{"reopen-backoff-max=2ms"}},
		{"bookmarks", "bookmarks-in-time", []string{"bookmark-period=20s"}},
		{"shrinking-history", "justified-refusals", []string{"ring-max=3"}},
		{"shrinking-history", "justified-refusals", []string{"fresh-duration=1ms"}},
		{"slow-start", "justified-refusals", []string{"block-timeout=1s"}},
		{"kept-pages", "pages-in-time", []string{"kept-for=3m"}},
		{"long-without-leader", "needs-leader", []string{"election-timeout=2s"}},
		{"member-partition", "served-without-member", []string{"election-timeout=2s"}},
		{"leases", "etcd-answers", []string{"mode=timed", "horizon=200s", "faults-for=60s", "think=3s", "network=1ms", "election-timeout=10s"}},
		{"lease-times", "leases-expire", []string{"election-timeout=4s"}},
		{"compacted-history", "no-compacted-reads", []string{"compaction-notice=polled", "compaction-poll=4m"}},
		{"competing-compactors", "no-compacted-reads", []string{"compact-watch-retry=4m"}},
	} {
		t.Run(x.scenario+" "+x.set[len(x.set)-1], func(t *testing.T) {
			t.Parallel()
			sc, err := testbed.FindScenario(x.scenario)
			require.NoError(t, err)
			p := campaigns.With(t, sc, x.set...)
			c := campaigns.Explored(t, sc, p, 0, testsize.Of[uint64](200, 60))
			for _, tally := range c.Properties {
				if tally.Name == x.property {
					assert.Equal(t, model.Holds, tally.Verdict, "%v", c.Failures)
					return
				}
			}
			assert.Fail(t, "not claimed", "%s does not claim %s", x.scenario, x.property)
		})
	}
}
