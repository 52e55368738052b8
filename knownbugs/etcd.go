package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// All releases have it: Created goes through the control queue, and progress through the
// watch channel. It is what the fix of issue-15220 left.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "created-overtakes-progress",
	Summary:  "Created of a new watch is sent before progress that was queued earlier, which the client takes for progress of that watch",
	Setting:  "created=past-channel",
	Scenario: scenarios.SecondWatch, Property: watches.Bookmarkable,
	Why: "the second watch is sent progress before its history",
})

// Releases before 3.4.20 and 3.5.5 answered so where a permission was missing. There are no
// permissions here, so no release is named as the fix: the bug concerns the refusals that
// there are.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-12385", Issue: "etcd-io/etcd#12385",
	Summary:  "the refusal of a watch carries the id 0, and the first watch of the stream is sent nothing more",
	Setting:  "refused-watch-id=as-asked",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.WatchAnswers,
	Why:        "no create request is answered with an id that another watch has",
	Further:    []*testbed.Property{watches.KeepUp, watches.Bookmarkable, watches.Resumable, watches.Reliable, etcdapi.NothingLeft},
	WhyFurther: "sendLoop takes the first watch for canceled, and keeps its events for a Created that does not come",
})

// Releases 3.5.0 to 3.5.2 had it. They are in no list of versions here, so that no
// release is named as the fix.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-13514", Issue: "etcd-io/etcd#13514",
	Summary:  "after a restart etcd applies the newest entry of its log a second time",
	Setting:  "unapplied-entries=repeated",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.Linearizable,
	Why:        "a revision is there that no client's request made",
	Further:    []*testbed.Property{reads.LinearizableData, reads.Exact, reads.AtMostOnce},
	WhyFurther: "the request was made once, and its second effect undoes what came after the first",
})

// Releases 3.5.0 to 3.5.2 had it. They are in no list of versions here, so that no
// release is named as the fix.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-13766", Issue: "etcd-io/etcd#13766",
	Summary:  "after a crash a member skips an entry that it has not applied, and its store differs from that of other members",
	Setting:  "unapplied-entries=skipped",
	Scenario: scenarios.LaggingWatches, Property: watches.Reliable,
	Why:        "the member gives later writes revisions that are too low, and sends events that never happened so",
	Further:    []*testbed.Property{watches.Bookmarkable, watches.KeepUp},
	WhyFurther: "the events of the skipped write never come, and the revisions of the member stay behind",
})

// The answer to a progress request went into the control queue of the stream, beside the
// watch channel that holds the events. sendLoop takes from either.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-15220", Issue: "etcd-io/etcd#15220", FixedIn: testbed.Fix("etcd", "3.4.25", "3.5.8"),
	Summary:  "a requested progress notification overtakes events, and is sent although watchers are not synced",
	Setting:  "progress=control-queue",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why: "the cache takes the notification for the proof that it has all events, and answers without one of them",
})

// notify did not advance the revision from which a watcher still wants events. A
// restore makes every watcher unsynced, and syncWatchers begins at that revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-15271", Issue: "etcd-io/etcd#15271", FixedIn: testbed.Fix("etcd", "3.4.25", "3.5.8"),
	Summary:  "after a restore from a snapshot a synced watcher is sent old events again",
	Setting:  "notify-min-rev=on-failure",
	Scenario: scenarios.WatchGuarantees, Property: watches.Unique,
	Why:        "the events are true, and come a second time",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "the events that come again may be older than a bookmark that was sent before",
})

// The fix of issue-15220 kept a request that met an unsynced watcher until the stream
// had sent something else.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17507", Issue: "etcd-io/etcd#17507", FixedIn: testbed.Fix("etcd", "3.4.31", "3.5.13"),
	Summary:  "a progress request that meets an unsynced watcher is not answered until the stream sends an event",
	Setting:  "progress=deferred",
	Scenario: scenarios.Recovery, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads of a quiet range wait for progress that does not come",
})

// The response that ends a compacted watch did not fit into the watch channel. The
// watcher was then treated as if its history was there.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17529", Issue: "etcd-io/etcd#17529", FixedIn: testbed.Fix("etcd", "3.4.31", "3.5.13"),
	Summary:  "a watcher below the compacted revision becomes synced with events missing if its channel is full",
	Setting:  "compacted-unsynced=falls-through",
	Scenario: scenarios.CompactedWatch, Property: watches.Bookmarkable,
	Why: "progress says that the watch has all events, and those that were compacted never came",
})

// A watcher whose start is a future revision counts as synced.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20221", Issue: "etcd-io/etcd#20221", FixedIn: testbed.Fix("etcd", "3.4.38", "3.5.22", "3.6.2"),
	Summary:  "a watch from a future revision is sent progress before that revision exists",
	Setting:  "progress=dropped",
	Scenario: scenarios.LaggingMember, Property: caches.MatchEtcd,
	Why: "the resourceVersion of the cache goes back behind its own list",
})

// A restore makes every watcher unsynced, also one that starts at a future revision.
// syncWatchers then lowered the revision from which it wants events.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20221-events", Issue: "etcd-io/etcd#20221", FixedIn: testbed.Fix("etcd", "3.4.38", "3.5.22", "3.6.2"),
	Summary:  "after a restore a watch from a future revision is sent events before that revision",
	Setting:  "sync-min-rev=set-to-next",
	Scenario: scenarios.FutureWatch, Property: watches.Resumable,
	Why: "the first event is older than the revision from which the watch was asked for",
})

// A store that was never compacted has -1 as its compacted revision. A watch from -1 was
// thus accepted, and syncWatchers read the range of events of a whole round from -1,
// which is empty.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20693", Issue: "etcd-io/etcd#20693", FixedIn: testbed.Fix("etcd", "3.4.38", "3.5.24", "3.6.6"),
	Summary:  "a watch from revision -1 makes all watchers that are synced with it miss their events",
	Setting:  "negative-start=accepted",
	Scenario: scenarios.NegativeWatch, Property: watches.Bookmarkable,
	Why: "progress says that the watch has all events, and it was sent none of them",
})

// Without WithRequireLeader every stream is like that.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "leaderless-kept",
	Summary:  "a watch stream that requires a leader stays open when etcd has none, and its client does not hear of that",
	Setting:  "leaderless-streams=kept",
	Scenario: scenarios.LongWithoutLeader, Property: etcdapi.NeedsLeader,
	Why: "the client asked to hear of it when there is no leader",
})

// All releases have it: the options are stored in a step of their own. Caches see it as
// a deletion without an object (kubernetes/kubernetes#76624 describes the same of a
// compacted value).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "options-after-watch",
	Summary:  "etcd registers a watch before it has stored that it wants previous values, and sends its first events without them",
	Setting:  "watch-options=after-watch",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "sendLoop takes events of the watch before recvLoop has stored its options",
})

// The watchers of a transaction are looked up by the first of its keys.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "revision-by-first-key",
	Summary:  "a watch is sent nothing of a transaction whose first key, in key order, it does not watch",
	Setting:  "revision-events=by-first-key",
	Scenario: scenarios.AnyEtcdRequests, Property: watches.Reliable,
	Why:        "the event is missing between others",
	Further:    []*testbed.Property{watches.Bookmarkable, watches.Resumable, watches.KeepUp},
	WhyFurther: "it may be the first event of the watch, or the newest one; progress says that the watch has it",
})

// syncVictimsLoop sleeps without its timer.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "victims-left",
	Summary:  "a watch whose channel was full when etcd tried again is sent nothing more until another one finds its channel full",
	Setting:  "victim-retry=next-victim",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.NothingLeft,
	Why:        "nothing more happens, and the watch still waits for its events",
	Further:    []*testbed.Property{watches.KeepUp, etcdapi.WatchAnswers},
	WhyFurther: "the watch lacks the newest change; a cancel of it is not answered",
})
