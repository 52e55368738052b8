package explore_test

import (
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// echoes is twelve streams on which messages go back and forth for 250 steps:
// about what is enabled, and how long, in a scenario.
type echoes struct{ quiet }

func (e *echoes) Start(env *sim.Env) {
	for range 12 {
		env.Send(env.Open(1), ball)
	}
}

var ball sim.Payload = text("ball")

func (e *echoes) Receive(env *sim.Env, m *sim.Message) { env.Send(m.Conn, m.Payload) }
func (e *echoes) Build(w *sim.World)                   { w.Add("echo", e) }
func (e *echoes) Over(w *sim.World) bool               { return w.Steps() == 250 }

// first always chooses the first option: what is left is the world.
type first struct{}

func (first) Begin(uint64)                       {}
func (first) Pick(*sim.World, []sim.Action) int  { return 0 }
func (first) Choose(*sim.World, int, string) int { return 0 }

// BenchmarkStrategies is the time of a run of 250 choices; "first" does not
// choose, so that the difference to it is what a strategy costs.
func BenchmarkStrategies(b *testing.B) {
	r := explore.NewRunner(&echoes{}, 0)
	p := r.Profile()
	bench := func(name string, c explore.Chooser) {
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
	for _, s := range explore.Strategies() {
		bench(s.Name, s.Chooser(p))
	}
}
