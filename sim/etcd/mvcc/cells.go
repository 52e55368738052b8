package mvcc

import "github.com/watchbed/watchbed/sim"

// The cells of the key index and the backend, of which an item is a revision. All other state declares its use itself.
var (
	// CellRevision is the current revision; an item is a revision, written by the
	// step that made it.
	CellRevision = sim.NewCell("etcd: revision")
	// CellStore is the key index and the backend. An item is the changes of one
	// revision: what a transaction put there, or what a compaction left of it.
	CellStore = sim.NewCell("etcd: store")
	// CellCompactRev is compactMainRev with scheduledCompact, which survives a crash
	// as finishedCompact does. An item is the revision of a compaction, written by
	// the step that made it.
	CellCompactRev = sim.NewCell("etcd: compactMainRev")
)
