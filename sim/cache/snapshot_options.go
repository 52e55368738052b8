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

// SnapshotOptions are the dimensions of KEP-4988.
type SnapshotOptions struct {
	Snapshotting Snapshotting
	FutureRV     FutureRV
}

var snapshotDimensions = dimension.Table[Options]{
	{Name: "snapshots", Values: []string{"off", "on"},
		Get: func(o *Options) int { return int(o.Snapshots.Snapshotting) },
		Set: func(o *Options, v int) { o.Snapshots.Snapshotting = Snapshotting(v) }},
	{Name: "future-rv", Values: []string{"wait", "confirm"},
		Get: func(o *Options) int { return int(o.Snapshots.FutureRV) },
		Set: func(o *Options, v int) { o.Snapshots.FutureRV = FutureRV(v) }},
}
