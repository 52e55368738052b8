package strategy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
)

func TestARunIsAFunctionOfItsSeed(t *testing.T) {
	for _, s := range strategy.All() {
		used := explore.NewRunner(toys.NewCounter(), 0)
		c := s.For(used)
		for seed := range uint64(200) {
			c.Begin(seed)
			after := used.Run(c).TraceHash
			if seed%50 != 49 {
				continue
			}
			fresh := explore.NewRunner(toys.NewCounter(), 0)
			d := s.For(fresh)
			d.Begin(seed)
			require.Equal(t, after, fresh.Run(d).TraceHash, "%s, seed %d", s.Name, seed)
		}
	}
}

// TestUnprofiledStrategiesDoNotLookAtProfiles: their runs are the same with whatever
// profile. A profile of large numbers changes those of the others.
func TestUnprofiledStrategiesDoNotLookAtProfiles(t *testing.T) {
	r := explore.NewRunner(toys.NewCounter(), 0)
	large := strategy.Profile{Steps: 10_000, Picks: 10_000, Events: []uint32{1, 1, 1, 1, 1000, 1000}}
	for _, s := range strategy.All() {
		a, b := s.New(strategy.Measure(r)), s.New(large)
		alike := true
		for seed := range uint64(200) {
			a.Begin(seed)
			b.Begin(seed)
			alike = alike && r.Run(a).TraceHash == r.Run(b).TraceHash
		}
		require.True(t, alike || !s.Unprofiled, s.Name)
		if s.Name == "pct3" || s.Name == "urw" {
			require.False(t, alike, "%s: the profile of this test says nothing", s.Name)
		}
	}
}
