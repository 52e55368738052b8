package informers

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ShardsAreWhole is KEP-5866's mutual exclusion, and that nothing is left over. It asks no hash, and looks at
// informers whose bounds move no more: whenever all of them show the same resourceVersion, and at rest. It is
// exercised by each of these moments.
var ShardsAreWhole = testbed.RegisterProperty(&testbed.Property{
	Name: "shards-are-whole", Kind: testbed.Safety,
	Promise:  "Informers with a shard each that are at the same resourceVersion, or to which nothing more is sent, have all objects together, and no object twice.",
	Violated: "shards are not the whole",
	Labels:   testbed.DifferenceLabels("shards are not the whole", "overlap"),
	Weight:   3,
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachInformer(shardsAreWhole),
})

func shardsAreWhole(s *testbed.System, _ *sim.World, n *testbed.Informer, seen *shardView, all *testbed.Tally) {
	if !(*view)(seen).changed(n) {
		return
	}
	shards := s.ShardsOf(n)
	if len(shards) > 0 && !slices.ContainsFunc(shards, func(o *testbed.Informer) bool { return o.ResourceVersion() != n.ResourceVersion() }) {
		judgeShards(s, shards, n.ResourceVersion(), all)
	}
}

// shardView is what the informer of a shard showed after a step.
type shardView view

// Conclude judges each fleet in a run in which nothing more can happen.
func (*shardView) Conclude(s *testbed.System, w *sim.World, place int, all *testbed.Tally) {
	if shards := s.ShardsOf(s.Informers()[place]); s.IsAtRest(w) && len(shards) > 0 && shards[0] == s.Informers()[place] {
		judgeShards(s, shards, s.Truth().Revision(), all)
	}
}

// judgeShards compares all that the informers of a resource hold with what etcd had at a revision.
func judgeShards(s *testbed.System, shards []*testbed.Informer, revision int64, all *testbed.Tally) {
	var held []*wire.KeyValue
	var names []string
	for _, n := range shards {
		if !n.IsResharded() || !n.Synced() {
			return
		}
		names = append(names, n.Name)
		n.Ascend(func(kv *wire.KeyValue) bool {
			held = append(held, kv)
			return true
		})
	}
	all.Exercised++
	slices.SortFunc(held, func(a, b *wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	for i := 1; i < len(held); i++ {
		if kv := held[i]; held[i-1].Key == kv.Key {
			all.Violatef("overlap", testbed.Concern{Key: kv.Key, Revision: kv.ModRevision}, "%s hold %s twice at RV %d: of revisions %d and %d",
				strings.Join(names, " and "), kv.Key, revision, held[i-1].ModRevision, kv.ModRevision)
			return
		}
	}
	whole := &model.WatchRequest{Key: shards[0].Prefix(), End: model.PrefixEnd(shards[0].Prefix())}
	if d := s.Truth().CompareSelected(strings.Join(names, " with "), revision, whole, testbed.TruthContents(slices.Values(held))); d != nil {
		all.Violate(d.Label(), d)
	}
}
