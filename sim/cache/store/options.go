package store

import (
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are those of what is kept. The zero value is KEP-2340 as written.
type Options struct {
	Snapshotting Snapshotting
	LateSnapshot LateSnapshot
	SnapshotOn   SnapshotOn
	DeletionRV   DeletionRV
	IndexUpdate  IndexUpdate
	InitialType  InitialType
	WatchHistory WatchHistory
}

// Group is all options of the package.
var Group = option.NewGroup("cache",
	option.Choice("snapshots", func(o *Options) *Snapshotting { return &o.Snapshotting },
		"whether the cache keeps its past states (KEP-4988)",
		option.Val("off", "it keeps none: etcd serves exact reads and later pages"),
		option.Val("on", "it keeps one for each event of its history")),
	option.SeamOption(LateSnapshots, func(o *Options) *LateSnapshot { return &o.LateSnapshot }),
	option.SeamOption(SnapshotRules, func(o *Options) *SnapshotOn { return &o.SnapshotOn }),
	option.SeamOption(Deletions, func(o *Options) *DeletionRV { return &o.DeletionRV }),
	option.SeamOption(IndexUpdates, func(o *Options) *IndexUpdate { return &o.IndexUpdate }),
	option.SeamOption(InitialTypes, func(o *Options) *InitialType { return &o.InitialType }),
	option.Choice("watch-history", func(o *Options) *WatchHistory { return &o.WatchHistory },
		"how long the cache keeps events for watches that begin in the past",
		option.Val("until-full", "until the history is full: KEP-4988 and all releases"),
		option.Val("until-compacted", "until etcd is compacted, or the history is full: what KEP-4988 leaves for the future")),
)

// Snapshotting says whether the cache keeps its past states (the gate
// ListFromCacheSnapshot).
type Snapshotting uint8

// Values of the option snapshots.
const (
	SnapshotsOff Snapshotting = iota
	SnapshotsOn
)

// LateSnapshot is the value of the option late-snapshot.
type LateSnapshot uint8

// LateSnapshots is the seam of what becomes of a state from before a compaction
// that the cache knows of already: that of a list that was under way, or of an
// event that comes late. The implementation says whether its snapshot is kept.
var LateSnapshots = option.NewSeam[LateSnapshot, bool]("late-snapshot",
	"what becomes of a state from before a compaction that the cache knows of already").
	Shipped("dropped", "no snapshot is kept of it", false)

// LateSnapshotKept is what Kubernetes ships: each compaction is looked at once. A
// cache that is five minutes late is needed for it.
var LateSnapshotKept = LateSnapshots.Register("kept", "its snapshot stays until the next compaction: as shipped", true)

// SnapshotOn is the value of the option snapshot-on.
type SnapshotOn uint8

// SnapshotRules is the seam of which changes leave a snapshot.
var SnapshotRules = option.NewSeam[SnapshotOn, func(in *wire.WatchEvent) bool]("snapshot-on", "which changes leave a snapshot").
	Shipped("all", "each", func(*wire.WatchEvent) bool { return true })

// WatchHistory says how long events are kept.
type WatchHistory uint8

// Values of the option watch-history.
const (
	WatchHistoryUntilFull WatchHistory = iota
	WatchHistoryUntilCompacted
)
