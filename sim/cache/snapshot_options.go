package cache

import (
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/option"
)

// SnapshotOptions are the options of KEP-4988.
type SnapshotOptions struct {
	Snapshotting Snapshotting
	LateSnapshot LateSnapshot
	// Options of what compares the cache with etcd.
	check.Options
}

// Snapshotting says whether the cache keeps its past states (the gate
// ListFromCacheSnapshot).
type Snapshotting uint8

// Values of the option snapshots.
const (
	SnapshotsOff Snapshotting = iota
	SnapshotsOn
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

var snapshotOptions = option.NewGroup("cache",
	option.Choice("snapshots", func(o *Options) *Snapshotting { return &o.Snapshots.Snapshotting },
		"whether the cache keeps its past states (KEP-4988)",
		option.Val("off", "it keeps none: etcd serves exact reads and later pages"),
		option.Val("on", "it keeps one for each event of its history")),
	option.Choice("late-snapshot", func(o *Options) *LateSnapshot { return &o.Snapshots.LateSnapshot },
		"what becomes of a state from before a compaction that the cache knows of already",
		option.Val("dropped", "no snapshot is kept of it"),
		option.Val("kept", "its snapshot stays until the next compaction: as shipped")),
)
