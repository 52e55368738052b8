package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// ResumedWatches is what becomes of watches whose streams break: they resume where
// they should not.
func ResumedWatches(violates ...*testbed.Property) []testbed.Row {
	return slices.Concat(
		When(ProgressOvertakesEvents, HearsOfProgress).RarelyViolates(violates...).
			Because("after early progress a watch resumes past events, and after progress that was overtaken it resumes before them (etcd-io/etcd#15220)"),
		RepeatedByClient(violates...))
}

// RepeatedByClient is what an old client library breaks alone.
func RepeatedByClient(violates ...*testbed.Property) []testbed.Row {
	return When(ResumesOneEarly, HearsOfProgress).RarelyViolates(violates...).
		Because("a watch that resumes after progress is sent its last event again (etcd-io/etcd#15248)")
}

// Restored is what breaks behind watches of an etcd that has installed a snapshot.
func Restored(violates ...*testbed.Property) []testbed.Row {
	return When(RestoreRepeatsEvents, InstallsSnapshot).RarelyViolates(violates...).
		Because("a restore sends events again (etcd-io/etcd#15271)")
}

// InTheMiddle is what breaks where several objects are changed at one revision: a cache, an informer and a client take
// the events one by one, and have the resourceVersion of all of them with the first.
func InTheMiddle(violates ...*testbed.Property) []testbed.Row {
	return When(SeveralAtOnce).Violates(violates...).
		Because("the objects of one revision come one by one, and a client that reads or goes on behind the first lacks the others (kubernetes/kubernetes#110210)")
}

// CatchingUpInTheMiddle is the same of watches that go on from the history where their channels had no room (KEP-6268).
func CatchingUpInTheMiddle(violates ...*testbed.Property) []testbed.Row {
	return When(SeveralAtOnce, testbed.Unless(DispatcherWaits)).RarelyViolates(violates...).
		Because("a watch that catches up does so from a resourceVersion, before or behind all objects of that revision (kubernetes/kubernetes#110210)")
}

// LostEvents is what becomes of watches of etcd's own API that miss events. What progress
// promises is broken if there is any.
func LostEvents(happens testbed.Condition, because string) []testbed.Row {
	return slices.Concat(
		When(happens).Violates(watches.Reliable).Because(because),
		When(happens, testbed.Unless(SendsNoProgress)).Violates(watches.Bookmarkable).Because(because))
}

// Compactions is what breaks where etcd is compacted: what follows a watch keeps what it was not told of.
func Compactions(violates ...*testbed.Property) []testbed.Row {
	return slices.Concat(
		When(CompactionRemovesDeletion, EtcdCompacts).RarelyViolates(violates...).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
		When(ForgetsCompactedWatch, EtcdCompacts).RarelyViolates(violates...).
			Because("events of a compacted watch never come (etcd-io/etcd#17529)"))
}

// InterruptedCompactions is what breaks where etcd restarts as well.
func InterruptedCompactions(violates ...*testbed.Property) []testbed.Row {
	return slices.Concat(
		When(RestartTakesRevisionBack, EtcdCompacts, EtcdRestarts).RarelyViolates(violates...).
			Because("after a crash in a compaction etcd gives out revisions for the second time (etcd-io/etcd#17780)"),
		When(RestartRemovesDeletion, EtcdCompacts, EtcdRestarts).RarelyViolates(violates...).
			Because("after a restart a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#19179)"))
}

// RangesLeftOut is what becomes of members that differ: one of them carries out a transaction that the other refuses.
func RangesLeftOut(violates ...*testbed.Property) []testbed.Row {
	return When(LeavesRangesOut, WatchesLag).RarelyViolates(violates...).
		Because("a follower carries out a transaction that the leader refuses for the revision of a range (etcd-io/etcd#18667)")
}

// StaleReads are the violations of a design that answers consistent LISTs from its present contents.
func StaleReads(violates ...*testbed.Property) []testbed.Row {
	return When(ServesStale).Violates(violates...).
		Because("the cache may not have the newest writes yet (kubernetes/kubernetes#59848)")
}

// StaleAfterGet is about a client that GETs and then LISTs.
func StaleAfterGet() []testbed.Row {
	return When(ServesStale, ClientsGet).Violates(reads.Sequential).
		Because("etcd answers every consistent GET, and a LIST from the cache after that goes back in time")
}

// AnyVersion is about LISTs at resourceVersion "0".
func AnyVersion(violates ...*testbed.Property) []testbed.Row {
	return When(AnswersLists).Violates(violates...).
		Because(`a LIST at resourceVersion "0" is answered with what the cache has (kubernetes/kubernetes#59848)`)
}

// RefusedStreams is about informers whose first stream is refused, so that they list. A scenario in which no process of
// an informer need follow another one says under which further conditions one does.
func RefusedStreams(further ...testbed.Condition) []testbed.Row {
	return When(append(further, AnswersLists, InformersTakeAny)...).RarelyViolates(informers.Monotonic).
		Because(`a process whose first stream is refused lists at resourceVersion "0", which is answered with what the cache has (kubernetes/kubernetes#59848)`)
}

// StaleRelist is about an informer that lists again.
func StaleRelist() []testbed.Row {
	return When(ServesStale).Violates(informers.Monotonic).
		Because("an informer whose resourceVersion is refused asks for the newest list, and gets what the cache has")
}
