package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Without the gRPC metadata of SeparateCacheWatchRPC the cache shares a stream with
// every watch that etcd serves for clients.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123532", Issue: "kubernetes/kubernetes#123532", FixedIn: "Kubernetes 1.30",
	Summary:  "the cache watches on the stream of all other watches, whose events delay its progress notifications",
	Setting:  "watch-stream=of-all",
	Scenario: scenarios.BusyNeighbour, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads of a quiet resource wait for other watches to catch up",
})

var _ = cache.WatchStreams.Register("of-all", "the one of all watches without metadata (kubernetes#123532)",
	func(string) string { return "" })
