// Package client is what stands between a watch cache and etcd inside one API
// server process: etcd's clientv3 (its Watcher and the retry of unary calls),
// and on top of it the watcher of Kubernetes' etcd3 storage with its two
// buffers of 100. It exists because events can be lost, repeated, delayed and
// reordered with errors right here, between a correct server and a correct
// cache.
//
// One Client is one node and one clientv3.Client. What it speaks with the cache
// stands for calls and channels inside one process, not for a network:
//
//	stream, first *wire.WatchStart       etcd3 watcher.Watch; *wire.WatchEvent come
//	                                     back, the lane is resultChan. After an
//	                                     Error event the client closes the stream. It
//	                                     closes it without one when etcd cancelled the
//	                                     watch without a compaction. A cache that stops
//	                                     (cancels the context) closes the stream.
//	stream of *wire.ProgressRequest      Watcher.RequestProgress; nothing comes back
//	call of any other request            passed on to etcd and answered
//
// and with etcd: one stream for each metadata, as clientv3 has (streamKeyFromCtx),
// and one call for each attempt of a unary request.
//
// The package imports sim and sim/wire. It must never import sim/etcd, sim/cache
// or model: they meet in sim/wire only.
//
// # Yield points
//
// Upstream's goroutines, and the step of the node that each one's hand-over is:
//
//	watchGrpcStream.run, respc and errc   delivery of a message from etcd
//	watchGrpcStream.run, reqc             delivery of a WatchStart or ProgressRequest;
//	                                      task "run" if the loop was asleep
//	watchChan.sync                        delivery of a page; task "startWatching" as
//	                                      far as incomingEventChan has room
//	watchGrpcStream.run, closingc         task "run"
//	watchGrpcStream.run, backoff          timer "backoff"
//	serveSubstream, watchChan.startWatching  task "startWatching", one WatchResponse
//	watchChan.serialProcessEvents         task "processEvents", one event
//	unaryClientInterceptor, backoff       timer "retry"
//
// When run finds both a request and a closing substream, select is random: a
// choice. So is the order in which newWatchClient ranges over the map of
// substreams: it decides who is created first on the new stream, and thus whom
// a broadcast can reach.
//
// # What is merged, and why nobody can tell
//
// Two rules do all the work. (A) Between two queues that keep their order, where
// the first has no bound, a goroutine that holds one element in its hand is the
// same as that element not taken yet. (B) A queue whose contents are about to be
// thrown away may as well be thrown away now: its reader could have stopped one
// element earlier.
//
//   - serveWatchClient and run: respc has no buffer, and errc is filled after
//     the last response was taken. Rule A, the lane being the first queue.
//   - run and serveSubstream's receiving half: recvc has no buffer, so run waits
//     for the hand-over. What serveSubstream does next (nextRev, buf) is read by
//     run only after joinSubstreams. broadcastResponse serves the substreams one
//     by one in the order of a map: each goes on by itself afterwards, and run
//     looks at nothing in between, so the order is nobody's business.
//   - serveSubstream's sending half, outc and startWatching: buf has no bound,
//     so rule A. startWatching queues all events of one response in one step as
//     far as there is room; processEvents can only take them one by one later.
//     It yields before it reports an event that it could not parse, because
//     sendError passes by what is queued.
//   - After close(recvc), serveSubstream may still hand over what is in buf, and
//     outc may hold one more. Here buf is dropped at once: rule B. The 250 ms
//     after which sendCloseSubstream gives up telling why are left out with it.
//   - Watch and RequestProgress up to reqc: the caller's delivery is the hand-over.
//     RequestProgress blocks its caller while run sleeps, so a second request
//     from the same stream is dropped until then: it would not have been made.
//   - sendError, then cancel: events that processEvents could still put behind
//     the error are not sent. No reflector reads on after an Error event.
//   - A cancelled context takes effect on serveSubstream and watchChan at once;
//     only run hears of it later, through closingc. In between run may still find
//     the substream deaf, which makes it send a cancel request of its own.
//   - concurrentProcessEvents keeps the order and adds 11 places to the same
//     queue: make IncomingBufSize larger to have it.
//
// Left out: authentication, several endpoints (so a write is never safe to
// repeat), WithRequireLeader's ErrNoLeader, closing the client, the 10 % jitter of
// the unary backoff, RangeStream (initial events come in pages), and metadata that
// differs and prints alike (etcd #18303).
package client
