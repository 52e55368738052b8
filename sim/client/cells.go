package client

import "github.com/watchbed/watchbed/sim"

// The cells of clientv3's part, by the number of a stream.
var (
	// cellStreams is the list of streams: which places are taken.
	cellStreams = sim.NewCell("clientv3: streams")
	// cellRun is whether run selects or sleeps.
	cellRun     = sim.NewCell("clientv3: run")
	cellBackoff = sim.NewCell("clientv3: backoff")
	// cellSubstreams are the watches that are registered, with their ids, and
	// cellResuming those that are to be; an item of both is watchItem.
	cellSubstreams = sim.NewCell("clientv3: substreams")
	cellResuming   = sim.NewCell("clientv3: resuming")
	// cellReqc is by requestItem, cellClosingc by watchItem.
	cellReqc      = sim.NewCell("clientv3: reqc")
	cellClosingc  = sim.NewCell("clientv3: closingc")
	cellCancelSet = sim.NewCell("clientv3: cancelSet")
	// cellCur are the fragments of a response so far.
	cellCur      = sim.NewCell("clientv3: fragments")
	cellCloseErr = sim.NewCell("clientv3: closeErr")
)

// The cells of clientv3's part, by the number of a watch.
var (
	// cellSubstream is where serveSubstream is.
	cellSubstream = sim.NewCell("clientv3: serveSubstream")
	// cellNextRev is the revision from which the watch resumes.
	cellNextRev = sim.NewCell("clientv3: nextRev")
	// cellBuf is by running number.
	cellBuf = sim.NewCell("clientv3: buf")
)

// The cells of unary calls. The first one has index 0, the other one the number
// of the call.
var (
	cellCalls = sim.NewCell("clientv3: unary calls")
	cellCall  = sim.NewCell("clientv3: unary call")
)

// The cells of etcd3's watcher. The first one has index 0, the others the number
// of a watch.
var (
	cellWatches = sim.NewCell("etcd3: watches")
	// cellStartWatching is where startWatching is.
	cellStartWatching = sim.NewCell("etcd3: startWatching")
	// cellResponse is the rest of a response that does not fit into
	// incomingEventChan.
	cellResponse = sim.NewCell("etcd3: response")
	// cellErr is the error that waits for room in resultChan.
	cellErr = sim.NewCell("etcd3: error")
	// cellIncoming is incomingEventChan, by running number.
	cellIncoming = sim.NewCell("etcd3: incomingEventChan")
	// cellPage is the page of initial events that came last, cellQueued how many
	// of them are queued.
	cellPage   = sim.NewCell("etcd3: page of initial events")
	cellQueued = sim.NewCell("etcd3: initial events queued")
)

// watchItem is a watch as an entry of a list.
func watchItem(watch int32) int64 { return int64(watch) + 1 }

// requestItem is a request in reqc as an entry: at most one for each watch and
// for each connection waits there.
func requestItem(r watchStreamRequest) int64 {
	if r.watch != noWatch {
		return watchItem(r.watch)
	}
	return 1<<32 + int64(r.caller)
}

// idItem is a watch id in cancelSet.
func idItem(id int64) int64 { return id + 1 }
