package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/informers"
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

// No release is known to have had this one. A client that compares the term of an answer with that of the last one, to
// find out that it was answered by a member that was left behind, learns nothing.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "header-keeps-term",
	Summary:  "the headers of answers say the raft term in which the member began, whatever leaders there were since",
	Setting:  "header-term=of-start",
	Scenario: scenarios.LeaseTimes, Property: etcdapi.Headers,
	Why: "etcd had no leader for a while, and its answers are of the same term before and after",
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

// A Range that is faster than the writes and the compaction beside it is answered.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-in-range",
	Summary:  "a Compact does not wait for a Range, which is refused although it asks for the present",
	Setting:  "compaction-in-range=goes-on",
	Scenario: scenarios.CompactionInRange, Property: etcdapi.Answers,
	Why: "a Range of the present is never of a compacted revision",
	Unsearched: "needs a Range that waits between two looks at the store while a compaction comes: two clients of four requests " +
		"in all, drawn by 119 seeds, are searched to their end and do not ask for both. Schedules find it with 12 " +
		"clients",
})

// A restart took the newest revision in the store for the current one. A compaction that
// was interrupted may have removed the newest one already.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17780", Issue: "etcd-io/etcd#17780", FixedIn: testbed.Fix("etcd", "3.4.32", "3.5.14"),
	Summary:  "after a crash during a compaction the revision goes back, and revisions are given out twice",
	Setting:  "restore-revision=from-keys",
	Scenario: scenarios.CrashInCompaction, Property: reads.LinearizableData,
	Why: "two writes are answered with the same revision",
})

// A compaction removed every deletion up to its revision. A watch from exactly that
// revision is accepted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18089", Issue: "etcd-io/etcd#18089", FixedIn: testbed.Fix("etcd", "3.4.34", "3.5.16"),
	Summary:  "a watch from the compacted revision misses a deletion at that revision",
	Setting:  "compact-tombstone=removed",
	Scenario: scenarios.Outages, Property: caches.MatchEtcd,
	Why: "the cache resumes at the compacted revision and keeps the deleted object",
})

// A restart put no key into the index of which only a deletion was left. The compaction
// that was interrupted went on, and did not find the deletion in the index.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-19179", Issue: "etcd-io/etcd#19179", FixedIn: testbed.Fix("etcd", "3.4.36", "3.5.18"),
	Summary:  "a compaction that goes on after a restart removes a deletion at the compacted revision",
	Setting:  "restore-tombstone=not-indexed",
	Scenario: scenarios.ResumedCompaction, Property: watches.Resumable,
	Why: "the deletion should be the first event of a watch from its revision",
})

// doCompact ends at the first generation of a key that ends at the compacted revision or later. Since 3.4.34 and 3.5.16
// the backend keeps the deletion that ends it, and nothing later of that revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-22376", Issue: "etcd-io/etcd#22376",
	Summary:  "a compaction loses a key that its revision deletes and puts again, and a read of the key ends the process",
	Setting:  "compact-recreated=lost",
	Scenario: scenarios.RewrittenKeys, Property: reads.LinearizableData,
	Why:        "after the restart the key is not there, and no client has deleted it",
	Further:    []*testbed.Property{reads.Linearizable, etcdapi.Answers},
	WhyFurther: "the process ends while it answers a read of the key",
	Unsearched: "needs a write, a transaction that rewrites its key, a compaction at that revision and a read, beside a cache " +
		"that lists and watches: on one key the search ends unknown at 504,631 states, and with three writes, no read, " +
		"a cache that has listed and no timer at 404,094. Of 400 drawn seeds of one client with twelve requests none " +
		"shows it in 5 schedules",
})

// choose hands chooseAll a copy of the unsynced watchers if there are 512 or more. The watcher that is cancelled leaves
// the copy alone.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-22294", Issue: "etcd-io/etcd#22294",
	Summary:  "with more unsynced watchers than one round takes on, a watch whose history is compacted is cancelled again and again",
	Setting:  "compacted-capped=left-unsynced",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.WatchAnswers,
	Why:        "the watch is canceled, and has ended for the client with that",
	Further:    []*testbed.Property{testbed.ComingToRest},
	WhyFurther: "each round of syncWatchers cancels it anew",
})

// A compaction of few changes is one batch, and answered in time.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "physical-after-first-batch",
	Summary:  "a physical compaction is answered when its first batch is done, and others are to come",
	Setting:  "physical-compaction=after-first-batch",
	Scenario: scenarios.PhysicalCompactions, Property: etcdapi.Physical,
	Why: "changes that the compaction removes are still in the backend",
})

// A lessor whose queue of what expires lacks the leases of the leader before. A revocation
// that failed had the same effect before 3.4: the lease was out of the queue, and stayed
// (etcd-io/etcd#10686).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "promoted-leases-forgotten",
	Summary:  "leases do not expire after a change of the leader unless they are kept alive once more",
	Setting:  "promoted-leases=forgotten",
	Scenario: scenarios.LeaseTimes, Property: etcdapi.LeasesExpire,
	Why: "no client keeps the lease alive, and it is there long after its time to live",
})

// A lessor that answers a renewal and goes by the old expiry. A client that keeps its lease
// alive in time loses it, and its keys, all the same.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "lease-renewal-lost",
	Summary:  "a keep-alive is answered with the whole time to live, and the lease expires when it would have without",
	Setting:  "lease-renewals=answered-only",
	Scenario: scenarios.LeaseTimes, Property: etcdapi.LeasesKept,
	Why: "the lease is gone before the time has passed that the keep-alive was answered with",
})

// The handler of LeaseTimeToLive asked whether the member leads, and then looked the lease up,
// which the lessor may have let live for ever in between (lessor.Demote).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17642", Issue: "etcd-io/etcd#17642", FixedIn: testbed.Fix("etcd", "3.4.32", "3.5.14"),
	Summary:  "a member that has stopped to lead says that a lease has 292 years left",
	Setting:  "lease-time-left=of-any",
	Scenario: scenarios.LeasesWithoutLeader, Property: etcdapi.Answers,
	Why: "more time is left than the lease was ever granted",
})

// Operators restored etcd under API servers that lived on, before etcdutl could raise the revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-107457", Issue: "kubernetes/kubernetes#107457",
	Summary:  "etcd is restored from a backup at a revision that caches are ahead of",
	Setting:  "backup-restore=plain",
	Scenario: scenarios.RestoredBackup, Property: reads.LinearizableData,
	Why:        "the cache takes itself for fresh, and shows what was lost",
	Further:    []*testbed.Property{reads.Linearizable, caches.MatchEtcd, informers.MatchEtcd, informers.CatchUp},
	WhyFurther: "revisions are given a second time, and what has seen them keeps what was lost",
})

// removeNeedlessRangeReqs spares a member that has no client waiting the ranges of a transaction, and with them the
// look whether their revisions are there. The member with the client refuses what the others carry out. Since
// etcd-io/etcd#21432 only the answers are spared.
//
// Upstream a member whose client has left in the meantime leaves the ranges out as well. Here only a follower does.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18667", Issue: "etcd-io/etcd#18667", FixedIn: testbed.Fix("etcd", "3.7.0"),
	Summary:  "a follower carries out a transaction that the leader refuses for the revision of one of its ranges",
	Setting:  "needless-ranges=removed",
	Scenario: scenarios.LaggingStreams, Property: watches.Reliable,
	Why:        "the follower sends the event of a write that the leader has refused, and gives later writes revisions that are too high",
	Further:    []*testbed.Property{watches.PrevKV, watches.Resumable, watches.KeepUp, etcdapi.Answers, etcdapi.WatchAnswers},
	WhyFurther: "the contents of the two members and the revisions of later writes differ from then on",
	Unsearched: "is found, and its row would prove too little: of one client with two drawn requests (drawn-seed=86) 652 states " +
		"show an event of the refused transaction, and without the bug the 1,120 states that are all there are have no " +
		"event to be judged",
})

// linearizableReadLoop repeated a ReadIndex with the id of the first one. A leader that had been replaced and did not
// know it (its process had been paused) took acknowledgements of the first for those of the second, and let the reads
// go that waited before it in its queue. As far as a leader and a follower can show it: the answer to the second one
// lets later reads of the follower go. That select preferred an answer to "leader changed" (etcd-io/etcd#21375) takes a
// second leader.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20418", Issue: "etcd-io/etcd#20418", FixedIn: testbed.Fix("etcd", "3.4.42", "3.5.28", "3.6.9"),
	Summary:  "a repeated ReadIndex lets later reads of a follower go with an index from before them",
	Setting:  "read-index-ids=reused",
	Scenario: scenarios.FollowerReads, Property: reads.Linearizable,
	Why:        "a consistent LIST waits for a revision that is older than a write which had been acknowledged before it was asked",
	Further:    []*testbed.Property{reads.LinearizableData, reads.Sequential},
	WhyFurther: "the LIST lacks that write",
})

// No etcd is known to have had this one. A client that names no revision leaves it to the first
// chunk: rangeStream writes that revision into the request before it goes on.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "chunks-unpinned",
	Summary:  "the chunks of a RangeStream behind the first are each read at the newest revision",
	Setting:  "stream-pin=none",
	Scenario: scenarios.RangeStreamStart, Property: caches.MatchEtcd,
	Why:        "the cache takes the chunks for one state, and some objects in it are newer",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs show what no state had",
})

// No etcd is known to have had this one. The header comes with the last chunk, whose read
// transaction has another revision than the first: a watch that begins there misses what was
// written in between.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "header-of-last-chunk",
	Summary:  "the header of a RangeStream has the revision that the store has at the last chunk",
	Setting:  "stream-header=last-chunk",
	Scenario: scenarios.RangeStreamStart, Property: caches.MatchEtcd,
	Why:        "the cache takes the objects for a newer state than they are of, and watches from there",
	Further:    []*testbed.Property{caches.CatchUp, reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs lack what was written between the first chunk and the last",
})

// A stream that keeps one flag for all of its watches. A busy watch starves the others of
// progress, as an unsynced one does where progress is requested for all (etcd-io/etcd#20242).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "ticks-elided-by-others",
	Summary:  "a watch is sent no progress by the ticker while another watch of its stream is sent events",
	Setting:  "elided-ticks=stream",
	Scenario: scenarios.QuietWatch, Property: etcdapi.Progress,
	Why: "no event is missing, and progress comes again when the other watch is quiet",
})

// sendLoop leaves a watch out of the next tick that was sent events, and must take it in
// again at that tick. A cache that waits for the ticker is as old as its last event if it
// does not.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "ticks-stop-after-events",
	Summary:  "a watch that was sent events is sent no progress by the ticker any more",
	Setting:  "elided-ticks=for-good",
	Scenario: scenarios.QuietAgain, Property: etcdapi.Progress,
	Why: "no event is missing, and nothing comes when there are no more of them",
})

// The answer to the transaction carries etcd's present revision, and that is for the
// next try. Used for this one it leaves no history at all.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compacts-present-revision",
	Summary:  "an API server compacts etcd at the present revision, and not at that of an interval ago",
	Setting:  "compact-to=present",
	Scenario: scenarios.LoneCompactor, Property: caches.HistoryKept,
	Why: "what was written within the interval is gone",
})

// Before there was a key to compete for, each API server compacted by itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-28202", Issue: "kubernetes/kubernetes#28202", FixedIn: testbed.Fix("Kubernetes", "1.4"),
	Summary:  "each API server compacts etcd once an interval, whatever the others do",
	Setting:  "compact-guard=none",
	Scenario: scenarios.CompetingCompactors, Property: caches.HistoryKept,
	Why: "three servers compact in one interval",
})
