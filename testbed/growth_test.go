package testbed_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// world runs schedules of one world.
type world struct {
	runner  *explore.Runner
	chooser strategy.Chooser
	seed    uint64
}

func newWorld(tb testing.TB, sc *testbed.Scenario, change func(*testbed.Params)) *world {
	p := sc.Params
	p.Etcd = "3.6.16"
	change(&p)
	s, err := sc.New(p)
	require.NoError(tb, err)
	r := explore.NewRunner(s, p.Clock.Steps)
	w := &world{runner: r, chooser: strategy.Random().For(r)}
	// The first run makes what the others share.
	w.run(1)
	return w
}

// run runs so many schedules, and returns how many steps they took.
func (w *world) run(schedules int) (steps uint64) {
	for range schedules {
		w.chooser.Begin(w.seed)
		w.seed++
		res := w.runner.Run(w.chooser)
		steps += res.Stats.Picks
	}
	return steps
}

// objects is a world that begins with so many, of which readers list the first page.
func objects(tb testing.TB, n int) *world {
	return newWorld(tb, scenarios.Issue15220, func(p *testbed.Params) { p.Workload.Items, p.Workload.Read = n, "page" })
}

func watchers(tb testing.TB, n int) *world {
	return newWorld(tb, scenarios.Issue15220, func(p *testbed.Params) { p.Workload.Watchers = n })
}

func clients(tb testing.TB, n int) *world {
	return newWorld(tb, scenarios.Issue15220, func(p *testbed.Params) { p.Workload.Writers, p.Workload.Readers = n/2, n/2 })
}

// growths are the sizes that are compared.
var growths = []struct {
	name         string
	of           func(testing.TB, int) *world
	small, large int
}{
	{"objects", objects, 100, 100_000},
	{"watchers", watchers, 1, 1_000},
	{"clients", clients, 4, 256},
}

// BenchmarkGrowth is what a schedule and a step cost in worlds of two sizes.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growths {
		for _, n := range []int{g.small, g.large} {
			b.Run(fmt.Sprintf("%s=%d", g.name, n), func(b *testing.B) {
				w := g.of(b, n)
				b.ReportAllocs()
				b.ResetTimer()
				steps := w.run(b.N)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
				b.ReportMetric(float64(steps)/float64(b.N), "steps/schedule")
			})
		}
	}
}

// cost is what one schedule costs: the time of the fastest, since other processes only add to
// it, and the bytes that are allocated.
func cost(w *world) (fastest time.Duration, bytes float64) {
	const schedules = 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fastest = time.Hour
	for range schedules {
		start := time.Now()
		w.run(1)
		fastest = min(fastest, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	return fastest, float64(after.TotalAlloc-before.TotalAlloc) / schedules
}

// A schedule must not go over all objects that there were before the run. With 100,000 of them
// it takes 15 times as long as with 100, and took 2,000 times as long when each schedule filled
// its stores, and its judges theirs. The bounds are ratios, because machines differ; that a step
// does not list all that could be done is held in package sim.
func TestScheduleGrowsLittleWithTheObjects(t *testing.T) {
	const few, many = 100, 100_000
	fewTime, fewBytes := cost(objects(t, few))
	manyTime, manyBytes := cost(objects(t, many))
	times, bytes := float64(manyTime)/float64(fewTime), manyBytes/fewBytes
	t.Logf("a schedule with %d objects takes %v and %.0f bytes, with %d %v and %.0f: %.1f and %.1f times as much",
		few, fewTime, fewBytes, many, manyTime, manyBytes, times, bytes)
	require.Less(t, times, 150.0)
	require.Less(t, bytes, 4.0)
}
