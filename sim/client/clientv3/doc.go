// Package clientv3 (unstable) is etcd's client library as one API server uses it: the Watcher with
// its streams, and the retry of unary calls. Events can be lost, repeated and delayed here, between
// a correct server and a correct cache.
//
// A Client is a part of a node, and has one caller in the same process that owns
// the watches (Subscriber). With etcd it speaks one stream for each metadata, as
// upstream (streamKeyFromCtx), and one call for each attempt of a unary request.
//
// The package imports sim, sim/arena, sim/wire, sim/option and sim/release. It must
// never import sim/etcd, sim/cache, model or the packages above it: they meet in
// sim/wire only.
//
// # Yield points
//
// Upstream's goroutines, and the step of the node in which each of them hands
// something over:
//
//	watchGrpcStream.run, respc and errc   delivery of a message from etcd
//	watchGrpcStream.run, reqc             the caller's step; task "run" if run slept
//	watchGrpcStream.run, closingc         task "run"
//	watchGrpcStream.run, backoff          timer "backoff"
//	serveSubstream                        the step in which the subscriber takes a
//	                                      response
//	unaryClientInterceptor, backoff       timer "retry"
//
// When run finds both a request and a closing substream, select is random: a
// choice. So is the order in which newWatchClient ranges over the map of
// substreams: it decides which watch is created first on the new stream, and thus
// which watches a broadcast reaches.
//
// # What is merged, and why it makes no difference
//
// Two rules carry the argument. (A) Take two queues that keep their order, the first
// one without a bound, and a goroutine that moves elements from the first to the
// second. An element in its hand is the same as an element that is still in the
// first queue. (B) A queue whose contents will be thrown away may be emptied at
// once: its reader could have stopped one element earlier.
//
//   - serveWatchClient and run: respc has no buffer, and errc is filled after
//     the last response was taken. Rule A, the lane being the first queue.
//   - run and serveSubstream's receiving half: recvc has no buffer, so run waits
//     for the hand-over. What serveSubstream does next (nextRev, buf) is read by
//     run only after joinSubstreams. broadcastResponse serves the substreams one
//     by one in the order of a map: each goes on by itself afterwards, and run
//     looks at nothing in between, so the order makes no difference.
//   - serveSubstream's sending half and outc: buf has no bound, so rule A.
//   - After close(recvc), serveSubstream may still hand over what is in buf, and
//     outc may hold one more. Here buf is dropped at once: rule B. The 250 ms
//     after which sendCloseSubstream gives up its error are left out with it.
//   - Watch and RequestProgress up to reqc: the caller's step is the hand-over.
//     RequestProgress blocks its caller while run sleeps, so a second request
//     of the same caller is dropped until then: upstream it would not be made.
//   - A cancelled context takes effect on serveSubstream at once; run hears of it
//     later, through closingc. In between run may find that the substream no
//     longer receives, which makes run send a cancel request of its own.
//
// Left out: authentication, several endpoints (so a write is never safe to
// repeat), closing the client, the 10 % jitter of
// the unary backoff, and metadata that differs and prints alike (etcd #18303).
package clientv3
