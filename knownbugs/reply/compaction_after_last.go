package reply

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/testbed"
)

// A client that watches again from the revision that the response names would miss a
// deletion of the compacted revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-after-last",
	Summary:  "the response that ends a watch whose history is gone names the revision behind the compacted one",
	Setting:  "named-compaction=after-last",
	Scenario: scenarios.CompactedWatch, Property: etcdapi.WatchAnswers,
	Why: "etcd was never compacted at the revision that the client is told",
})

var _ = reply.Compactions.Register("after-last", "the revision behind the last one: no release",
	func(env *sim.Env, last int64) int64 {
		if env.Noting() {
			env.Note(altered{"ends a watch and names a compaction that it has not made", sim.About{Revision: last + 1}})
		}
		return last + 1
	})
