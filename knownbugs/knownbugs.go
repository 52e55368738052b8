// Package knownbugs says of each bug that caches had where it shows. A program that
// imports it, for its side effects alone, knows them all.
//
// The package must never import report or a command.
package knownbugs

import (
	_ "github.com/watchbed/watchbed/knownbugs/ingestion"
	_ "github.com/watchbed/watchbed/knownbugs/watch"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

func init() {
	for _, b := range []*testbed.KnownBug{
		{Name: "kubernetes-59848", Scenario: scenarios.SeveralCaches, Property: reads.Monotonic,
			Why: "each of the two caches is right about some moment; only who asks both sees time go back"},
		{Name: "kubernetes-123674", Scenario: scenarios.QuietGet, Property: reads.AnswersInTime,
			Why: "the revision is there, nothing is wrong, and the read is refused after three seconds"},
		{Name: "kubernetes-123676", Scenario: scenarios.AnyWithoutProgress, Property: reads.AnswersInTime,
			Why: "what is asked for is in the cache already; the answer is right, and comes too late or not at all"},
		{Name: "kubernetes-125584", Scenario: scenarios.Namespaces, Property: reads.LinearizableData,
			Why: "an object is shown that is not below the prefix, at any revision"},
		{Name: "watcher-missing-prevkv", Scenario: scenarios.ConsistentList, Property: caches.MatchEtcd,
			Why: "the cache keeps an object that is deleted, at any read and with none"},
		{Name: "store-without-snapshot", Scenario: scenarios.SnapshotReads, Property: reads.Exact,
			Why: "a read at the deletion shows the object; the newest state is right"},
		{Name: "page-of-newest-state", Scenario: scenarios.SnapshotReads, Property: reads.Pages,
			Why: "each page is true by itself; together they are no state that ever was"},
		{Name: "revision-of-last-reader", Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
			Why: "the revision was asked for before the write that the reader knows of"},
		{Name: "progress-of-another-stream", Scenario: scenarios.SeveralCaches, Property: caches.MatchEtcd,
			Why: "the cache says it is at a version whose events are under way on its own stream"},
	} {
		testbed.RegisterKnownBug(b)
	}
}
