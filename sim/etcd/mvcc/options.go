package mvcc

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are what releases differ in, and amounts. The values of a choice are in
// the order of the releases that brought them. Amounts left at zero are what etcd
// has out of the box.
type Options struct {
	NotifyMinRev      NotifyMinRev
	SyncMinRev        SyncMinRev
	CompactedUnsynced CompactedUnsynced
	CompactTombstone  CompactTombstone
	CompactRecreated  CompactRecreated
	KeysOnly          KeysOnly
	RestoreTombstone  RestoreTombstone
	RestoreRevision   RestoreRevision
	PhysicalAnswer    PhysicalAnswer
	VictimRetry       VictimRetry
	RevisionEvents    RevisionEvents
	SyncHistory       SyncHistory
	VisibleRevision   VisibleRevision
	WatchIDs          WatchIDs

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
	set(&o.ChanBufLen, 128)
	set(&o.MaxWatchersPerSync, 512)
	set(&o.WatchBatchMaxRevs, 1000)
	set(&o.CompactionBatchLimit, 1000)
	set(&o.SyncInterval, 100*time.Millisecond)
	set(&o.VictimInterval, 10*time.Millisecond)
	set(&o.CompactionSleepInterval, 10*time.Millisecond)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// NotifyMinRev is when notify advances the first revision that a watcher still
// wants.
type NotifyMinRev uint8

const (
	// OnFailure: only if the channel was full, so that a watcher that kept up
	// is sent everything again after a restore (#15271).
	OnFailure NotifyMinRev = iota
	// Always: with every event.
	Always
)

// SyncMinRev is how syncWatchers advances the first revision that a watcher
// still wants.
type SyncMinRev uint8

const (
	// SetToNext: to the current revision + 1, even if the watcher, moved to the
	// unsynced ones by a restore, starts later than that (#20221).
	SetToNext SyncMinRev = iota
	// NeverLowered: to the same, unless it is past that already.
	NeverLowered
)

// CompactedUnsynced is what syncWatchers does with a watcher whose compaction
// response did not fit into the channel.
type CompactedUnsynced uint8

const (
	// FallsThrough: it goes on as if nothing was wrong, and the watcher becomes
	// synced with events missing (#17529).
	FallsThrough CompactedUnsynced = iota
	// Skipped: the watcher stays unsynced and the next round tries again.
	Skipped
)

// CompactTombstone is what a compaction does with a deletion at exactly the
// compacted revision.
type CompactTombstone uint8

const (
	// Removed: a watch from that revision misses the deletion (#18089).
	Removed CompactTombstone = iota
	// Kept: the deletion stays until the next compaction.
	Kept
)

// CompactRecreated is what a compaction makes of a key that the compacted revision deletes and puts again.
type CompactRecreated uint8

const (
	// RecreatedKept: the backend keeps the value.
	RecreatedKept CompactRecreated = iota
	// RecreatedLost: doCompact stops at the first generation of the key that ends at that revision or later, and the backend keeps
	// what that one ends with, the deletion. The index has the value of the next generation (#22376).
	RecreatedLost
)

// KeysOnly is where a Range without values has its key-values from, unless it sorts by them.
type KeysOnly uint8

const (
	// KeysFromBackend: where any other has them from.
	KeysFromBackend KeysOnly = iota
	// KeysFromIndex: the index.
	KeysFromIndex
)

// PhysicalAnswer is when a physical compaction is answered.
type PhysicalAnswer uint8

const (
	// WhenRemoved: when its last batch is done.
	WhenRemoved PhysicalAnswer = iota
	// AfterFirstBatch: when its first batch is done, and others may be to come.
	AfterFirstBatch
)

// RestoreTombstone is what a restart makes of a key of which only a deletion is
// left.
type RestoreTombstone uint8

const (
	// NotIndexed: the compaction that was interrupted and now goes on removes
	// the deletion (#19179).
	NotIndexed RestoreTombstone = iota
	// Indexed: as any other key.
	Indexed
)

// RestoreRevision is how a restart finds the current revision.
type RestoreRevision uint8

const (
	// FromKeys: the newest revision that is left in the store, which goes back
	// if a compaction removed the newest ones and was interrupted (#17780).
	FromKeys RestoreRevision = iota
	// FromScheduledCompaction: the same, but no less than the compaction.
	FromScheduledCompaction
)

// VictimRetry is when syncVictimsLoop tries again to send to watchers after a round that
// moved none of them.
type VictimRetry uint8

const (
	// RetryOnTimer: after VictimInterval, or when there is a new victim.
	RetryOnTimer VictimRetry = iota
	// RetryOnVictim: when there is a new victim only, which no release does.
	RetryOnVictim
)

// RevisionEvents are the events of one revision that a watcher is sent.
type RevisionEvents uint8

const (
	// EachInRange: those that are in its range.
	EachInRange RevisionEvents = iota
	// ByFirstKey: those that are in its range, if the first key of the transaction is, in key order,
	// which no release does.
	ByFirstKey
)

// SyncHistory is where syncWatchers has the history from.
type SyncHistory uint8

const (
	// ReadAnew: each turn reads from the backend what the watchers of the turn want.
	ReadAnew SyncHistory = iota
	// KeptBetweenTurns: a turn adds to what the turn before had read what is missing at
	// both ends (rangeEventsWithReuse). The result is the same, but for a watcher from a
	// negative revision: for that one nothing is missing at the left end.
	KeptBetweenTurns
)

// VisibleRevision is when a step that takes no lock of the watchable store sees the revision
// of a write: a read, and the making of a control response's header.
type VisibleRevision uint8

const (
	// WithEvents: in the step that puts its events into the watch channels.
	WithEvents VisibleRevision = iota
	// AfterEvents: in a step of its own after that, as every release has it.
	AfterEvents
)

// WatchIDs is whether a create request may name the id of its watch.
type WatchIDs uint8

const (
	// IDsAsAsked: it may.
	IDsAsAsked WatchIDs = iota
	// IDsCounted: the watches of a stream are counted, and a create request has no such
	// field in 3.3.
	IDsCounted
)

// Choices are the options in which releases differ.
var Choices = option.NewGroup("etcd",
	option.Choice("notify-min-rev", func(o *Options) *NotifyMinRev { return &o.NotifyMinRev },
		"when notify advances the first revision that a watcher still wants",
		option.Value{Name: "on-failure", Doc: "if the channel was full, so that a restore sends the others everything again (#15271)"},
		option.Value{Name: "always", Doc: "with every event"}),
	option.Choice("sync-min-rev", func(o *Options) *SyncMinRev { return &o.SyncMinRev },
		"how syncWatchers advances the first revision that a watcher still wants",
		option.Value{Name: "set-to-next", Doc: "to the current revision + 1, even if the watcher starts later (#20221)"},
		option.Value{Name: "never-lowered", Doc: "to the same, unless it is past that already"}),
	option.Choice("compacted-unsynced", func(o *Options) *CompactedUnsynced { return &o.CompactedUnsynced },
		"what syncWatchers does with a compacted watcher whose channel is full",
		option.Value{Name: "falls-through", Doc: "it becomes synced, with events missing (#17529)"},
		option.Value{Name: "skipped", Doc: "it stays unsynced, and the next round tries again"}),
	option.Choice("compact-tombstone", func(o *Options) *CompactTombstone { return &o.CompactTombstone },
		"what a compaction does with a deletion at the compacted revision",
		option.Value{Name: "removed", Doc: "a watch from that revision misses it (#18089)"},
		option.Value{Name: "kept", Doc: "it stays until the next compaction"}),
	option.Choice("compact-recreated", func(o *Options) *CompactRecreated { return &o.CompactRecreated },
		"what a compaction makes of a key that the compacted revision deletes and puts again",
		option.Value{Name: "kept", Doc: "its value stays"},
		option.Value{Name: "lost", Doc: "its value goes: a read ends the process, and the next one does not have the key (#22376)"}),
	option.Choice("keys-only", func(o *Options) *KeysOnly { return &o.KeysOnly },
		"where a Range without values has its keys from",
		option.Value{Name: "from-backend", Doc: "where any other has them from"},
		option.Value{Name: "from-index", Doc: "the index: it does not see what the backend lacks"}),
	option.Choice("physical-compaction", func(o *Options) *PhysicalAnswer { return &o.PhysicalAnswer },
		"when a physical compaction is answered",
		option.Value{Name: "when-removed", Doc: "when all that it removes is gone: all releases"},
		option.Value{Name: "after-first-batch", Doc: "when its first batch is done, and others may be to come: no release"}),
	option.Choice("restore-tombstone", func(o *Options) *RestoreTombstone { return &o.RestoreTombstone },
		"what a restart makes of a key of which only a deletion is left",
		option.Value{Name: "not-indexed", Doc: "the compaction that goes on removes the deletion (#19179)"},
		option.Value{Name: "indexed", Doc: "it is indexed as any other key"}),
	option.Choice("restore-revision", func(o *Options) *RestoreRevision { return &o.RestoreRevision },
		"how a restart finds the current revision",
		option.Value{Name: "from-keys", Doc: "etcd takes the revision of its newest remaining key; after an interrupted compaction that is an older one (#17780)"},
		option.Value{Name: "from-scheduled-compaction", Doc: "etcd takes the revision of its newest remaining key, or that of the scheduled compaction if that is newer"}),
	option.Choice("victim-retry", func(o *Options) *VictimRetry { return &o.VictimRetry },
		"when syncVictimsLoop tries again to send to watchers whose channel is full",
		option.Value{Name: "timer", Doc: "after 10 ms, or when another watcher finds its channel full: all releases"},
		option.Value{Name: "next-victim", Doc: "when another watcher finds its channel full: no release"}),
	option.Choice("revision-events", func(o *Options) *RevisionEvents { return &o.RevisionEvents },
		"the events of one revision that a watch is sent",
		option.Value{Name: "each-in-range", Doc: "those that are in its range: all releases"},
		option.Value{Name: "by-first-key", Doc: "none if the first key that the transaction changes, in key order, is not in its range: no release"}),
	option.Choice("sync-history", func(o *Options) *SyncHistory { return &o.SyncHistory },
		"where syncWatchers has the history from that it sends",
		option.Value{Name: "read-anew", Doc: "each turn reads what its watches want"},
		option.Value{Name: "kept", Doc: "a turn keeps what it has read for the next one, which a watch from a negative revision is sent then"}),
	option.Choice("visible-revision", func(o *Options) *VisibleRevision { return &o.VisibleRevision },
		"when a write is visible to serializable reads and in the headers of control responses",
		option.Value{Name: "with-events", Doc: "when its events are in the watch channels: one step less for each write"},
		option.Value{Name: "after-events", Doc: "a step later: all releases"}),
	option.Choice("watch-ids", func(o *Options) *WatchIDs { return &o.WatchIDs },
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
