package cache

import (
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// SnapshotOn says which changes leave a snapshot behind.
type SnapshotOn uint8

const (
	// SnapshotOnAll: each of them.
	SnapshotOnAll SnapshotOn = iota
	// SnapshotOnPuts: not a deletion. A read at its resourceVersion is served from
	// the snapshot before it, in which the object is still there.
	SnapshotOnPuts
)

// Defects are the dimensions in which watch caches were once wrong, or easily
// could be; the zero value is a healthy one. Each is a branch at the place where
// the original had it, and brings no yield point of its own.
type Defects struct {
	DeletionRV store.DeletionRV
	SnapshotOn SnapshotOn
}

var defectOptions = option.NewGroup("cache",
	option.SeamOption(store.Deletions, func(o *Options) *store.DeletionRV { return &o.Defects.DeletionRV }),
	option.Choice("snapshot-on", func(o *Options) *SnapshotOn { return &o.Defects.SnapshotOn },
		"which changes leave a snapshot",
		option.Val("all", "each"),
		option.Val("puts", "all but deletions: a read at a deletion's resourceVersion shows the object")),
)

// leaves reports whether a change leaves a snapshot behind.
func (s SnapshotOn) leaves(in *wire.WatchEvent) bool {
	return s == SnapshotOnAll || in.Type != wire.Deleted
}
