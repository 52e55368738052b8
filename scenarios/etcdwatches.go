package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var WatchGuarantees = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-guarantees",
	Summary: "clients of etcd's own watch API: watches from past, present and future, filters, cancels, progress, compaction, restarts",
	Doc: `No cache is judged here: raw watch streams are held to what etcd's documentation promises of a watch. Buffers are small, so
that watchers become victims, Send blocks and control responses wait.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 unmask=created chan-buf=2 ctrl-buf=1 send-window=2 watchers-per-sync=1 compacted-capped=removed
		writers=2 writes=4 txns=true deletes=true wide=true noise=1 noise-writes=2 read=consistent streams=2
		compactions=1 keys=2 items=2 history=2 etcd-restarts=1 etcd-snapshots=1 steps=20000`),
	About: testbed.Reaches{"etcd: snapshot installed": 60, "etcd: all events filtered out": 40},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Bookmarkable, watches.Filter,
		etcdapi.WatchAnswers, caches.JustifiedRefusals,
	},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
		known.When(known.RestoreRepeatsEvents).Violates(watches.Ordered, watches.Unique).
			Because("a restore sends again what was sent before (etcd-io/etcd#15271)"),
		known.When(known.RestoreRepeatsEvents).RarelyViolates(etcdapi.WatchAnswers).
			Because("a restore cancels a watch for compacted history that it was sent (etcd-io/etcd#15271)"),
		refusedWithoutReason,
		known.LostEvents(known.ForgetsCompactedWatch, "events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.LostEvents(known.CompactionRemovesDeletion, "a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
	),
})

var NegativeWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "negative-watch",
	Summary: "a watch from revision -1 beside one from revision 2, on one stream of etcd's own watch API",
	Doc: `syncWatchers reads the events of a round once, from the smallest revision that a watcher of the round wants. A store that
was never compacted has -1 as its compacted revision, so that a watch from -1 is no compacted one. The range that begins at -1 is
empty, and all watchers of the round become synced without their events (etcd-io/etcd#20693). Releases from 3.4.38, 3.5.24
and 3.6.6 on refuse the watch.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 writers=1 writes=3 read=consistent streams=1 keys=2 items=2 steps=20000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(2), watchFrom(-1)}, Requests: 1}
	},
	About:  testbed.Reaches{"etcd: unsynced watcher brought its history and synced": 75},
	Claims: []*testbed.Property{watches.Reliable, watches.Bookmarkable, etcdapi.WatchAnswers},
	Known: slices.Concat(
		known.LostEvents(known.AcceptsNegativeStart, "a watch from revision -1 makes every watch of its round synced without events (etcd-io/etcd#20693)"),
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
	),
})

var FutureWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "future-watch",
	Summary: "etcd installs a snapshot while a watch waits for a revision that does not exist yet",
	Doc: `A restore makes every watcher unsynced. The next round of syncWatchers makes it synced again, and sets the revision from
which it wants events. Releases before 3.4.38, 3.5.22 and 3.6.2 set the next revision of the store, even if the watch was to start
later: it is then sent events from before its start (etcd-io/etcd#20221).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 writers=1 writes=4 read=consistent streams=1 keys=2 items=2
		etcd-snapshots=1 steps=20000`),
	Stream: func(p *testbed.Params, _ int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(p.Workload.FirstRevision() + 3)}}
	},
	About:  testbed.Reaches{"etcd: snapshot installed": 70},
	Claims: []*testbed.Property{watches.Resumable, watches.Ordered, watches.Unique, etcdapi.WatchAnswers},
	Known: known.When(known.LowersFutureWatch, known.InstallsSnapshot).Violates(watches.Resumable).
		Because("after a restore a watch is sent events from before its start (etcd-io/etcd#20221)"),
})

var CompactedWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compacted-watch",
	Summary: "the start of a watch is compacted before the watch is synced, and its stream has a channel for one response",
	Doc: `etcd ends a watch whose start is compacted by a response in the watch channel of its stream. If the channel is full, the
watch has to stay unsynced until the next round. Releases before 3.4.31 and 3.5.13 went on, and the watch became synced with the
compacted events missing (etcd-io/etcd#17529). Here another watch of the stream fills the channel.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compacted-capped=removed chan-buf=1
		writers=2 writes=4 read=consistent streams=1 compactions=3 keys=2 items=2 steps=20000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(0), watchFrom(2)}, Requests: 1}
	},
	About:  testbed.Reaches{"etcd: watch channel full": 65, "etcd: unsynced watcher becomes a victim": 40},
	Active: testbed.Active{"compacted-unsynced=falls-through": "etcd=3.6.16"},
	Claims: []*testbed.Property{watches.Reliable, watches.Bookmarkable, etcdapi.WatchAnswers, caches.JustifiedRefusals},
	Known: slices.Concat(
		known.LostEvents(known.ForgetsCompactedWatch, "events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
	),
})

var Victims = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "victims",
	Summary: "watches of etcd's own API catch up one revision at a time, and their stream has a channel for one response",
	Doc: `A watcher whose event finds the channel full is a victim, and so is one that syncWatchers has read more history for than one
response holds. syncVictimsLoop has to send what was left, and to hand the watcher back to syncWatchers if there is more.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 chan-buf=1 sync-batch=1 send-window=1
		writers=2 writes=4 txns=true deletes=true wide=true read=consistent streams=1 keys=2 items=2 history=3 to-rest=true
		steps=20000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(2), watchFrom(0), watchFrom(2)}}
	},
	About:  testbed.Reaches{"etcd: unsynced watcher becomes a victim": 80},
	Claims: []*testbed.Property{watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.KeepUp, etcdapi.NothingLeft},
})

var SecondWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "second-watch",
	Summary: "a client of etcd's own watch API requests progress of one watch, and then creates another one on the same stream",
	Doc: `The smallest form of rewatch, with the race masked: Created of the second watch goes through the watch channel, behind the
progress that was queued before. --bug created-overtakes-progress shows what every release does.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 writers=1 writes=2 read=consistent streams=1 keys=2 items=2 steps=20000`),
	Stream: watchAfterProgress,
	About:  testbed.Reaches{"etcd: Created names a revision past events of the watch": 20},
	Claims: []*testbed.Property{watches.Bookmarkable, etcdapi.WatchAnswers},
	Known: known.When(overtakes).Violates(watches.Bookmarkable).
		Because("a client of etcd's own watch API takes progress for that of its new watch (etcd-io/etcd#15220)"),
})

var PreviousValues = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "previous-values",
	Summary: "clients of etcd's own watch API want the value before each change, while keys are written, deleted and compacted",
	Doc: `etcd reads the previous value when it sends an event, and leaves it out if it is compacted by then (etcd-io/etcd#10681).
Every release may also leave it out of the first events of a watch: recvLoop stores the options after it has registered the watch
(watch-options=after-watch). Here they are stored together.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 watch-options=with-watch
		writers=2 writes=4 txns=true deletes=true wide=true read=consistent streams=1 compactions=1 keys=2 items=2
		steps=20000`),
	Stream: watchesPreviousValues,
	About:  testbed.Reaches{"etcd: all events filtered out": 70},
	Claims: []*testbed.Property{watches.PrevKV, watches.Reliable, watches.Filter, etcdapi.WatchAnswers},
	Known: slices.Concat(
		known.When(known.StoresOptionsLate).Violates(watches.PrevKV).
			Because("etcd sends events before it has stored that the watch wants previous values"),
		known.When(known.ForgetsCompactedWatch).RarelyViolates(watches.Reliable).
			Because("events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.When(known.CompactionRemovesDeletion).RarelyViolates(watches.Reliable).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
	),
})

// watchesPreviousValues is a stream of two watches that want the values before each change: one of all that was, and
// one of deletions to come.
func watchesPreviousValues(*testbed.Params, int) workload.EtcdWatchPlan {
	past, present := watchFrom(2), watchFrom(0)
	past.PrevKv, present.PrevKv = true, true
	present.Filters = wire.NoPut
	return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{past, present}, Requests: 1}
}

var NotifiedWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "notified-watches",
	Summary: "etcd sends progress by itself to the watches of its own API that ask for it, timed",
	Doc: `A stream has a ticker, whose period is --watch-progress-notify-interval. With each tick sendLoop requests the progress of
each watch that asked for it and was sent no event since the tick before. One stream has three such watches, one of which nothing
is written for.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 notify=300ms
		writers=2 writes=4 deletes=true wide=true read=consistent streams=2 keys=2 items=2 think=500ms
		mode=timed network=1ms scheduling=500us horizon=20s steps=200000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		past, present, quiet := watchFrom(2), watchFrom(0), watchFrom(2)
		quiet.Key, quiet.RangeEnd = topology.Elsewhere, model.PrefixEnd(topology.Elsewhere)
		plan := workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{past, present, quiet}, Requests: 5, Every: time.Second}
		for _, c := range plan.Creates {
			c.ProgressNotify = true
		}
		return plan
	},
	About: testbed.Reaches{"etcd: ticker requests progress": 80},
	Claims: []*testbed.Property{
		etcdapi.Progress, etcdapi.WatchAnswers, watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Bookmarkable,
	},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
	),
})

var QuietWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-watch",
	Summary: "a busy watch and a quiet one share a stream of etcd's own watch API, and both ask for progress, timed",
	Doc: `The ticker of the stream leaves out the watch that was sent events. Nothing is written for the other one, so that progress is all
that its client is sent: it must come as if the watch was alone. On one stream the busy watch is the first one, on another the quiet one.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 notify=300ms
		writers=2 writes=4 read=consistent streams=2 keys=2 items=2 think=500ms
		mode=timed network=1ms scheduling=500us horizon=10s steps=100000`),
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		busy, quiet := watchFrom(2), watchFrom(2)
		quiet.Key, quiet.RangeEnd = topology.Elsewhere, model.PrefixEnd(topology.Elsewhere)
		busy.ProgressNotify, quiet.ProgressNotify = true, true
		if i == 1 {
			return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{quiet, busy}}
		}
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{busy, quiet}}
	},
	About:  testbed.Reaches{"etcd: ticker leaves out a watch that was sent events": 70},
	Active: testbed.Active{"elided-ticks=stream": ""},
	Claims: []*testbed.Property{etcdapi.Progress, etcdapi.WatchAnswers},
})

var QuietAgain = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-again",
	Summary: "a watch of etcd's own API is sent events for a while, then only other keys are written: progress comes again, timed",
	Doc: `What a cache of a resource depends on that is seldom written (KEP-2340): etcd's revision goes on, and the ticker alone says so. A
tick leaves out a watch that was sent events since the tick before. The next one must not.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 notify=300ms
		writers=2 writes=2 noise=1 noise-writes=12 noise-for=6s read=consistent streams=1 keys=2 items=2 think=500ms
		mode=timed network=1ms scheduling=500us horizon=20s steps=100000`),
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		watch := watchFrom(2)
		watch.ProgressNotify = true
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watch}}
	},
	About:  testbed.Reaches{"etcd: ticker leaves out a watch that was sent events": 70},
	Active: testbed.Active{"elided-ticks=for-good": ""},
	Claims: []*testbed.Property{etcdapi.Progress, etcdapi.WatchAnswers},
})

var LaggingWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-watches",
	Summary: "watches of etcd's own API at a member that is behind the one that takes writes, until nothing more can happen",
	Doc: `The member applies the entries of the log as they come. Either member may restart, and the follower then asks for what it
has missed. Its watches are held to the same promises, and in the end neither member may keep anything of streams that are gone.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 lagging=true progress-requests=periodic
		writers=2 writes=4 txns=true deletes=true wide=true read=consistent streams=2 keys=2 items=2
		etcd-restarts=1 follower-restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{"etcd: entry of the log taken from the leader": 80},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Bookmarkable, watches.KeepUp,
		etcdapi.WatchAnswers, etcdapi.NothingLeft,
	},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
	),
})

var AnyEtcdRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-etcd-requests",
	Summary: "clients of etcd's own API draw their requests from all that there are, anew in each run",
	Doc: `Ranges, puts, deletes, transactions and compactions with any options, and streams of watches from any revision, with any
filters, ids, fragments, progress requests and cancels. Each client does without a random half of the options in each run (swarm
testing), and all of it is choices of the run. A response to a watch is split from 300 bytes on, and half of the clients close their
stream at the end. The run goes on until nothing more can happen, for which etcd must not send progress by itself. The options of a watch are stored
together with it, so that the first events have their previous values as well.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept chan-buf=2 ctrl-buf=1 send-window=2 watchers-per-sync=1 compacted-capped=removed fragment-bytes=300
		progress-requests=periodic watch-options=with-watch
		read=consistent streams=2 keys=3 items=2 history=1 drawn-clients=3 drawn-requests=6 drawn-bytes=100
		etcd-restarts=1 etcd-snapshots=1 to-rest=true steps=20000`),
	Draws: slices.Concat(
		DrawsEtcd, DrawsFaults,
		option.Ranges(`fragment-bytes=150|300|600 streams=1|3 keys=1|2|6 items=0|1|5|100 history=0|3 drawn-clients=1|2|4
			drawn-requests=3|9 lagging=true`),
	),
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	About:  testbed.Reaches{"etcd: restart": 80, "etcd: snapshot installed": 60},
	Active: testbed.Active{"compacted-capped=left-unsynced": ""},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce,
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.Filter,
		watches.KeepUp, watches.PrevKV, etcdapi.Fragments, etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft,
	},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents).RarelyViolates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
		known.When(known.RestoreRepeatsEvents).RarelyViolates(watches.Ordered, watches.Unique, watches.Atomic, etcdapi.WatchAnswers).
			Because("a restore sends again what was sent before (etcd-io/etcd#15271), or cancels the watch for history that it was sent"),
		known.RangesLeftOut(watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp, watches.PrevKV, etcdapi.Answers, etcdapi.WatchAnswers),
		known.When(known.NeverSplits).RarelyViolates(etcdapi.Fragments).
			Because("releases of etcd before 3.3.14 do not know that a watch can ask for fragments"),
		refusedWithoutReason,
		known.When(known.ForgetsCompactedWatch).RarelyViolates(watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp).
			Because("events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.When(known.CompactionRemovesDeletion).RarelyViolates(watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
		known.When(known.RestartRemovesDeletion).RarelyViolates(watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#19179)"),
		known.When(known.AcceptsNegativeStart).RarelyViolates(watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp).
			Because("a watch from revision -1 makes every watch of its round synced without events (etcd-io/etcd#20693)"),
		known.When(known.LowersFutureWatch).Violates(watches.Resumable).
			Because("after a restore a watch is sent events from before its start (etcd-io/etcd#20221)"),
		known.When(known.LowersFutureWatch).RarelyViolates(etcdapi.WatchAnswers).
			Because("after a restore a watch is canceled for history from before its start (etcd-io/etcd#20221)"),
		known.When(known.RestartTakesRevisionBack).RarelyViolates(reads.Linearizable, reads.LinearizableData, reads.Exact, etcdapi.Answers, etcdapi.WatchAnswers).
			Because("after a crash in a compaction etcd gives out revisions for the second time (etcd-io/etcd#17780)"),
	),
})

// watchFrom is a watch of all objects.
func watchFrom(revision int64) *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), StartRevision: revision}
}
