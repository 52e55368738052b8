package compactor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
)

// drawn lets rapid choose everything.
type drawn struct{ t *rapid.T }

func (d drawn) Pick(_ *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	return rapid.IntRange(0, len(enabled)-1).Draw(d.t, "pick")
}

func (d drawn) Choose(_ *sim.World, n int, what string) int {
	return rapid.IntRange(0, n-1).Draw(d.t, what)
}

// What the comments on runCompactLoop promise, with several servers, some of
// which restart, and connections that are slow:
//
//   - what etcd holds less than an interval is never compacted;
//   - while the servers are up, it holds no more than two intervals of history;
//   - no server believes in a compaction of a revision that was not there.
func TestHistoryIsKeptForOneToTwoIntervals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const interval = 5 * time.Minute
		cfg, err := etcd.DefaultConfig("3.6.16")
		require.NoError(rt, err)
		library, err := client.DefaultConfig("3.6.16")
		require.NoError(rt, err)
		library.Etcd = etcdID
		delays := sim.Bounds{Network: sim.Delay{Max: time.Second, Steps: 2}}
		w := sim.NewWorld(sim.Options{Mode: sim.Timed, Safety: delays, Liveness: delays})
		server := etcd.New(cfg)
		w.Add("etcd", server)
		var compactors []*compactor.Compactor
		for i := range rapid.IntRange(1, 3).Draw(rt, "servers") {
			lib := w.Add(fmt.Sprint("client-", i+1), client.New(library))
			c := compactor.New(compactor.Config{KV: etcdID, Watch: lib, Options: compactor.Options{Interval: interval}})
			node := w.Add(fmt.Sprint("compactor-", i+1), c)
			compactors = append(compactors, c)
			w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{lib, node}, Label: fmt.Sprint(i + 1)},
				sim.Budget{Times: rapid.IntRange(0, 1).Draw(rt, "restarts"), Within: 16 * time.Minute})
		}
		w.Add("writer", &writer{})
		choose := drawn{rt}
		w.Start(choose)

		// revisions[i] is etcd's at the end of second i.
		var revisions []int64
		at := func(ago sim.Duration) int64 {
			second := int(w.Now().Sub(0)-ago) / int(time.Second)
			if second < 0 || second >= len(revisions) {
				return 1
			}
			return revisions[second]
		}
		compacted := int64(0)
		for w.Now() < sim.Time(32*time.Minute) && w.Step(choose) {
			for int(w.Now().Sub(0)/time.Second) >= len(revisions) {
				revisions = append(revisions, server.Revision())
			}
			if rev := server.CompactRevision(); rev > compacted {
				compacted = rev
				// The transaction that told the revision had to come back, and the
				// one that used it to arrive.
				assert.LessOrEqual(rt, rev, at(interval-2*time.Second))
			}
			for _, c := range compactors {
				assert.LessOrEqual(rt, c.CompactRevision(), server.Revision())
			}
		}
		// The last restart is 16 minutes ago. A try takes some seconds.
		assert.GreaterOrEqual(rt, compacted, at(2*interval+10*time.Second))
		for _, c := range compactors {
			assert.GreaterOrEqual(rt, c.CompactRevision(), at(2*interval+10*time.Second), "all have heard of it")
		}
	})
}
