package store

import "github.com/watchbed/watchbed/sim/option"

// Options are those of what is kept. The zero value is KEP-2340 as written.
type Options struct {
	Snapshotting Snapshotting
	WatchHistory WatchHistory
	// KeepsLateSnapshots is what Kubernetes ships: each compaction is looked at once. A
	// cache that is five minutes late is needed for it.
	KeepsLateSnapshots       bool
	LastSnapshotStays        bool
	DeletionsLeaveNoSnapshot bool
	DeletionsHavePreviousRV  bool
	ChangesStayIndexed       bool
	// InitialEventsAreModified: an initial event of an object that was changed since it was
	// created is MODIFIED.
	InitialEventsAreModified bool
}

// Group is all options of the package.
var Group = option.NewGroup("cache",
	option.Choice("snapshots", func(o *Options) *Snapshotting { return &o.Snapshotting },
		"whether the cache keeps its past states (KEP-4988)",
		option.Off("off", "it keeps none: etcd serves exact reads and later pages"),
		option.Val("on", "it keeps one for each event of its history")),
	option.Either("late-snapshot", func(o *Options) *bool { return &o.KeepsLateSnapshots },
		"what becomes of a state from before a compaction that the cache knows of already",
		option.Val("dropped", "no snapshot is kept of it"),
		option.Val("kept", "its snapshot stays until the next compaction: as shipped")),
	option.Either("compacted-snapshot", func(o *Options) *bool { return &o.LastSnapshotStays },
		"what becomes of the last snapshot from before a compaction",
		option.Val("dropped", "it goes with the others"),
		option.Val("kept-on", "it stays, and serves from the compaction on: as v0.38.0-beta.0 ships it (snapshotter.compact)")),
	option.Either("snapshot-on", func(o *Options) *bool { return &o.DeletionsLeaveNoSnapshot }, "which changes leave a snapshot",
		option.Val("all", "each"),
		option.Bug("puts", "all but deletions: a read at a deletion's resourceVersion shows the object")),
	option.Either("deletion-rv", func(o *Options) *bool { return &o.DeletionsHavePreviousRV }, "the resourceVersion of a DELETED event",
		option.Val("own", "that of the deletion"),
		option.Bug("previous", "the one that the object had before (kubernetes#58545)")),
	option.Either("index-update", func(o *Options) *bool { return &o.ChangesStayIndexed },
		"which objects leave their place in an index of the cache when a change moves them",
		option.Val("all", "each"),
		option.Bug("deletions", "those that are deleted: one that changes stays where it was, as well")),
	option.Either("initial-type", func(o *Options) *bool { return &o.InitialEventsAreModified }, "the type of an initial event",
		option.Val("added", "ADDED"),
		option.Bug("last-change", "that of the last change of its object")),
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

// WatchHistory says how long events are kept.
type WatchHistory uint8

// Values of the option watch-history.
const (
	WatchHistoryUntilFull WatchHistory = iota
	WatchHistoryUntilCompacted
)
