package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// etcd answers a progress request to all watches of a gRPC stream, once all of
// them are synced. A design in which the caches of all resources share one stream
// was considered and not shipped.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-114458", Issue: "kubernetes/kubernetes#114458",
	Summary:  "the caches of all resources watch on one stream: while one of them catches up, none is sent progress",
	Setting:  "watch-stream=of-caches",
	Scenario: scenarios.BusyNeighbour, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads of a quiet resource wait for another resource to catch up",
})

var _ = cache.WatchStreams.Register("of-caches", "one for all caches of the client (kubernetes#114458)",
	func(*cache.Config) string { return "source=cache" })
