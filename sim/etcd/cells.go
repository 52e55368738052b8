package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
)

// CellRevision is the current revision of the store; an item is a revision, written
// by the step that made it.
var CellRevision = mvcc.CellRevision

// The cells of the server beside those of the store and of the streams.
var (
	// cellRaftLog is the entries that are committed and not applied; an item is an
	// entry by its index.
	cellRaftLog   = sim.NewCell("etcd: raft log")
	cellApplied   = sim.NewCell("etcd: applied index")
	cellFollowers = sim.NewCell("etcd: followers")
	cellMembers   = sim.NewCell("etcd: members")

	// cellRead is a handler that has not looked at the store yet, cellReadPlace
	// whether its place is taken: the first free place depends on all before it.
	// Both have the place as their index.
	cellRead         = sim.NewCell("etcd: read")
	cellReadPlace    = sim.NewCell("etcd: place of a read")
	cellReadNotifier = sim.NewCell("etcd: readNotifier")
	// cellRangeQueue is the Ranges that have a price; an item is one by its running
	// number.
	cellRangeQueue = sim.NewCell("etcd: queue of Ranges")
)
