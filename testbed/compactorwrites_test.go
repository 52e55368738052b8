package testbed_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// withCompactor is a scenario in which a compactor alone writes.
func withCompactor(t *testing.T, lagging bool, w workload.Options) *testbed.System {
	t.Helper()
	sc := &testbed.Scenario{Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1, Lagging: lagging, Compactors: true},
		Workload: w,
		Clock:    testbed.Clock{Steps: 20_000},
	}}
	s, err := sc.New(sc.Params)
	require.NoError(t, err)
	return s
}

// anything takes the first action.
type anything struct{}

func (anything) Pick(*sim.World, []sim.Action) int        { return 0 }
func (anything) Choose(_ *sim.World, _ int, _ string) int { return 0 }

// The follower has applied what the compactor wrote, and a cache may show its revision. The
// leader has committed it, and applies it later.
func TestHistoryHasWhatAFollowerAloneHasApplied(t *testing.T) {
	s := withCompactor(t, true, workload.Options{Items: 1})
	w := sim.NewWorld(s.Options())
	s.Build(w)
	w.Start(anything{})
	leader, follower := s.Members()[0].Server, s.Members()[1].Server
	for len(follower.Committed()) == 0 {
		next := -1
		for i, a := range w.Enabled() {
			if w.Name(a) != "run etcd applyLoop" && (next < 0 || a.Since < w.Enabled()[next].Since) {
				next = i
			}
		}
		require.NotEqual(t, -1, next, "nothing is left but the leader's turn")
		w.Do(anything{}, w.Enabled()[next])
	}
	require.Empty(t, leader.Committed())
	operations := s.History().Operations
	require.Len(t, operations, 1)
	assert.Equal(t, follower.Committed()[0].Revision, operations[0].Commit)
}

// Clients of etcd draw transactions, some of which read and write nothing.
func TestCompactorsBesideTransactionsOfClients(t *testing.T) {
	s := withCompactor(t, false, workload.Options{Keys: 1, Items: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 6}})
	runner := explore.NewRunner(s, 20_000)
	chooser := strategy.Default().For(runner)
	compactions := 0
	for seed := range uint64(200) {
		chooser.Begin(seed)
		runner.Run(chooser)
		for i := range s.History().Operations {
			if s.History().Operations[i].Client >= len(s.Clients()) {
				compactions++
			}
		}
	}
	assert.NotZero(t, compactions)
}

// A read that was answered before a compactor asked for its write cannot have the revision of that write.
func TestNoReadShowsWhatACompactorAsksForLater(t *testing.T) {
	s := withCompactor(t, false, workload.Options{Readers: 2, Reads: 4, Read: "consistent", Keys: 1, Items: 1, AwaitReady: true})
	runner := explore.NewRunner(s, 20_000)
	chooser := strategy.Default().For(runner)
	early := 0
	for seed := range uint64(200) {
		chooser.Begin(seed)
		runner.Run(chooser)
		all := s.History().Operations
		first := slices.IndexFunc(all, func(op model.Operation) bool { return op.Client >= len(s.Clients()) })
		if first < 0 {
			continue
		}
		write := all[first]
		for i := range all {
			op := &all[i]
			if op.Request.IsWrite() || op.Outcome != model.Done || op.Result.Revision != write.Commit-1 || op.Return > write.Call {
				continue
			}
			changed := *s.History()
			changed.Operations = slices.Clone(all)
			result := *op.Result
			result.Revision = write.Commit
			changed.Operations[i].Result = &result
			var judge linearizability.Judge
			judged, err := judge.Check(&changed, s.Truth().Log(), linearizability.Linearizable)
			require.NoError(t, err)
			assert.Equal(t, model.Violated, judged[0].Verdict, "seed %d, operation %d", seed, i)
			early++
		}
	}
	assert.NotZero(t, early)
}
