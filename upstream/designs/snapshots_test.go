package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// pastsMatch compares each snapshot of a cache with what etcd had, at the oldest and at the newest resourceVersion
// for which it stands, after each step that changes the cache.
type pastsMatch struct {
	system *testbed.System
	at     map[string]int64
	tally  testbed.Tally
}

func (p *pastsMatch) Reset() { p.at, p.tally = map[string]int64{}, testbed.Tally{} }

func (p *pastsMatch) Finding(*sim.World) explore.Finding { return p.tally.Finding() }

func (p *pastsMatch) AfterStep(_ *sim.World, a sim.Action) {
	for _, c := range p.system.Caches() {
		if now := c.Mirror.ResourceVersion(); a.Node == c.ID && now != p.at[c.Name] {
			p.at[c.Name] = now
			p.compare(c)
		}
	}
}

func (p *pastsMatch) compare(c *testbed.Cache) {
	oldest := int64(0)
	c.Remembering.AscendSnapshots(func(until int64, ascend func(func(*wire.KeyValue) bool)) {
		for _, at := range []int64{oldest, until} {
			if at == 0 {
				continue
			}
			p.tally.Exercised++
			if differs := p.system.Truth().Compare(c.Name, at, c.Prefix(), ascend); differs != nil {
				p.tally.Violate("snapshot", differs)
			}
		}
		oldest = until + 1
	})
}

// TestGuestShowsItsSnapshots: each snapshot of Kubernetes' watch cache is what etcd had, for as long as it stands for
// that, and judges know of the compactions that the cacher has carried out.
func TestGuestShowsItsSnapshots(t *testing.T) {
	sc := *scenarios.SnapshotReads
	compacted := int64(0)
	sc.Claims = []*testbed.Property{{
		Name: "snapshots-match-etcd", Kind: testbed.Safety, Promise: "A snapshot is what etcd had.", Violated: "another state",
		New: func(s *testbed.System) testbed.Judge { return &pastsMatch{system: s} },
	}, {
		Name: "compaction-known", Kind: testbed.Safety, Promise: "none", Violated: "none",
		New: func(s *testbed.System) testbed.Judge { return &newestCompaction{s, &compacted} },
	}}
	got := explored(t, &sc, 6)["snapshots-match-etcd"]
	require.Equal(t, model.Holds, got.Verdict)
	require.Greater(t, got.Exercised, uint64(100))
	require.NotZero(t, compacted)
}

// newestCompaction keeps the newest compaction that a cache has known of.
type newestCompaction struct {
	system *testbed.System
	newest *int64
}

func (*newestCompaction) Reset() {}

func (n *newestCompaction) Finding(*sim.World) explore.Finding {
	for _, c := range n.system.Caches() {
		*n.newest = max(*n.newest, c.Compacting.CompactRevision())
	}
	return explore.Finding{}
}
