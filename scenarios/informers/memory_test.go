package informers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

const memorySeeds = 40

// killed explores a scenario with some options set. It returns the labels with which
// stays-up is violated.
func killed(t *testing.T, sc *testbed.Scenario, settings ...string) map[string]bool {
	t.Helper()
	p := sc.Params
	for _, s := range option.Settings(settings...) {
		require.NoError(t, p.Set(s.Name, s.Value))
	}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: memorySeeds, Steps: p.Clock.Steps})
	require.NoError(t, err)
	require.Zero(t, c.Truncated)
	labels := map[string]bool{}
	for _, f := range c.Failures {
		if f.Failure.Property == caches.StaysUp.Name {
			labels[f.Failure.Label] = true
		}
	}
	return labels
}

// TestMemoryOfStreams: what LISTs and streams take, to the object. The streams of four
// informers take 40 and their LISTs 240.
func TestMemoryOfStreams(t *testing.T) {
	assert.Empty(t, killed(t, informers.MemorySuffices))
	assert.True(t, killed(t, informers.MemorySuffices, "memory-limit=239", "informers=4", "caches=1")["alone"])
	assert.True(t, killed(t, informers.MemoryOfStreams)["alone"])
	assert.Empty(t, killed(t, informers.MemoryOfStreams, "server-settings=cache-1:memory-limit=40"))
}

// TestMemoryFeedback: one server with too little memory takes others with it that have
// enough for their own clients. Without that one nothing happens, nor with streams.
func TestMemoryFeedback(t *testing.T) {
	assert.True(t, killed(t, informers.MemoryFeedback)["in turn"], "servers are killed in turn")
	for _, s := range []string{"server-settings=", "informer-list=watch-list"} {
		assert.Empty(t, killed(t, informers.MemoryFeedback, s), s)
	}
}
