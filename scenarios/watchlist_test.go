package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// slowly is watch-list-slow with one option for a full buffer. By the timer is
// how the document has the end of the initial events.
func slowly(t *testing.T, buffer, end string, seeds uint64) *campaign.Result {
	p := campaigns.With(t, WatchListSlow, "initial-events-buffer="+buffer, "initial-events-end="+end)
	return campaigns.Explored(t, WatchListSlow, p, 0, seeds)
}

// TestBuffersOfInitialEvents judges each option of KEP-3157's step 2b by hand:
// whether what the client has at the end is the store, and what the option is
// there for.
func TestBuffersOfInitialEvents(t *testing.T) {
	const (
		terminated = "blocked watcher terminated"
		drained    = "blocked watcher drained because the end of its initial events is in its channel"
	)
	for _, o := range []struct {
		buffer string
		// breaks are the promises that it may break, one of them at least.
		breaks []*testbed.Property
		// seen must come about, by the timer at least.
		seen []string
	}{
		{"as-shipped", nil, []string{terminated, drained}},
		{"close-enough", nil, []string{terminated, drained, "watch sent to another API server because the cache is too far behind"}},
		{"dynamic", nil, []string{"channel of a watcher that sends initial events grows"}},
		{"cap", nil, []string{"channel of a watcher that sends initial events grows"}},
		{"references", append([]*testbed.Property{watches.EventTypes}, watchListClaims...), []string{"key kept in place of an object in a watcher's channel", "object of a kept key is newer than its event", "object of a kept key is gone"}},
		{"newest-only", nil, []string{"event in a watcher's channel made obsolete by the next one of its object"}},
		{"inject", []*testbed.Property{watches.InitialEvents}, []string{"event sent between initial events"}},
		{"inject-merged", nil, []string{"event sent between initial events", "event takes the place of an initial event"}},
	} {
		for _, end := range []string{"interval", "timer"} {
			t.Run(o.buffer+" "+end, func(t *testing.T) {
				t.Parallel()
				c := slowly(t, o.buffer, end, 1500)
				for _, f := range c.Properties {
					assert.NotZero(t, f.Exercised, f.Name)
				}
				assert.Subset(t, testbed.Names(o.breaks), campaigns.Violated(c))
				if len(o.breaks) > 0 {
					assert.NotEmpty(t, campaigns.Violated(c))
				}
				for _, name := range o.seen {
					if end == "timer" {
						assert.NotZero(t, campaigns.Times(t, c, "cache: "+name), name)
					}
				}
			})
		}
	}
}

// TestThousandWatchers: a thousand clients stream the contents of one cache at the
// same time, and follow it while objects change.
func TestThousandWatchers(t *testing.T) {
	p := WatchListStreams.Params
	p.Clock.Mode, p.Topology.Servers, p.Faults.Breaks, p.Faults.Restarts = sim.Timed, 1, 0, 0
	p.Workload.ListWatch.Clients, p.Workload.ListWatch.Rounds = 1000, 1
	p.Clock.Network, p.Clock.Scheduling, p.Workload.Think = time.Millisecond, 100*time.Microsecond, 100*time.Millisecond
	p.Clock.Horizon, p.Clock.Steps = 20*time.Second, 1_000_000
	c := campaigns.Explored(t, WatchListStreams, p, 0, 1)
	for _, f := range c.Properties {
		assert.Zero(t, f.Violations, f.Name)
		if f.Name == watches.InitialEvents.Name {
			assert.EqualValues(t, 1000, f.Exercised)
		}
	}
	assert.Zero(t, c.Truncated)
}
