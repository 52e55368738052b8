package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// UpdateResourceVersion woke the waiting reads once more after each change, until it returned early from versions
// that the cache has (kubernetes/kubernetes#142291). It may do so since processEvent wakes them itself. This cache
// takes that for one broadcast too many.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "change-wakes-no-read",
	Summary:  "a change leaves it to UpdateResourceVersion to wake the reads that wait, and that returns early",
	Setting:  "equal-progress=skipped-unwoken",
	Scenario: scenarios.AwaitedChange, Property: reads.AnswersInTime,
	Why: "reads that wait for a change are not woken by it, and later progress says nothing new",
})

// An election of etcd that took some seconds ended the watches of all caches. Each of them
// listed again, and ended the watches of its clients.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-111116", Issue: "kubernetes/kubernetes#111116", FixedIn: testbed.Fix("Kubernetes", "1.25"),
	Summary:  "a cache lists everything again when etcd has no leader for a while, and ends all watches",
	Setting:  "watch-retry=none",
	Scenario: scenarios.NoLeader, Property: caches.Resumes,
	Why: "the watch could have gone on from where it was",
})

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

// All watches of a resource that carry no gRPC metadata share a stream, and with it one
// watch channel of etcd. From Kubernetes 1.27 on these were the cache's own watch and each
// that a client had begun without a resourceVersion (#115096, #123448). SeparateCacheWatchRPC
// gives the cache's watch metadata; from 1.33 on the gate is off, since no watch is
// delegated any more (#129929).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123532", Issue: "kubernetes/kubernetes#123532", FixedIn: testbed.Fix("Kubernetes", "1.28.8", "1.29.3", "1.30"),
	Summary:  "the cache watches on the stream of the watches that it delegates to etcd: its watch is created behind them, and its events and progress wait for theirs",
	Setting:  "watch-stream=with-delegated",
	Scenario: scenarios.Delegated, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads wait for events and progress that come too late",
})

// A cache with snapshots did not learn of compactions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-131011", Issue: "kubernetes/kubernetes#131011", FixedIn: testbed.Fix("Kubernetes", "1.34"),
	Summary:  "the cache serves history that etcd has compacted",
	Setting:  "compaction-notice=unheard",
	Scenario: scenarios.CompactedHistory, Property: reads.NoCompactedReads,
	Also: []*testbed.Scenario{scenarios.CompetingCompactors},
	Why:  "the answer is true, and older than etcd serves to any client",
})

// The healthy cache sets its resourceVersion in the step that takes a progress
// notification in. This one sets it when the dispatcher takes the notification
// from its channel. Events that came in meanwhile have moved the version on, and it
// goes back.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "progress-lowers-version",
	Summary:  "a progress notification sets the resourceVersion late, and takes it back behind events that came since",
	Setting:  "progress-rv=dispatched",
	Scenario: scenarios.Outages, Property: caches.MatchEtcd,
	Why:        "the contents are newer than the version; reads show it only if they come between",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential},
	WhyFurther: "a LIST between shows newer contents under the older version",
})

// v0.38.0-alpha.2 publishes its latest snapshot before history and version, and reads it under the lock of
// the cache, which is not free in between. This cache reads it without that lock: the healthy one changes
// everything in the step that takes an event in, this one changes history and version in the next step of the
// same goroutine, the hand-over to the dispatcher.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "store-before-version",
	Summary:  "the store has a change before the resourceVersion does, and is read in between",
	Setting:  "publication=store-first",
	Scenario: scenarios.WatchListStreams, Property: watches.InitialEvents,
	Why: "initial events show a write, and the bookmark behind them has the resourceVersion before it",
})

// The healthy cache changes version and store in the step that takes an event in.
// This one changes the store in the next step of the same goroutine, the hand-over
// to the dispatcher, and leaves the lock free in between.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "version-before-store",
	Summary:  "the resourceVersion is published before the store has the change",
	Setting:  "publication=version-first",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why:        "a read that waited for the version is answered, and the write of that version is not in the store yet",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential, caches.MatchEtcd},
	WhyFurther: "the store lacks a change that its version includes, until the next step",
})
