package explore_test

import (
	"context"
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

// BenchmarkExplore is a campaign of one worker, with everything that counts
// and rechecks: compare with BenchmarkStrategies/random.
func BenchmarkExplore(b *testing.B) {
	b.ReportAllocs()
	var choices uint64
	for b.Loop() {
		c, err := explore.Explore(context.Background(), func() explore.Subject { return &echoes{} },
			explore.Config{Strategy: explore.Random(), Seeds: 3200, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		choices += c.Stats.Choices
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(choices), "ns/choice")
}

// BenchmarkFollow is a run of 250 choices that follows a recording, which is
// parsed anew: more than what one candidate costs while shrinking.
func BenchmarkFollow(b *testing.B) {
	r := explore.NewRunner(&echoes{}, 0)
	rec, _ := explore.RecordSeed(r, explore.Random(), 1)
	b.ReportAllocs()
	for b.Loop() {
		f, err := explore.NewFollower(rec)
		if err != nil {
			b.Fatal(err)
		}
		r.Run(f)
	}
}

// BenchmarkShrink reports how many candidates a second it tries.
func BenchmarkShrink(b *testing.B) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(b, r)
	runs := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := explore.Shrink(context.Background(), r, rec, rec.Violations()[0], 0)
		if err != nil {
			b.Fatal(err)
		}
		runs += s.Runs
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}
