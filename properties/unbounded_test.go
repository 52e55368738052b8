package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
)

// silent is a cache that does not say what the channels to its watchers hold, as compiled code cannot.
type silent struct {
	sim.Node
	cache.Mirror
}

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: "test-silent", Doc: "says nothing of its channels"},
		New: func(cfg cache.Config) sim.Node {
			of := cache.New(cfg)
			return &silent{of, of}
		},
	})
}

// TestWhereNothingBoundsChannelsNoDelayIsJudged: a claim that cannot fail there is vacuous, and does not hold.
func TestWhereNothingBoundsChannelsNoDelayIsJudged(t *testing.T) {
	verdict := func(design string) model.Verdict {
		p := campaigns.With(t, scenarios.StalledNeighbours, "cache="+design, "writes=100", "slow-watchers=groups")
		c := campaigns.Explored(t, scenarios.StalledNeighbours, p, 0, 1)
		require.Equal(t, caches.DeliveredUndelayed.Name, c.Properties[0].Name)
		return c.Properties[0].Verdict
	}
	assert.Equal(t, model.Holds, verdict("kep-2340"))
	assert.Equal(t, model.Vacuous, verdict("test-silent"))
}
