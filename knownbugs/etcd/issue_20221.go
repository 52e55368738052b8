package etcd

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A watcher whose start is a future revision counts as synced.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20221", Issue: "etcd-io/etcd#20221", FixedIn: "etcd 3.4.38, 3.5.22 and 3.6.2",
	Summary:  "a watch from a future revision is sent progress before that revision exists",
	Setting:  "progress=dropped",
	Scenario: scenarios.LaggingMember, Property: caches.MatchEtcd,
	Why: "the resourceVersion of the cache goes back behind its own list",
})
