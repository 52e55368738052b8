package cache

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// idle is a cache of another module.
type idle struct{ sim.Node }

func TestAnotherModuleRegistersADesign(t *testing.T) {
	defer func(before []Design) { designs = before }(slices.Clone(designs))
	RegisterDesign(Design{Preset: option.Preset{Name: "test-small", Doc: "kep-2340 with a ring of 2", Settings: option.Settings("ring=2")}})
	RegisterDesign(Design{Preset: option.Preset{Name: "test-idle", Doc: "does nothing"}, New: func(Config) sim.Node { return idle{} }})
	small, err := FindDesign("test-small")
	require.NoError(t, err)
	require.Equal(t, 2, small.Options().RingCapacity)
	other, err := FindDesign("test-idle")
	require.NoError(t, err)
	require.Equal(t, idle{}, other.New(Config{}))
	require.Panics(t, func() { RegisterDesign(*small) }, "there is one of that name")
	require.Panics(t, func() {
		RegisterDesign(Design{Preset: option.Preset{Name: "test-wrong", Settings: option.Settings("ring=two")}})
	}, "a setting that cannot be set")
}
