package follower_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
)

// idle is a cache of another module.
type idle struct{ sim.Node }

// TestAnotherModuleRegistersADesign leaves its designs registered. So it is in a package whose
// other tests name their designs.
func TestAnotherModuleRegistersADesign(t *testing.T) {
	cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-small", Doc: "kep-2340 with a ring of 2", Settings: option.Settings("ring=2")}})
	cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-idle", Doc: "does nothing"}, New: func(cache.Config) sim.Node { return idle{} }})
	small, err := cache.FindDesign("test-small")
	require.NoError(t, err)
	require.Equal(t, 2, small.Options().RingCapacity)
	other, err := cache.FindDesign("test-idle")
	require.NoError(t, err)
	require.Equal(t, idle{}, other.New(cache.Config{}))
	require.Panics(t, func() { cache.RegisterDesign(*small) }, "there is one of that name")
	require.Panics(t, func() {
		cache.RegisterDesign(cache.Design{Preset: option.Preset{Name: "test-wrong", Settings: option.Settings("ring=two")}})
	}, "a setting that cannot be set")
}
