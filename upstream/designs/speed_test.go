package designs

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/node"
)

// programs are those of which lifetimes are measured: Kubernetes' cache, etcd's watch server, and both.
var programs = []struct{ name, cache, etcd string }{
	{"cache", "kubernetes@v0.37.2", "3.5.7"},
	{"etcd", "kep-2340", "etcd@v3.5.7"},
	{"both", "kubernetes@v0.37.2", "etcd@v3.5.7"},
}

// BenchmarkLifetimes is how many schedules of issue-15220 are run and judged in a second of processor time, each from
// the start of the code that ships. README.md of the module has the figures.
func BenchmarkLifetimes(b *testing.B) {
	for _, of := range programs {
		b.Run(of.name, func(b *testing.B) { lifetimes(b, scenarios.Issue15220, of.cache, of.etcd) })
	}
}

// BenchmarkTimedLifetimes is the same for about eleven seconds with a clock: two writers with five writes each, two
// readers with five consistent LISTs each, and a watch. Hardly more of the guest's timers go off than clients have to
// do, where without a clock most steps of a run are timers.
func BenchmarkTimedLifetimes(b *testing.B) {
	for _, of := range programs {
		b.Run(of.name, func(b *testing.B) {
			lifetimes(b, scenarios.ConsistentList, of.cache, of.etcd,
				"mode=timed", "horizon=20s", "network=10ms", "scheduling=2ms", "think=4s", "writes=5", "reads=5", "gets=0", "noise=0", "breaks=0", "restarts=0")
		})
	}
}

func lifetimes(b *testing.B, sc *testbed.Scenario, cache, etcd string, set ...string) {
	p := sc.Params
	for _, s := range append([]string{"cache=" + cache, "etcd=" + etcd, "version-check=none"}, set...) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(b, p.Set(name, value))
	}
	subjects, err := sc.Subjects(p)
	require.NoError(b, err)
	run := func(seeds int) {
		_, err := campaign.Run(b.Context(), subjects, campaign.Config{Seeds: uint64(seeds), Workers: 1, Steps: p.Clock.Steps})
		require.NoError(b, err)
	}
	// The guest is loaded before.
	run(1)
	b.ResetTimer()
	before := campaign.CPUTime()
	run(b.N)
	b.ReportMetric(float64(b.N)/(campaign.CPUTime()-before).Seconds(), "lifetimes/cpu-s")
}

// BenchmarkForks is how many branches of a run of issue-15220 with Kubernetes' cache are taken in a second of processor
// time. Each is a clone of the world in the middle of the run, and one step of the guest in it.
func BenchmarkForks(b *testing.B) {
	sc := scenarios.Issue15220
	p := sc.Params
	require.NoError(b, p.Set("cache", "kubernetes@v0.37.2"))
	system, err := sc.New(p)
	require.NoError(b, err)
	w := sim.NewWorld(system.Options())
	system.Build(w)
	w.Start(towards(0))
	for range 60 {
		require.True(b, w.Step(towards(0)))
	}
	guest, found := guestWithAStep(w)
	require.True(b, found)
	b.ResetTimer()
	before := campaign.CPUTime()
	for range b.N {
		var branch sim.World
		require.NoError(b, w.Fork(&branch))
		require.True(b, branch.Step(towards(guest)))
	}
	b.ReportMetric(float64(b.N)/(campaign.CPUTime()-before).Seconds(), "branches/cpu-s")
}

// guestWithAStep is a node with a guest in it that can take a step.
func guestWithAStep(w *sim.World) (sim.NodeID, bool) {
	for _, a := range w.Enabled() {
		if _, is := w.Node(a.Node).(*node.Node); is {
			return a.Node, true
		}
	}
	return 0, false
}

// towards takes the first step of a node, and the first of all if the node has none.
type towards sim.NodeID

func (t towards) Pick(_ *sim.World, enabled []sim.Action) int {
	return max(0, slices.IndexFunc(enabled, func(a sim.Action) bool { return a.Node == sim.NodeID(t) }))
}

func (towards) Choose(*sim.World, int, string) int { return 0 }
