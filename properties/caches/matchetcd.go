// Package caches has the properties of the caches themselves, whatever they are
// asked.
package caches

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// MatchEtcd compares a cache with ground truth whenever its resourceVersion has
// changed, which is how often it is exercised. A cache that cannot show its
// contents (cache.Mirror) never exercises it.
var MatchEtcd = testbed.RegisterProperty(&testbed.Property{
	Name: "cache-matches-etcd", Kind: testbed.Safety,
	Promise:   "After every step a cache that is ready holds what etcd had at the cache's resourceVersion.",
	Violated:  "cache differs from etcd",
	Labels:    truth.LabelsAs("cache differs from etcd"),
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New: func(s *testbed.System) testbed.Judge {
		return &matchEtcd{system: s, seen: make([]int64, len(s.Caches()))}
	},
})

type matchEtcd struct {
	system *testbed.System
	// seen is the resourceVersion last compared, by cache.
	seen  []int64
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *matchEtcd) Reset() {
	clear(j.seen)
	j.tally = testbed.Tally{}
}

// Follows implements testbed.Follower.
func (*matchEtcd) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *matchEtcd) AfterStep(_ *sim.World, a sim.Action) {
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Mirror == nil || !c.Ready() || c.Mirror.ResourceVersion() == j.seen[i] || j.tally.Violated() {
			continue
		}
		j.seen[i] = c.Mirror.ResourceVersion()
		j.tally.Exercised++
		if d := j.system.Truth().Compare(c.Name, j.seen[i], c.Prefix(), c.Mirror.Ascend); d != nil {
			j.tally.Violate(d.Label(), d)
		}
	}
}

// Finding implements testbed.Judge.
func (j *matchEtcd) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
