// Package caches (unstable) has the properties of API servers: of their caches, whatever these are
// asked, of the timers, client libraries and compactors beside them, and of their memory.
package caches

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// MatchEtcd compares a cache with ground truth whenever its resourceVersion has
// changed, which is how often it is exercised. A cache that cannot show its
// contents (cache.Mirror) never exercises it.
var MatchEtcd = testbed.RegisterProperty(&testbed.Property{
	Name: "cache-matches-etcd", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "After every step a cache that is ready holds what etcd had at the cache's resourceVersion.",
	Violated: "cache differs from etcd",
	Labels:   testbed.DifferenceLabels("cache differs from etcd"),
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.EachCache(matchEtcd),
})

// matchEtcd compares a cache that was compared last at a resourceVersion.
func matchEtcd(s *testbed.System, _ *sim.World, c *testbed.Cache, last *int64, all *testbed.Tally) {
	if c.Mirror == nil || !c.Ready() || c.Mirror.ResourceVersion() == *last || all.Violated() {
		return
	}
	*last = c.Mirror.ResourceVersion()
	all.Exercised++
	if d := s.Truth().Compare(c.Name, *last, c.Prefix(), c.Mirror.Ascend); d != nil {
		all.Violate(d.Label(), d)
	}
}
