package divergences

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// divergence makes a scenario in which a part of an event is lost, or the snapshot that it
// should leave, once for each of two resources. The event of lost-event is lost as a whole.
func divergence(lost, summary, doc string, rows []testbed.Row) *testbed.Scenario {
	p := lostEventParams
	p.Topology.Resources = 2
	p.Workload.Writers, p.Workload.Deletes = 2, lost == "deletion"
	p.Faults.LostEvents, p.Faults.Lost = 2, lost
	return testbed.RegisterScenario(&testbed.Scenario{
		Name: "lost-" + lost, Summary: summary, Params: p,
		Doc: doc + ` Each of two resources has one such loss within the first 90 s; readers begin after the first check, as in lost-event.`,
		Claims: []*testbed.Property{
			caches.DetectorAccuracy, reads.Exact, reads.Linearizable, reads.Pages, caches.ChecksApart, caches.SuspectSnapshots,
		},
		Known: rows,
	})
}

// staysWrong is what a failed check does not mend: the newest state, with which the first
// page of a list begins.
func staysWrong(unless ...testbed.Condition) []testbed.Row {
	newest := append([]testbed.Condition{known.WaitsUntilFresh, known.TrustsEtcd}, unless...)
	return slices.Concat(
		known.When(newest...).Violates(reads.Linearizable).
			Because("the newest state stays wrong until the object is written again"),
		known.When(append(newest, known.AnswersFirstPage)...).Violates(reads.Pages).
			Because("the first page is of the newest state, and the others are of etcd's"),
		known.StaleReads(reads.Linearizable),
	)
}

// foundByCheck is what is wrong until a check fails, and what stays wrong after it. Without
// a reaction to the failure, snapshots stay for the given reason.
func foundByCheck(snapshots string) []testbed.Row {
	return slices.Concat(
		staysWrong(testbed.Unless(known.CheckerEndsProcess)),
		snapshotsStay(snapshots, testbed.Unless(known.CheckerEndsProcess), testbed.Unless(known.CheckerFallsBack)),
	)
}

// snapshotsStay is about snapshots that no check drops.
func snapshotsStay(because string, conditions ...testbed.Condition) []testbed.Row {
	return known.When(append([]testbed.Condition{known.KeepsSnapshots, known.AnswersLists}, conditions...)...).
		Violates(reads.Exact).Because(because)
}

// unnoticed is about snapshots behind which no check fails. One that passes drops them in v0.38.0-alpha.2, mostly before they are
// read.
func unnoticed(because string, conditions ...testbed.Condition) []testbed.Row {
	return slices.Concat(
		snapshotsStay(because, append(slices.Clone(conditions), testbed.Unless(known.PassedCheckDropsSnapshots))...),
		known.Rarely(snapshotsStay(because, append(slices.Clone(conditions), known.PassedCheckDropsSnapshots)...)),
	)
}

// writtenAgain is about a difference that no check can find, because a check compares the
// newest state only.
func writtenAgain() []testbed.Row {
	const because = "the object is written again before a check is due, and snapshots of the time in between stay"
	snapshots := []testbed.Condition{known.KeepsSnapshots, known.AnswersLists}
	return slices.Concat(
		known.When(append(snapshots, known.CheckerFallsBack)...).RarelyViolates(reads.Exact).Because(because),
		known.When(append(snapshots, known.CheckerEndsProcess)...).RarelyViolates(reads.Exact, reads.Pages).Because(because),
	)
}

var LostDeletion = divergence("deletion",
	"a deletion never reaches the cache: the consistency checker finds the object that etcd does not have",
	`The cache keeps a ghost, which no later event removes unless the object is created again.`,
	slices.Concat(foundByCheck("snapshots stay that have the ghost"), writtenAgain()))

var LostVersion = divergence("version",
	"an object reaches the cache with a resourceVersion that is not its own: the consistency checker finds it",
	`The value is right, and what clients send with their next update is not: etcd refuses it as a conflict.`,
	slices.Concat(foundByCheck("snapshots stay that have the wrong resourceVersion"), writtenAgain()))

var LostValue = divergence("value",
	"an object reaches the cache without its value: the consistency checker, which compares names and resourceVersions, never finds it (KEP-4988)",
	`The digest of KEP-4988 is of namespace, name and resourceVersion: "bugs in applying watch events or bugs in etcd watch
stream". An object whose resourceVersion is right passes whatever it holds, so that snapshots are served on, with every reaction to a
failed check.`,
	slices.Concat(staysWrong(), unnoticed("the digest does not have the value, so that no check fails")))

var LostSnapshot = divergence("snapshot",
	"a change leaves no snapshot, so that the one before it is stale: the consistency checker, which compares the newest state, never finds it (KEP-4988)",
	`The newest state is right, so that each check succeeds. LISTs at the resourceVersion of the change, and pages of a list that began
with it, are answered from the snapshot before it until that has left the history.`,
	slices.Concat(
		unnoticed("a check compares the newest state only, and the stale snapshot stays"),
		known.When(known.KeepsSnapshots, known.AnswersFirstPage).RarelyViolates(reads.Pages).
			Because("the first page is of the newest state, and the others are of the stale snapshot"),
	))
