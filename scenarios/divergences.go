package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// What becomes of the checks behind a loss.
var (
	found  = testbed.Reaches{"cache: snapshots switched off by a failed consistency check": 35}
	passed = testbed.Reaches{"cache: consistency check succeeded": 80}
)

// divergence makes a scenario in which a part of an event is lost, or the snapshot that it
// should leave, once for each of two resources. The event of lost-event is lost as a whole.
func divergence(lost string, about testbed.Reaches, summary, doc string, rows []testbed.Row) *testbed.Scenario {
	p := lostEventParams.But("resources=2 writers=2 lost-events=2 lost=" + lost)
	p.Workload.Deletes = lost == "deletion"
	return testbed.RegisterScenario(&testbed.Scenario{
		Name: "lost-" + lost, Summary: summary, Params: p,
		Doc:   doc + ` Each of two resources has one such loss within the first 90 s; readers begin after the first check, as in lost-event.`,
		About: about,
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

// unnoticed is about snapshots behind which no check fails. One that passes drops them in v0.38.0-alpha.2, mostly
// before they are read.
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
		known.When(append(snapshots, known.CheckerFallsBack, testbed.Unless(known.TrustsEtcd))...).RarelyViolates(reads.Pages).
			Because("the first page is of etcd, and "+because),
	)
}

var LostDeletion = divergence("deletion", found,
	"a deletion never reaches the cache: the consistency checker finds the object that etcd does not have",
	`The cache keeps a ghost, which no later event removes unless the object is created again.`,
	slices.Concat(foundByCheck("snapshots stay that have the ghost"), writtenAgain()))

var LostVersion = divergence("version", found,
	"an object reaches the cache with a resourceVersion that is not its own: the consistency checker finds it",
	`The value is right, and what clients send with their next update is not: etcd refuses it as a conflict.`,
	slices.Concat(foundByCheck("snapshots stay that have the wrong resourceVersion"), writtenAgain()))

var LostValue = divergence("value", passed,
	"an object reaches the cache without its value: the consistency checker, which compares names and resourceVersions, never finds it (KEP-4988)",
	`The digest of KEP-4988 is of namespace, name and resourceVersion: "bugs in applying watch events or bugs in etcd watch
stream". An object whose resourceVersion is right passes whatever it holds, so that snapshots are served on, with every reaction to a
failed check.`,
	slices.Concat(
		staysWrong(),
		unnoticed("the digest does not have the value, so that no check fails"),
		known.When(known.KeepsSnapshots, known.AnswersLists, testbed.Unless(known.TrustsEtcd)).RarelyViolates(reads.Pages).
			Because("the first page is of etcd, and the others are of a snapshot without the value"),
	))

var LostSnapshot = divergence("snapshot", passed,
	"a change leaves no snapshot, so that the one before it is stale: the consistency checker, which compares the newest state, never finds it (KEP-4988)",
	`The newest state is right, so that each check succeeds. LISTs at the resourceVersion of the change, and pages of a list that began
with it, are answered from the snapshot before it until that has left the history.`,
	slices.Concat(
		unnoticed("a check compares the newest state only, and the stale snapshot stays"),
		known.When(known.KeepsSnapshots, known.AnswersFirstPage).RarelyViolates(reads.Pages).
			Because("the first page is of the newest state, and the others are of the stale snapshot"),
	))

var LostEvent = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lost-event",
	Summary: "one event never reaches the cache, and the consistency checker finds out: what is right again after that (KEP-4988)",
	Doc: `In the first minute one event is lost on its way to the cache. Readers begin after the first consistency check, which is due
between 5 and 7.5 minutes. A failed check drops the snapshots: exact reads, and pages after the first, are etcd's from
then on, and right. LISTs of the newest state go on from the cache, and stay wrong, until the object is written again or
the cache starts over: that is the documented behaviour. The first page of a list is such a read, so that pages together
are no snapshot. --set consistency-checker=off leaves exact reads wrong, too; =panic, the alpha, has the process
start again, and everything right. etcd tells of its progress every minute: a check at the resourceVersion of the cache
cannot see that the last event of all is missing, as long as nothing has moved that on.`,
	Params: lostEventParams,
	About:  testbed.Reaches{"cache: snapshots switched off by a failed consistency check": 40},
	Claims: []*testbed.Property{
		caches.DetectorAccuracy, reads.Exact, reads.Linearizable, reads.Pages, caches.ChecksApart, caches.SuspectSnapshots,
	},
	Known: slices.Concat(
		foundByCheck("snapshots stay that lack the event"),
		known.When(known.KeepsSnapshots, known.StreamsFromEtcd).RarelyViolates(reads.Exact).
			Because("an initial event is lost whose object is written soon after"),
	),
})

const notDue = "no check is due before the object is written again, and snapshots stay that lack the event"

var LostEventRecovers = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lost-event-recovers",
	Summary: "the object whose event was lost is written again: the newest state is right again, and so are snapshots, unless no check came in between",
	Doc: `As lost-event, but there is one object only, which is written on and on: the event after the lost one brings the cache up
to date again. If a check was due in between, it failed, and snapshots stay off until the next one has succeeded. If the
cache recovered before any check, the loss is never found: the check compares the newest state only, and the snapshots of the
time in between stay, and are wrong, until they are evicted or compacted away. Checks are half a minute apart, not five.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 consistency-checker=fallback check-period=30s notify=10s
		writers=1 writes=6 readers=2 reads=6 read=past read-from=7m keys=1 items=1 history=1 await-ready=true think=1m
		lost-events=1 faults-for=2m mode=timed network=5ms scheduling=1ms horizon=14m steps=200000`),
	About: testbed.Reaches{"cache: snapshots switched on again by a consistency check": 15},
	Claims: []*testbed.Property{
		caches.DetectorAccuracy, reads.Exact, reads.Linearizable, caches.ChecksApart, caches.SuspectSnapshots,
	},
	Known: slices.Concat(
		unnoticed(notDue, testbed.Unless(known.CheckerEndsProcess)),
		known.Rarely(snapshotsStay(notDue, known.CheckerEndsProcess)),
		known.When(known.WaitsUntilFresh, known.TrustsEtcd).RarelyViolates(reads.Linearizable).
			Because("the lost event may be the last of all"),
		known.StaleReads(reads.Linearizable),
	),
})

var Detectors = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "detectors",
	Summary: "every way to compare a cache with etcd, amid faults and one lost event: nothing is missed, nothing is a false alarm",
	Doc: `The consistency checker of KEP-4988 and the inconsistency detector of KEP-2340 look at caches that restart, follow broken
streams and an etcd that restarts and is compacted, one of which has missed an event. Each comparison is held against
ground truth at the moment when it was begun.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 compactors=true consistency-checker=fallback inconsistency-detector=on
		page=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=2 readers=2 reads=5 read=past keys=3 items=2 history=1
		await-ready=true breaks=1 restarts=1 lost-events=1 etcd-restarts=1 steps=20000`),
	About:  testbed.Reaches{"cache: answered list compared with etcd": 70},
	Draws:  drawsChecks,
	Active: testbed.Active{"mark-consistent=unlocked": "cache=kep-4988", "check-by=etcd-hash": ""},
	Claims: []*testbed.Property{caches.DetectorAccuracy, caches.HistoryKept, caches.Resumes, caches.SuspectSnapshots},
})

var ConsistencyChecks = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "consistency-checks",
	Summary: "a cache that may have lost an event is compared with etcd page by page, while objects are written and etcd fails requests",
	Doc: `Each page of a check is listed at the resourceVersion of the cache when the check began, whatever is written meanwhile. A check
that gets no answer, because etcd changes its leader, restarts or is compacted, has found nothing: snapshots that a failed check has
switched off stay off, and the next check decides. When nothing more can happen no comparison is under way.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 consistency-checker=fallback mark-consistent=unlocked
		inconsistency-detector=on page=1 progress-requests=periodic
		writers=1 writes=5 readers=2 reads=3 read=past compactions=1 keys=2 items=2 await-ready=true
		lost-events=1 etcd-restarts=1 leader-changes=1 to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: answered list compared with etcd": 70},
	Draws:  drawsChecks,
	Claims: []*testbed.Property{caches.DetectorAccuracy, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.Resumes, caches.SuspectSnapshots, caches.TimersOwned},
})

var CheckAmidEvent = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "check-amid-event",
	Summary: "a consistency check fails while an event is halfway into the cache, a later one passes, and LISTs of the newest state are answered all the time",
	Doc: `A check that fails drops the snapshots and switches them off. With mark-consistent=unlocked it takes no lock of the cache: an event
that has seen them switched on leaves its snapshot behind the drop. Later events leave none. The object whose event was lost is written again, the next check
passes and switches snapshots on, and that old one is the newest of them: LISTs of the newest state are answered with it, at the
resourceVersion of the cache. A cache that lacks an event answers as it holds, which is not what the scenario is about.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 consistency-checker=fallback mark-consistent=unlocked
		progress-requests=periodic writers=1 writes=8 readers=2 reads=12 read=every keys=2 items=2 await-ready=true
		lost-events=3 steps=20000`),
	About:  testbed.Reaches{"cache: list answered from a snapshot": 35},
	Draws:  drawsChecks,
	Claims: []*testbed.Property{reads.ServedAsHeld, caches.DetectorAccuracy, caches.SuspectSnapshots},
	Known: known.When(known.KeepsSnapshots, known.CheckerFallsBack, known.MarksWithoutLock).
		RarelyViolates(reads.ServedAsHeld).
		Because("a snapshot that an event has left behind a failed check is the newest one after a check that passes (findings/pages/snapshot-outlives-failed-check.md)"),
})

var FailedChecks = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "failed-checks",
	Summary: "a consistency check fails, later ones get no answer of etcd, and objects are written on: no suspect state is served until a check succeeds",
	Doc: `One of six objects lacks an event, and it takes minutes until that object is written again. Checks are half a minute apart: the
first one that fails drops the snapshots and switches them off, so that events after it leave none. etcd changes its leader, answers with
errors and restarts meanwhile; a check that ends with an error is no success. Readers ask for past states all the time.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 consistency-checker=fallback check-period=30s notify=10s page=2
		writers=2 writes=8 deletes=true readers=2 reads=12 read=past keys=6 items=6 history=1 await-ready=true
		think=1m
		lost-events=1 etcd-restarts=1 leader-changes=2 faults-for=4m mode=timed network=5ms scheduling=1ms horizon=10m
		steps=200000`),
	About:  testbed.Reaches{"cache: consistency check without an answer of etcd": 50},
	Draws:  drawsChecks,
	Claims: []*testbed.Property{caches.SuspectSnapshots, caches.DetectorAccuracy, caches.ChecksApart, caches.ReopensInTime},
})

var lostEventParams = testbed.With(`etcd=3.6.16 cache=kep-4988 consistency-checker=fallback notify=1m caches=1
	writers=1 writes=6 readers=2 reads=8 read=past await-ready=true keys=6 items=6 history=1 think=20s read-from=8m
	lost-events=1 faults-for=90s mode=timed network=5ms scheduling=1ms horizon=14m steps=200000`)
