package flip

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// A cache of another module does not ask etcd for its revision.
var _ = read.Freshnesses.Register("test-unasked", "what the cache has, as if it were fresh",
	read.Freshener{NeedsProgress: true, Begin: func(r *read.Read, env *sim.Env) { r.WaitUntilFresh(env, 0) }})

// blamed is what is said to decide the first run of a scenario that violates a property.
func blamed(t *testing.T, sc *testbed.Scenario, p testbed.Params, property string) string {
	t.Helper()
	return decided(t, sc, p, property).Blame()
}

// decided is what decides that run.
func decided(t *testing.T, sc *testbed.Scenario, p testbed.Params, property string) *Decision {
	t.Helper()
	o := searched(t, sc, p, property)
	return o.Decision
}

// searched is what a search comes to for that run.
func searched(t *testing.T, sc *testbed.Scenario, p testbed.Params, property string) Outcome {
	t.Helper()
	system, err := sc.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, p.Clock.Steps)
	for seed := range uint64(4_000) {
		rec, _ := recording.RecordSeed(runner, strategy.Default(), seed)
		for _, f := range rec.Violations() {
			if f.Property == property {
				return Decide(sc, p, rec, f)
			}
		}
	}
	t.Fatalf("%s is never violated", property)
	return Outcome{}
}

// Code from outside: one publishes the version before its store has the change, and has neighbours without that; the
// other waits for echoes, and no other code stands in for it.
func init() {
	register := func(name, setting string, neighbours func() []option.Neighbour) {
		cache.RegisterDesign(cache.Design{
			Preset: option.Preset{Name: name, Doc: "code from outside", Settings: option.Settings(setting)},
			New:    func(c cache.Config) sim.Node { return cache.New(c) }, Reads: []string{"snapshots"}, Neighbours: neighbours,
		})
	}
	register("test@v1+mine", "publication=version-first", func() []option.Neighbour {
		return []option.Neighbour{{Name: "kep-4988"}, {Name: "kep-2340", Without: "the patch mine"}}
	})
	register("test@v1+echo", "progress-requests=echo", nil)
}

// TestEarlierReleasesAreTriedLast: what began with a release is told with the releases before it, if nothing else
// decides.
func TestEarlierReleasesAreTriedLast(t *testing.T) {
	p := scenarios.Recovery.Params
	p.Etcd, p.Cache = "3.5.35", "progress-echo"
	require.Equal(t, "progress-requests=echo", blamed(t, scenarios.Recovery, p, "answers-in-time"))
	p.Cache, p.Settings = "test@v1+echo", option.Settings("progress-echo=echoed")
	o := searched(t, scenarios.Recovery, p, "answers-in-time")
	require.Contains(t, o.String(), "progress=dropped (etcd 3.5.13 to 3.5.21)")
}

// TestCodeFromOutsideHasNeighbours: what a patch does is blamed on it, and on no other release; without the patch as a
// neighbour, on the code.
func TestCodeFromOutsideHasNeighbours(t *testing.T) {
	p := scenarios.ConsistentList.Params
	p.Cache = "test@v1+mine"
	d := decided(t, scenarios.ConsistentList, p, "linearizable-data")
	require.Regexp(t, "^A change of the cache decides: the patch mine. Without the patch mine .kep-2340. replaying the same schedule.* passes", d.String())
	passing, _ := d.Passing()
	require.Equal(t, "kep-2340", passing.Cache)
	design, err := cache.FindDesign(p.Cache)
	require.NoError(t, err)
	all := design.Neighbours
	defer func() { design.Neighbours = all }()
	design.Neighbours = func() []option.Neighbour { return all()[:1] }
	require.Regexp(t, "^The code of the cache decides: test@v1.mine. With kep-4988 replaying", decided(t, scenarios.ConsistentList, p, "linearizable-data").String())
}

// TestGatesOfCodeFromOutsideAreTried: each value that it reads, and of the simulated cache what is shipped alone.
func TestGatesOfCodeFromOutsideAreTried(t *testing.T) {
	p := scenarios.ConsistentList.Params
	p.Cache = "test@v1+mine"
	values := func(gated bool) (all []string) {
		s := &search{scenario: scenarios.ConsistentList, params: p, gated: gated}
		for _, c := range s.candidates() {
			if c.Node != "cache" || c.whole {
				continue
			}
			for _, v := range s.remedies(&c) {
				all = append(all, c.Name+"="+v.name)
			}
		}
		return all
	}
	require.Equal(t, []string{"snapshots=on"}, values(true))
	require.Empty(t, values(false))
}

// TestWhatClientsDoIsTried: the cache takes in the keys of a write one by one, so that a read between them lacks one.
// What says how reads are judged is no cause.
func TestWhatClientsDoIsTried(t *testing.T) {
	p := scenarios.SeveralCaches.Params
	p.Workload.Wide = true
	o := searched(t, scenarios.SeveralCaches, p, "linearizable-data")
	require.Contains(t, o.Needed, "wide=true")
	list := searched(t, scenarios.StaleList, scenarios.StaleList.Params, "linearizable")
	require.Empty(t, list.Needed)
	require.Regexp(t, "^No setting is sure to decide. Tried, one at a time: other values of options of etcd, of the client library", o.String())
}

// TestAForkIsBlamedForWhatItChanged: not for what the draft of 2019 does otherwise.
func TestAForkIsBlamedForWhatItChanged(t *testing.T) {
	p := scenarios.ConsistentList.Params
	p.Settings = append(p.Settings, option.Setting{Name: "freshness", Value: "test-unasked"})
	require.Equal(t, "freshness=test-unasked", blamed(t, scenarios.ConsistentList, p, "linearizable-data"))
}

// TestAnOldClientIsBlamed: the release of the client library has the bug, which no
// option of the cache mends.
func TestAnOldClientIsBlamed(t *testing.T) {
	bug, err := testbed.FindBug("client-resume-repeats")
	require.NoError(t, err)
	p := bug.Scenario.Params
	p.Client = "3.5.7"
	require.Equal(t, bug.Setting, blamed(t, bug.Scenario, p, bug.Property.Name))
}
