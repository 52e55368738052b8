package cache

import "github.com/watchbed/watchbed/sim/option"

// SnapshotOptions are the options of KEP-4988.
type SnapshotOptions struct {
	Snapshotting          Snapshotting
	FutureRV              FutureRV
	CompactionNotice      CompactionNotice
	LateSnapshot          LateSnapshot
	MarkConsistent        MarkConsistent
	ConsistencyChecker    ConsistencyChecker
	InconsistencyDetector InconsistencyDetector
}

// Snapshotting says whether the cache keeps its past states (the gate
// ListFromCacheSnapshot).
type Snapshotting uint8

// Values of the option snapshots.
const (
	SnapshotsOff Snapshotting = iota
	SnapshotsOn
)

// FutureRV says what the cache does with a read at a resourceVersion that it has
// not reached (KEP-4988, "Edge cases").
type FutureRV uint8

// Values of the option future-rv.
const (
	FutureRVWait FutureRV = iota
	FutureRVConfirm
)

// CompactionNotice says how a cache with snapshots learns that etcd was
// compacted.
type CompactionNotice uint8

// Values of the option compaction-notice.
const (
	CompactionPushed CompactionNotice = iota
	CompactionPolled
	CompactionUnheard
)

// LateSnapshot says what becomes of a state from before a compaction that the
// cache knows of already: that of a list that was under way, or of an event that
// comes late.
type LateSnapshot uint8

// Values of the option late-snapshot.
const (
	LateSnapshotDropped LateSnapshot = iota
	LateSnapshotKept
)

// MarkConsistent says whether the checker can drop the snapshots while an event
// is halfway into the cache.
type MarkConsistent uint8

// Values of the option mark-consistent.
const (
	MarkConsistentLocked MarkConsistent = iota
	MarkConsistentUnlocked
)

// ConsistencyChecker says what a failed consistency check does (KEP-4988, "Cache
// Inconsistency Detection Mechanism").
type ConsistencyChecker uint8

// Values of the option consistency-checker.
const (
	ConsistencyCheckerOff ConsistencyChecker = iota
	ConsistencyCheckerPanic
	ConsistencyCheckerFallback
)

// InconsistencyDetector says whether lists that the cache answered are compared
// with etcd (KEP-2340).
type InconsistencyDetector uint8

// Values of the option inconsistency-detector.
const (
	InconsistencyDetectorOff InconsistencyDetector = iota
	InconsistencyDetectorOn
)

var snapshotOptions = option.NewGroup("cache",
	option.Choice("snapshots", func(o *Options) *Snapshotting { return &o.Snapshots.Snapshotting },
		"whether the cache keeps its past states (KEP-4988)",
		option.Val("off", "it keeps none: etcd serves exact reads and later pages"),
		option.Val("on", "it keeps one for each event of its history")),
	option.Choice("future-rv", func(o *Options) *FutureRV { return &o.Snapshots.FutureRV },
		"what the cache does with a read at a resourceVersion that it has not reached",
		option.Val("wait", "it waits, as with any other read: as shipped"),
		option.Val("confirm", "it first asks etcd whether there is such a revision (KEP-4988, Edge cases)")),
	option.Choice("compaction-notice", func(o *Options) *CompactionNotice { return &o.Snapshots.CompactionNotice },
		"how a cache with snapshots learns that etcd was compacted",
		option.Val("pushed", "the compactor of the API server tells it (KEP-4988)"),
		option.Val("polled", "it asks every 15 s: as shipped"),
		option.Val("unheard", "not at all: it serves history that etcd has compacted (kubernetes#131011)")),
	option.Choice("late-snapshot", func(o *Options) *LateSnapshot { return &o.Snapshots.LateSnapshot },
		"what becomes of a state from before a compaction that the cache knows of already",
		option.Val("dropped", "no snapshot is kept of it"),
		option.Val("kept", "its snapshot stays until the next compaction: as shipped")),
	option.Choice("mark-consistent", func(o *Options) *MarkConsistent { return &o.Snapshots.MarkConsistent },
		"whether a failed check can drop the snapshots while an event is halfway into the cache, untimed",
		option.Val("locked", "it cannot"),
		option.Val("unlocked", "it can, as shipped: the snapshot of that event outlives the time without snapshots")),
	option.Choice("consistency-checker", func(o *Options) *ConsistencyChecker { return &o.Snapshots.ConsistencyChecker },
		"what follows when a check finds cache and etcd different",
		option.Val("off", "nothing is checked"),
		option.Val("panic", "the process ends (alpha; KUBE_WATCHCACHE_CONSISTENCY_CHECKER)"),
		option.Val("fallback", "snapshots are dropped until a check succeeds (beta, the gate DetectCacheInconsistency)")),
	option.Choice("inconsistency-detector", func(o *Options) *InconsistencyDetector { return &o.Snapshots.InconsistencyDetector },
		"whether lists that the cache answered are compared with etcd (KEP-2340)",
		option.Val("off", "none is"),
		option.Val("on", "each is")),
)
