package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// The cells of a server: every part of its state that its fingerprint covers, by
// etcd's names. A cell of a stream has the stream's place as its index, a cell of
// a watcher the watcher's, a cell of a read the read's. Items are named with each
// kind that has any.
//
// What is written from one loop to another is a cell of its own. Steps of
// different streams and watchers share no cell unless they meet in the store or in
// a queue, so an explorer may swap them.

// The log and the store.
var (
	// cellRaftLog is the log of entries that are committed and not applied; an item
	// is an entry by its number.
	cellRaftLog = sim.NewCell("etcd: raft log")
	// cellCompactions counts the compactions in the log.
	cellCompactions = sim.NewCell("etcd: compactions in the raft log")
	cellApplied     = sim.NewCell("etcd: applied index")
	cellFollowers   = sim.NewCell("etcd: followers")
	// CellRevision is the current revision. An item is the revision that a step
	// made.
	CellRevision = sim.NewCell("etcd: revision")
	// cellStore is the key index and the backend. An item is the changes of one
	// revision: what a transaction put there, or what a compaction left of it.
	cellStore = sim.NewCell("etcd: store")
	// cellCompactRev is compactMainRev with scheduledCompact, which survives a
	// crash as cellFinishedCompact does.
	cellCompactRev      = sim.NewCell("etcd: compactMainRev")
	cellFinishedCompact = sim.NewCell("etcd: finishedCompact")
	// cellJobs: an item is a compaction by its revision.
	cellJobs    = sim.NewCell("etcd: scheduleCompaction")
	cellMembers = sim.NewCell("etcd: members")
)

// Reads.
var (
	// cellRead is a handler that has not looked at the store yet, cellReadPlace
	// whether its place is taken.
	cellRead         = sim.NewCell("etcd: read")
	cellReadPlace    = sim.NewCell("etcd: place of a read")
	cellReadNotifier = sim.NewCell("etcd: readNotifier")
	// cellRangeQueue is the Ranges that have a price.
	cellRangeQueue = sim.NewCell("etcd: queue of Ranges")
)

// Watchers.
var (
	// cellWatcher is what a watcher was created with, cellWatcherPlace whether its
	// place is taken.
	cellWatcher      = sim.NewCell("etcd: watcher")
	cellWatcherPlace = sim.NewCell("etcd: place of a watcher")
	// cellGroup is where the watchable store keeps a watcher: synced, unsynced or
	// victims.
	cellGroup  = sim.NewCell("etcd: synced, unsynced or victim")
	cellMinRev = sim.NewCell("etcd: minRev")
	// cellVictim is the batch that a victim waits with.
	cellVictim           = sim.NewCell("etcd: victim's batch")
	cellSyncVictimsLoop  = sim.NewCell("etcd: syncVictimsLoop")
	cellSyncWatchersLoop = sim.NewCell("etcd: syncWatchersLoop")
)

// Streams.
var (
	cellStreamPlace = sim.NewCell("etcd: place of a stream")
	// cellStreamWatchers is watchStream.watchers.
	cellStreamWatchers = sim.NewCell("etcd: watchStream.watchers")
	// cellChan is watchStream.ch; an item is a response by its running number.
	cellChan = sim.NewCell("etcd: watch channel")
	// cellCtrlStream: an item is a response by its running number.
	cellCtrlStream = sim.NewCell("etcd: ctrlStream")
	cellRecvLoop   = sim.NewCell("etcd: recvLoop")
	cellSendLoop   = sim.NewCell("etcd: sendLoop")
	// cellAnnounced is the ids whose Created was sent, cellPending the responses
	// that wait for it; an item is a watch by its id.
	cellAnnounced = sim.NewCell("etcd: ids of sendLoop")
	cellPending   = sim.NewCell("etcd: pending of sendLoop")
	// cellFlags is the maps progress, prevKV and fragment; an item is a watch by
	// its id.
	cellFlags            = sim.NewCell("etcd: progress, prevKV and fragment")
	cellDeferredProgress = sim.NewCell("etcd: deferredProgress")
	cellProgressID       = sim.NewCell("etcd: id of the last progress request")
	// cellMu is serverWatchStream.mu, which a tick holds over several steps.
	cellMu     = sim.NewCell("etcd: serverWatchStream.mu")
	cellTicker = sim.NewCell("etcd: progressTicker")
	// cellClogged is the fault that keeps streams from getting anything.
	cellClogged = sim.NewCell("etcd: clogged")
)

// streamCells are the cells that a stream begins and ends with.
var streamCells = [...]sim.CellKind{
	cellStreamWatchers, cellChan, cellCtrlStream, cellRecvLoop, cellSendLoop, cellAnnounced, cellPending,
	cellFlags, cellDeferredProgress, cellProgressID, cellMu, cellTicker,
}

// watchItem is the item of a watch: ids begin at 0, items at 1.
func watchItem(id int64) int64 {
	if id < 0 {
		return 0
	}
	return id + 1
}

// readsRevision: what the step does depends on the current revision.
func (s *Server) readsRevision(env *sim.Env) { env.ReadsItem(CellRevision, 0, s.store.currentRev) }

// readsKey: what the step does depends on what is at a key, or in a range.
func (s *Server) readsKey(env *sim.Env, key, end string) {
	if !env.Recording() {
		return
	}
	env.LooksAt(cellStore, 0)
	switch v := s.store.last(key); {
	case end != "":
		env.Reads(cellStore, 0)
	case v != nil:
		env.ReadsItem(cellStore, 0, v.kv.ModRevision)
	}
}

// readsRange: the step answers a Range.
func (s *Server) readsRange(env *sim.Env, r *wire.RangeRequest, resp *wire.RangeResponse) {
	if !env.Recording() {
		return
	}
	s.readsRevision(env)
	env.LooksAt(cellCompactRev, 0)
	env.LooksAt(cellStore, 0)
	if resp == nil {
		env.Reads(cellCompactRev, 0)
		return
	}
	for _, kv := range resp.Kvs {
		env.ReadsItem(cellStore, 0, kv.ModRevision)
	}
	if r.RangeEnd == "" && len(resp.Kvs) == 0 {
		s.readsKey(env, r.Key, "")
	}
}
