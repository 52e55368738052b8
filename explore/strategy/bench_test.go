package strategy_test

import (
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// first always chooses the first option: what is left is the world.
type first struct{}

func (first) Begin(uint64)                       {}
func (first) Pick(*sim.World, []sim.Action) int  { return 0 }
func (first) Choose(*sim.World, int, string) int { return 0 }

// BenchmarkStrategies is the time of a run of 250 choices; "first" does not
// choose, so that the difference to it is the cost of a strategy.
func BenchmarkStrategies(b *testing.B) {
	r := explore.NewRunner(&toys.Echo{}, 0)
	p := strategy.Measure(r)
	bench := func(name string, c strategy.Chooser) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var seed, choices uint64
			for b.Loop() {
				c.Begin(seed)
				choices += r.Run(c).Stats.Choices
				seed++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(choices), "ns/choice")
		})
	}
	bench("first", first{})
	for _, s := range strategy.All() {
		bench(s.Name, s.New(p))
	}
}
