package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// EarlyProgress is what becomes of consistent reads if requested progress overtakes
// events: the cache believes that it is newer than it is.
func EarlyProgress(violates ...*testbed.Property) []testbed.Row {
	return When(ProgressOvertakesEvents, WaitsUntilFresh, RequestsProgress, TrustsEtcd).Violates(violates...).
		Because("the cache takes early progress for the proof that it has all events (etcd-io/etcd#15220)")
}

// OutdatedStates is what becomes of writes that take their objects from the cache then.
func OutdatedStates(violates ...*testbed.Property) []testbed.Row {
	return slices.Concat(
		When(ProgressOvertakesEvents, StatesFromCache, RequestsProgress, TrustsEtcd).RarelyViolates(violates...).
			Because("a write takes an old object for the current one, since the cache takes early progress for the proof that it has all events (etcd-io/etcd#15220)"),
		When(CreatedOvertakesProgress, StatesFromCache, RequestsProgress, TrustsEtcd).RarelyViolates(violates...).
			Because("a write takes an old object for the current one, since the cache takes older progress for its own (what is left of etcd-io/etcd#15220)"))
}

// EarlyInitialEvents is what becomes of watches with initial events then: the end of
// these comes before some of them.
func EarlyInitialEvents(violates ...*testbed.Property) []testbed.Row {
	return When(ProgressOvertakesEvents, WaitsForInitialEvents, RequestsProgress, TrustsEtcd).Violates(violates...).
		Because("initial events end when early progress says that the cache has all of them (etcd-io/etcd#15220)")
}

// BackInTime is what happens rarely after that: events come that early progress had
// overtaken, and the cache and its watches go back in time.
func BackInTime(violates ...*testbed.Property) []testbed.Row {
	return When(ProgressOvertakesEvents, RequestsProgress, TrustsEtcd).RarelyViolates(violates...).
		Because("events that early progress overtook come later and take the cache back in time (etcd-io/etcd#15220)")
}

// EarlyVersions is what becomes of snapshots, and of a cache that hears of progress for which no LIST waits.
func EarlyVersions(violates ...*testbed.Property) []testbed.Row {
	return When(ProgressOvertakesEvents, HearsOfProgress).RarelyViolates(violates...).
		Because("with early progress a cache claims a resourceVersion whose events it does not have (etcd-io/etcd#15220)")
}

// NoProgress is what becomes of reads that wait for progress if none comes.
func NoProgress(reader testbed.Condition) []testbed.Row {
	return slices.Concat(
		When(DefersProgress, reader, RequestsProgress, TrustsEtcd).Violates(reads.AnswersInTime).
			Because("progress never comes on a quiet range (etcd-io/etcd#17507)"),
		UnknownRequests(reader, reads.AnswersInTime))
}

// UnknownRequests is what becomes of what waits for progress if etcd does not know that it
// can be asked for any.
func UnknownRequests(waits testbed.Condition, violates ...*testbed.Property) []testbed.Row {
	return When(IgnoresProgress, waits, RequestsProgress, TrustsEtcd).Violates(violates...).
		Because("releases of etcd before 3.3.14 do not know progress requests")
}

// OneRequest is what becomes of them if progress is requested once.
func OneRequest(reader testbed.Condition) []testbed.Row {
	return When(RequestsOnce, reader, TrustsEtcd).Violates(reads.AnswersInTime).
		Because("etcd may forget the only progress request of a read, or a broken stream may lose it")
}

// NoEcho is what becomes of them if they wait for an echo.
func NoEcho(reader testbed.Condition) []testbed.Row {
	return When(EchoProves, NoProgressBelowStart, reader).Violates(reads.AnswersInTime).
		Because("no echo comes for a watch that starts behind the store's revision, as each does that begins on a quiet store (the fix of etcd-io/etcd#20221)")
}

// ReadsThatHang are all of these, where streams break: a request that is forgotten with its
// stream leaves a read without an answer, and rarely so where early progress answers it.
func ReadsThatHang(reader testbed.Condition) []testbed.Row {
	return slices.Concat(
		NoProgress(reader),
		Where(OneRequest(reader), testbed.Unless(ProgressOvertakesEvents)),
		Rarely(Where(OneRequest(reader), ProgressOvertakesEvents)),
		NoEcho(reader),
	)
}

// EchoOfLaggard is what becomes of consistent reads if the member that echoes is behind
// the member that takes writes.
func EchoOfLaggard(violates ...*testbed.Property) []testbed.Row {
	return When(EchoProves, WatchesLag).RarelyViolates(violates...).
		Because("the member that echoes may not have applied the newest writes")
}

// EchoOfOther is what becomes of them if it is behind the member that confirmed a write.
func EchoOfOther(violates ...*testbed.Property) []testbed.Row {
	return When(EchoProves).Violates(violates...).
		Because("the member that echoes may lack what another member has confirmed")
}

// ProgressBelowList is about a cache that watches at a member which is behind its list.
func ProgressBelowList(violates ...*testbed.Property) []testbed.Row {
	return When(ProgressBelowStart, WaitsUntilFresh, TrustsEtcd, testbed.Unless(SendsNoProgress), testbed.Unless(IsLibrary)).Violates(violates...).
		Because("progress below the cache's own list takes its resourceVersion back (etcd-io/etcd#20221)")
}

// EchoOfPredecessor is what becomes of consistent reads if an echo comes late.
func EchoOfPredecessor(violates ...*testbed.Property) []testbed.Row {
	return When(EchoProves, CachesAreRecreated).RarelyViolates(violates...).
		Because("a new cache numbers its progress requests from the start, and takes the echo of one that its predecessor sent for its own")
}

// AwaitedProgress is what becomes of consistent LISTs of a quiet resource.
func AwaitedProgress() []testbed.Row {
	return slices.Concat(NoProgress(WaitsUntilFresh), OneRequest(WaitsUntilFresh), Rarely(NoEcho(WaitsUntilFresh)))
}

// StreamingInformers is what becomes of informers that stream their list.
func StreamingInformers() []testbed.Row {
	return slices.Concat(
		EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd, informers.CatchUp),
		When(EndsByTimer, testbed.Unless(EtcdNotifies)).Violates(informers.CatchUp).
			Because("no progress is requested for a watch with initial events, which never end on a quiet range (kubernetes/kubernetes#122805)"))
}
