package cache

import "github.com/watchbed/watchbed/sim/dimension"

// Snapshotting says whether the cache keeps its past states (KEP-4988; the gate
// ListFromCacheSnapshot).
type Snapshotting uint8

const (
	// SnapshotsOff keeps none: exact reads and later pages are etcd's.
	SnapshotsOff Snapshotting = iota
	// SnapshotsOn keeps one for each event of the history.
	SnapshotsOn
)

// FutureRV says what the cache does with a read at a resourceVersion that it
// has not reached (KEP-4988, "Edge cases").
type FutureRV uint8

const (
	// FutureRVWait waits for it like any other read: what was shipped.
	FutureRVWait FutureRV = iota
	// FutureRVConfirm first asks etcd whether there is such a revision.
	FutureRVConfirm
)

// CompactionNotice says how a cache with snapshots hears that etcd was
// compacted.
type CompactionNotice uint8

const (
	// CompactionPushed: the compactor of the API server tells it (KEP-4988,
	// "Watch cache compaction").
	CompactionPushed CompactionNotice = iota
	// CompactionPolled: it asks every 15 s, as shipped.
	CompactionPolled
	// CompactionUnheard: never, so that the cache serves history that etcd has
	// compacted (kubernetes/kubernetes#131011).
	CompactionUnheard
)

// LateSnapshot says what becomes of a state from before a compaction that the
// cache has heard of already: of a list that was on its way meanwhile, or after an
// event that comes late.
type LateSnapshot uint8

const (
	// LateSnapshotDropped: it is not kept.
	LateSnapshotDropped LateSnapshot = iota
	// LateSnapshotKept: it stays until the next compaction, as shipped: each
	// compaction is looked at once. A cache that is five minutes late is needed
	// for it.
	LateSnapshotKept
)

// MarkConsistent says whether an event can be amid its way into the cache when
// the checker drops the snapshots.
type MarkConsistent uint8

const (
	// MarkConsistentLocked: it cannot.
	MarkConsistentLocked MarkConsistent = iota
	// MarkConsistentUnlocked: it can, as shipped: it has looked at the switch
	// before, and adds its snapshot after the others are gone. That one outlives
	// the time without snapshots, and is taken for the newest state when it is
	// over. Untimed only: no goroutine stays between two lines for long.
	MarkConsistentUnlocked
)

// ConsistencyChecker says what a failed consistency check does (KEP-4988, "Cache
// Inconsistency Detection Mechanism").
type ConsistencyChecker uint8

const (
	// ConsistencyCheckerOff checks nothing.
	ConsistencyCheckerOff ConsistencyChecker = iota
	// ConsistencyCheckerPanic ends the process: alpha, and whoever sets
	// KUBE_WATCHCACHE_CONSISTENCY_CHECKER.
	ConsistencyCheckerPanic
	// ConsistencyCheckerFallback drops the snapshots and takes none until a
	// check succeeds: beta, the gate DetectCacheInconsistency. Reads of the
	// newest state go on as they were.
	ConsistencyCheckerFallback
)

// InconsistencyDetector says whether lists that the cache answered are compared
// with etcd (KEP-2340).
type InconsistencyDetector uint8

// Off, or on for each list.
const (
	InconsistencyDetectorOff InconsistencyDetector = iota
	InconsistencyDetectorOn
)

// SnapshotOptions are the dimensions of KEP-4988.
type SnapshotOptions struct {
	Snapshotting          Snapshotting
	FutureRV              FutureRV
	CompactionNotice      CompactionNotice
	LateSnapshot          LateSnapshot
	MarkConsistent        MarkConsistent
	ConsistencyChecker    ConsistencyChecker
	InconsistencyDetector InconsistencyDetector
}

var snapshotDimensions = dimension.Table[Options]{
	{Name: "snapshots", Values: []string{"off", "on"},
		Get: func(o *Options) int { return int(o.Snapshots.Snapshotting) },
		Set: func(o *Options, v int) { o.Snapshots.Snapshotting = Snapshotting(v) }},
	{Name: "future-rv", Values: []string{"wait", "confirm"},
		Get: func(o *Options) int { return int(o.Snapshots.FutureRV) },
		Set: func(o *Options, v int) { o.Snapshots.FutureRV = FutureRV(v) }},
	{Name: "compaction-notice", Values: []string{"pushed", "polled", "unheard"},
		Get: func(o *Options) int { return int(o.Snapshots.CompactionNotice) },
		Set: func(o *Options, v int) { o.Snapshots.CompactionNotice = CompactionNotice(v) }},
	{Name: "late-snapshot", Values: []string{"dropped", "kept"},
		Get: func(o *Options) int { return int(o.Snapshots.LateSnapshot) },
		Set: func(o *Options, v int) { o.Snapshots.LateSnapshot = LateSnapshot(v) }},
	{Name: "mark-consistent", Values: []string{"locked", "unlocked"},
		Get: func(o *Options) int { return int(o.Snapshots.MarkConsistent) },
		Set: func(o *Options, v int) { o.Snapshots.MarkConsistent = MarkConsistent(v) }},
	{Name: "consistency-checker", Values: []string{"off", "panic", "fallback"},
		Get: func(o *Options) int { return int(o.Snapshots.ConsistencyChecker) },
		Set: func(o *Options, v int) { o.Snapshots.ConsistencyChecker = ConsistencyChecker(v) }},
	{Name: "inconsistency-detector", Values: []string{"off", "on"},
		Get: func(o *Options) int { return int(o.Snapshots.InconsistencyDetector) },
		Set: func(o *Options, v int) { o.Snapshots.InconsistencyDetector = InconsistencyDetector(v) }},
}
