package mvcc

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are what releases differ in, and amounts. The values of a choice are in
// the order of the releases that brought them. Amounts left at zero are what etcd
// has out of the box.
type Options struct {
	// RaisesMinRev: notify advances the first revision that a watcher still wants with every event, and not only
	// if the channel is full. Otherwise a watcher that kept up is sent everything again after a restore (#15271).
	RaisesMinRev bool
	// NeverLowersMinRev: syncWatchers sets the first revision that a watcher still wants to the current revision + 1,
	// unless it is past that already, as after a restore (#20221).
	NeverLowersMinRev bool
	// SkipsCompacted: a watcher whose compaction response does not fit into the channel stays unsynced until the next
	// round of syncWatchers. Otherwise it becomes synced with events missing (#17529).
	SkipsCompacted bool
	// RemovesCompacted: a watcher of a capped round that was sent the cancellation of its history leaves the unsynced
	// ones. Otherwise it leaves the copy that the round works on, and each further round that takes it on sends it the
	// same again (#22294).
	RemovesCompacted bool
	// KeepsTombstone: a deletion at exactly the compacted revision stays until the next compaction. Otherwise a watch
	// from that revision misses it (#18089).
	KeepsTombstone bool
	// LosesRecreated is about a key that the compacted revision deletes and puts again: doCompact stops at the first
	// generation of the key that ends at that revision or later, and the backend keeps what that one ends with, the
	// deletion. The index has the value of the next generation (#22376).
	LosesRecreated bool
	KeysFromIndex  bool
	// IndexesTombstones: a restart indexes a key of which only a deletion is left. Otherwise the compaction that was
	// interrupted and now goes on removes the deletion (#19179).
	IndexesTombstones bool
	// RestoresScheduled: the current revision after a restart is no less than the scheduled compaction. The newest
	// revision that is left in the store goes back if a compaction removed the newest ones and was interrupted
	// (#17780).
	RestoresScheduled bool
	AnswersFirstBatch bool
	AwaitsVictim      bool
	// EventsByFirstKey: a watcher is sent the events of a revision if the first key of the transaction, in key order,
	// is in its range too.
	EventsByFirstKey bool
	// KeepsHistory: a turn of syncWatchers adds to what the turn before had read what is missing at both ends
	// (rangeEventsWithReuse). The result is the same, but for a watcher from a negative revision: for that one nothing
	// is missing at the left end.
	KeepsHistory bool
	// VisibleLater: a step that takes no lock of the watchable store, a read or the making of a control response's
	// header, sees the revision of a write in a step after that which puts the events into the watch channels, as every
	// release has it.
	VisibleLater bool
	CountsIDs    bool

	// ChanBufLen is the capacity of the channel that the watchers of one stream
	// share, in responses: chanBufLen, 128.
	ChanBufLen int
	// MaxWatchersPerSync is how many unsynced watchers one round takes on:
	// maxWatchersPerSync, 512.
	MaxWatchersPerSync int
	// WatchBatchMaxRevs is how many revisions one response to an unsynced
	// watcher holds: watchBatchMaxRevs, 1000.
	WatchBatchMaxRevs int
	// CompactionBatchLimit is how many revisions a compaction looks at before it
	// pauses: --compaction-batch-limit, 1000.
	CompactionBatchLimit int
	// SyncInterval is the period of syncWatchersLoop: watchResyncPeriod, 100 ms.
	SyncInterval sim.Duration
	// VictimInterval is how long syncVictimsLoop waits after a round that moved
	// no watcher: 10 ms.
	VictimInterval sim.Duration
	// CompactionSleepInterval is the pause of a compaction: 10 ms.
	CompactionSleepInterval sim.Duration
}

// SetDefaults sets the amounts that are zero.
func (o *Options) SetDefaults() {
	o.ChanBufLen = cmp.Or(o.ChanBufLen, 128)
	o.MaxWatchersPerSync = cmp.Or(o.MaxWatchersPerSync, 512)
	o.WatchBatchMaxRevs = cmp.Or(o.WatchBatchMaxRevs, 1000)
	o.CompactionBatchLimit = cmp.Or(o.CompactionBatchLimit, 1000)
	o.SyncInterval = cmp.Or(o.SyncInterval, 100*time.Millisecond)
	o.VictimInterval = cmp.Or(o.VictimInterval, 10*time.Millisecond)
	o.CompactionSleepInterval = cmp.Or(o.CompactionSleepInterval, 10*time.Millisecond)
}

// Choices are the options in which releases differ.
var Choices = option.NewGroup("etcd",
	option.Either("notify-min-rev", func(o *Options) *bool { return &o.RaisesMinRev },
		"when notify advances the first revision that a watcher still wants",
		option.Value{Name: "on-failure", Doc: "if the channel was full, so that a restore sends the others everything again (#15271)"},
		option.Value{Name: "always", Doc: "with every event"}),
	option.Either("sync-min-rev", func(o *Options) *bool { return &o.NeverLowersMinRev },
		"how syncWatchers advances the first revision that a watcher still wants",
		option.Value{Name: "set-to-next", Doc: "to the current revision + 1, even if the watcher starts later (#20221)"},
		option.Value{Name: "never-lowered", Doc: "to the same, unless it is past that already"}),
	option.Either("compacted-unsynced", func(o *Options) *bool { return &o.SkipsCompacted },
		"what syncWatchers does with a compacted watcher whose channel is full",
		option.Value{Name: "falls-through", Doc: "it becomes synced, with events missing (#17529)"},
		option.Value{Name: "skipped", Doc: "it stays unsynced, and the next round tries again"}),
	option.Either("compacted-capped", func(o *Options) *bool { return &o.RemovesCompacted },
		"what a round of syncWatchers that leaves watchers out does with a compacted one that it has cancelled",
		option.Value{Name: "left-unsynced", Doc: "it stays unsynced, and later rounds cancel it again (#22294): all releases"},
		option.Value{Name: "removed", Doc: "it is not unsynced any more"}),
	option.Either("compact-tombstone", func(o *Options) *bool { return &o.KeepsTombstone },
		"what a compaction does with a deletion at the compacted revision",
		option.Value{Name: "removed", Doc: "a watch from that revision misses it (#18089)"},
		option.Value{Name: "kept", Doc: "it stays until the next compaction"}),
	option.Either("compact-recreated", func(o *Options) *bool { return &o.LosesRecreated },
		"what a compaction makes of a key that the compacted revision deletes and puts again",
		option.Value{Name: "kept", Doc: "its value stays"},
		option.Value{Name: "lost", Doc: "its value goes: a read ends the process, and the next one does not have the key (#22376)"}),
	option.Either("keys-only", func(o *Options) *bool { return &o.KeysFromIndex },
		"where a Range without values has its keys from",
		option.Value{Name: "from-backend", Doc: "where any other has them from"},
		option.Value{Name: "from-index", Doc: "the index: it does not see what the backend lacks"}),
	option.Either("physical-compaction", func(o *Options) *bool { return &o.AnswersFirstBatch },
		"when a physical compaction is answered",
		option.Value{Name: "when-removed", Doc: "when all that it removes is gone: all releases"},
		option.Value{Name: "after-first-batch", Doc: "when its first batch is done, and others may be to come: no release"}),
	option.Either("restore-tombstone", func(o *Options) *bool { return &o.IndexesTombstones },
		"what a restart makes of a key of which only a deletion is left",
		option.Value{Name: "not-indexed", Doc: "the compaction that goes on removes the deletion (#19179)"},
		option.Value{Name: "indexed", Doc: "it is indexed as any other key"}),
	option.Either("restore-revision", func(o *Options) *bool { return &o.RestoresScheduled },
		"how a restart finds the current revision",
		option.Value{Name: "from-keys", Doc: "etcd takes the revision of its newest remaining key; after an interrupted compaction that is an older one (#17780)"},
		option.Value{Name: "from-scheduled-compaction", Doc: "etcd takes the revision of its newest remaining key, or that of the scheduled compaction if that is newer"}),
	option.Either("victim-retry", func(o *Options) *bool { return &o.AwaitsVictim },
		"when syncVictimsLoop tries again to send to watchers whose channel is full",
		option.Value{Name: "timer", Doc: "after 10 ms, or when another watcher finds its channel full: all releases"},
		option.Value{Name: "next-victim", Doc: "when another watcher finds its channel full: no release"}),
	option.Either("revision-events", func(o *Options) *bool { return &o.EventsByFirstKey },
		"the events of one revision that a watch is sent",
		option.Value{Name: "each-in-range", Doc: "those that are in its range: all releases"},
		option.Value{Name: "by-first-key", Doc: "none if the first key that the transaction changes, in key order, is not in its range: no release"}),
	option.Either("sync-history", func(o *Options) *bool { return &o.KeepsHistory },
		"where syncWatchers has the history from that it sends",
		option.Value{Name: "read-anew", Doc: "each turn reads what its watches want"},
		option.Value{Name: "kept", Doc: "a turn keeps what it has read for the next one, which a watch from a negative revision is sent then"}),
	option.Either("visible-revision", func(o *Options) *bool { return &o.VisibleLater },
		"when a write is visible to serializable reads and in the headers of control responses",
		option.Value{Name: "with-events", Doc: "when its events are in the watch channels: one step less for each write"},
		option.Value{Name: "after-events", Doc: "a step later: all releases"}).
		Undrawn("scenarios have a write as one step, for speed; two-step-writes has it set"),
	option.Either("watch-ids", func(o *Options) *bool { return &o.CountsIDs },
		"the ids of the watches of a stream",
		option.Value{Name: "as-asked", Doc: "those that create requests name, if they name one"},
		option.Value{Name: "counted", Doc: "0, 1, 2 and so on, whatever create requests name"}),
)

// Amounts are the amounts that scenarios set. The others stay what etcd has, but for
// tests.
var Amounts = option.NewGroup("etcd",
	option.Count("chan-buf", func(o *Options) *int { return &o.ChanBufLen }, "128", "responses in a watch channel (chanBufLen)"),
	option.Count("watchers-per-sync", func(o *Options) *int { return &o.MaxWatchersPerSync }, "512", "unsynced watchers in one round of syncWatchers (maxWatchersPerSync)"),
	option.Count("sync-batch", func(o *Options) *int { return &o.WatchBatchMaxRevs }, "1000", "revisions in one response to an unsynced watcher (watchBatchMaxRevs)"),
	option.Count("compaction-batch", func(o *Options) *int { return &o.CompactionBatchLimit }, "1000", "revisions in one batch of a compaction (--compaction-batch-limit)"),
	option.Period("sync-interval", func(o *Options) *time.Duration { return &o.SyncInterval }, "100ms", "period of syncWatchersLoop (watchResyncPeriod)"),
	option.Duration("compaction-pause", func(o *Options) *time.Duration { return &o.CompactionSleepInterval }, "10ms", "pause between two batches of a compaction"),
)
