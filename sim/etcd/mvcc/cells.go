package mvcc

import "github.com/watchbed/watchbed/sim"

// The cells of the store. What is written by one loop and read by another is a cell
// of its own. Steps of different streams and watchers share no cell unless they
// meet in the store, so an explorer may swap them.
var (
	// CellRevision is the current revision; an item is a revision, written by the
	// step that made it.
	CellRevision = sim.NewCell("etcd: revision")
	// CellStore is the key index and the backend. An item is the changes of one
	// revision: what a transaction put there, or what a compaction left of it.
	CellStore = sim.NewCell("etcd: store")
	// CellCompactRev is compactMainRev with scheduledCompact, which survives a crash
	// as cellFinishedCompact does. An item is the revision of a compaction, written by
	// the step that made it.
	CellCompactRev      = sim.NewCell("etcd: compactMainRev")
	cellFinishedCompact = sim.NewCell("etcd: finishedCompact")
	// cellJobs: an item is a compaction by its revision.
	cellJobs = sim.NewCell("etcd: scheduleCompaction")
)

// The cells of each watcher, with watcher.cell as their index.
var (
	// cellWatcher is what a watcher was created with.
	cellWatcher = sim.NewCell("etcd: watcher")
	// cellGroup is where the store keeps a watcher.
	cellGroup  = sim.NewCell("etcd: synced, unsynced or victim")
	cellMinRev = sim.NewCell("etcd: minRev")
	// cellVictim is the batch that a victim waits with.
	cellVictim = sim.NewCell("etcd: victim's batch")
)

var (
	cellSyncVictimsLoop  = sim.NewCell("etcd: syncVictimsLoop")
	cellSyncWatchersLoop = sim.NewCell("etcd: syncWatchersLoop")
	// cellKept is the history that a turn of syncWatchers keeps for the next one.
	cellKept = sim.NewCell("etcd: history kept between turns")
	// CellReadsQueued counts the reads that were queued before a response.
	CellReadsQueued = sim.NewCell("etcd: reads before responses")
)

// The cells of each stream, with its place as their index.
var (
	cellStreamWatchers = sim.NewCell("etcd: watchStream.watchers")
	// cellChan is watchStream.ch; an item is a response by its running number.
	cellChan = sim.NewCell("etcd: watch channel")
)
