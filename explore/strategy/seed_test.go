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
		c := s.New(strategy.Measure(used))
		for seed := range uint64(200) {
			c.Begin(seed)
			after := used.Run(c).TraceHash
			if seed%50 != 49 {
				continue
			}
			fresh := explore.NewRunner(toys.NewCounter(), 0)
			d := s.New(strategy.Measure(fresh))
			d.Begin(seed)
			require.Equal(t, after, fresh.Run(d).TraceHash, "%s, seed %d", s.Name, seed)
		}
	}
}
