package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
)

// The cells of the store that stories ask for.
var (
	// CellRevision is the current revision; an item is a revision, written by the
	// step that made it.
	CellRevision = mvcc.CellRevision
	// CellStore is the contents; an item is the changes of one revision.
	CellStore = mvcc.CellStore
	// CellCompactRev is the compacted revision; an item is the revision of a
	// compaction, written by the step that made it.
	CellCompactRev = mvcc.CellCompactRev
)

// The cells of the server beside those of the store and of the streams.
var (
	// cellRaftLog is the entries that are committed and not applied; an item is an
	// entry by its index.
	cellRaftLog   = sim.NewCell("etcd: raft log")
	cellApplied   = sim.NewCell("etcd: applied index")
	cellSkipped   = sim.NewCell("etcd: entries that were skipped")
	cellFollowers = sim.NewCell("etcd: followers")
	cellMembers   = sim.NewCell("etcd: members")
	// cellLessor is the leases and the keys that are attached to them.
	cellLessor = sim.NewCell("etcd: lessor")
	cellLeader = sim.NewCell("etcd: leader")
	// cellFailures is how many errors are still to be answered, by kind; behind the
	// kinds, the list of those that were.
	cellFailures = sim.NewCell("etcd: failures")

	// cellRead is a handler that has not looked at the store yet; its items are
	// below. cellReadPlace is whether its place is taken: the first free place
	// depends on all before it. Both have the place as their index.
	cellRead      = sim.NewCell("etcd: read")
	cellReadPlace = sim.NewCell("etcd: place of a read")
	// cellStream is how far an answer in chunks is, by the place of its handler.
	cellStream       = sim.NewCell("etcd: RangeStream")
	cellReadNotifier = sim.NewCell("etcd: readNotifier")
	// cellRangeQueue is the Ranges that have a price; an item is one by its running
	// number.
	cellRangeQueue = sim.NewCell("etcd: queue of Ranges")
)

// The items of cellRead. linearizableReadLoop lets several reads go in one step: a
// story of one of them must not follow what the others asked for.
const (
	readAsked int64 = iota + 1
	readReleased
)
