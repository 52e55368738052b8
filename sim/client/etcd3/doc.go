// Package etcd3 (unstable) is the watcher of Kubernetes' etcd3 storage (k8s.io/apiserver,
// pkg/storage/etcd3/watcher.go): it turns the responses of clientv3 into events for a
// cache, and passes them through two buffers of 100. A buffer that is full stops
// the watch before it.
//
// A Watcher is a part of a node, on top of one clientv3.Client. With caches it
// speaks streams that stand for calls and channels inside one process:
//
//	stream, first *wire.WatchStart   watcher.Watch; *wire.WatchEvent come back, the
//	                                 lane is resultChan. After an Error event the
//	                                 watcher closes the stream. It closes it without
//	                                 one when etcd cancelled the watch without a
//	                                 compaction. A cache that stops (cancels the
//	                                 context) closes the stream.
//
// The package imports clientv3, sim, sim/arena, sim/wire and sim/option. It must never
// import sim/etcd, sim/cache, model or sim/client.
//
// # Yield points
//
//	watchChan.sync             delivery of a page or of a chunk of a stream; task
//	                           "startWatching", as far as incomingEventChan has room
//	store.GetList              delivery of a chunk, for lists that are streamed
//	watchChan.startWatching    task "startWatching", one WatchResponse
//	serialProcessEvents        task "processEvents", one event; a timer before it if decodes
//	                           take time
//	concurrentProcessEvents    the end of a decode: a task for each of ten, or a timer
//
// # What is merged, and why it makes no difference
//
// Rule A is that of clientv3.
//
//   - outc and startWatching: rule A. startWatching queues all events of one
//     response in one step as far as there is room; processEvents can only take
//     them one by one later. It yields before it reports an event that it could
//     not parse, because sendError passes by what is queued.
//   - sendError, then cancel: events that processEvents could still put behind
//     the error are not sent. No reflector reads on after an Error event.
//   - A cancelled context takes effect on the watch at once.
//   - scheduleEventProcessing takes an event as soon as there is one and a free slot: rule A
//     for the one in its hand. No component reads whether a decode has begun.
//   - The end of a decode and what collectEventProcessing does with it: the decode could have
//     ended later. A collector that is blocked by a full resultChan is served by the receive
//     that makes room, as any sender on a Go channel is.
//   - serialProcessEvents decodes when there is room for the result, the original before it
//     waits for that. Only a reader that is slower than decodes could tell.
//   - kv.GetStream's goroutine and its channel of one: rule A, the lane being the first
//     queue. The loop that reads the stream holds it while objects wait for room.
//
// Left out: GetList but for what it streams (a Range is passed on as it is).
package etcd3
