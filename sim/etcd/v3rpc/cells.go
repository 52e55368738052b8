package v3rpc

import "github.com/watchbed/watchbed/sim"

// The cells of each stream, with its place as their index. What is written by one
// loop and read by the other is a cell of its own.
var (
	// cellPlace is whether a place is taken.
	cellPlace = sim.NewCell("etcd: place of a stream")
	// cellCtrlStream: an item is a response by its running number.
	cellCtrlStream = sim.NewCell("etcd: ctrlStream")
	cellRecvLoop   = sim.NewCell("etcd: recvLoop")
	cellSendLoop   = sim.NewCell("etcd: sendLoop")
	// cellAnnounced is the ids whose Created was sent, cellPending the responses
	// that wait for it; an item is a watch by its id.
	cellAnnounced = sim.NewCell("etcd: ids of sendLoop")
	cellPending   = sim.NewCell("etcd: pending of sendLoop")
	// cellFlags is the maps prevKV and fragment, cellProgress the map progress; an
	// item is a watch by its id.
	cellFlags            = sim.NewCell("etcd: prevKV and fragment")
	cellProgress         = sim.NewCell("etcd: progress")
	cellProgressID       = sim.NewCell("etcd: id of the last progress request")
	cellDeferredProgress = sim.NewCell("etcd: deferredProgress")
	// cellMu is serverWatchStream.mu, which a tick holds over several steps.
	cellMu     = sim.NewCell("etcd: serverWatchStream.mu")
	cellTicker = sim.NewCell("etcd: progressTicker")
)

// streamCells are those that a stream begins and ends with.
var streamCells = [...]sim.CellKind{
	cellCtrlStream, cellRecvLoop, cellSendLoop, cellAnnounced, cellPending,
	cellFlags, cellProgress, cellProgressID, cellMu, cellTicker,
}

// The cells of the watch server.
var (
	// cellCompactions counts the compactions that are committed and not applied.
	cellCompactions   = sim.NewCell("etcd: compactions in the raft log")
	cellLeaderless    = sim.NewCell("etcd: no leader for streams")
	cellClogged       = sim.NewCell("etcd: clogged")
	cellUnpermitted   = sim.NewCell("etcd: clients without permission to watch")
	cellReadsAnswered = sim.NewCell("etcd: reads answered")
)

// watchItem is the item of a watch: ids begin at 0, items at 1.
func watchItem(id int64) int64 {
	if id < 0 {
		return sim.NoItem
	}
	return id + 1
}
