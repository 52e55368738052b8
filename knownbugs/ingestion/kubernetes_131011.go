package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/testbed"
)

// A cache with snapshots did not learn of compactions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-131011", Issue: "kubernetes/kubernetes#131011", FixedIn: "Kubernetes 1.34",
	Summary:  "the cache serves history that etcd has compacted",
	Setting:  "compaction-notice=unheard",
	Scenario: scenarios.CompactedHistory, Property: reads.NoCompactedReads,
	Also: []*testbed.Scenario{scenarios.CompetingCompactors},
	Why:  "the answer is true, and older than etcd serves to any client",
})

var _ = check.CompactionNotices.Register("unheard", "not at all: it serves history that etcd has compacted (kubernetes#131011)", unheard{})

type unheard struct{}

// Begin implements check.Notice.
func (unheard) Begin(*sim.Env, *check.Compactions) {}

// Next implements check.Notice.
func (unheard) Next(*sim.Env, *check.Compactions, int64) {}
