package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/delegation"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// All watches of a resource that carry no gRPC metadata share a stream, and with it one
// watch channel of etcd. From Kubernetes 1.27 on these were the cache's own watch and each
// that a client had begun without a resourceVersion (#115096, #123448). SeparateCacheWatchRPC
// gives the cache's watch metadata; from 1.33 on the gate is off, since no watch is
// delegated any more (#129929).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123532", Issue: "kubernetes/kubernetes#123532", FixedIn: "Kubernetes 1.28.8, 1.29.3, 1.30",
	Summary:  "the cache watches on the stream of the watches that it delegates to etcd: its watch is created behind them, and its events and progress wait for theirs",
	Setting:  "watch-stream=with-delegated",
	Scenario: delegation.Delegated, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads wait for events and progress that come too late",
})

var _ = cache.WatchStreams.Register("with-delegated", "that of the watches which it delegates to etcd (kubernetes#123532)",
	func(cfg *cache.Config) string { return cfg.DelegatedMetadata })
