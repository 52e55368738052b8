// Package informer (unstable) is a client of the API servers: client-go's Reflector with
// the store that it fills (KEP-3157, read in client-go v0.37.2). One Informer
// is one node: one process with one Reflector on one resource.
//
// What it speaks with an API server (a cache):
//
//	call of *wire.ReadyzRequest   *wire.ReadyzResponse, if Config.AwaitReady
//	call of *wire.ListRequest     *wire.ListResponse or *wire.Error
//	stream, *wire.WatchRequest    *wire.WatchEvent until one has Failed, or until
//	                              the stream closes without a word
//
// What a Reflector decides at one place, and clients have decided otherwise, is in
// Deviations.
//
// The package imports sim, sim/wire, sim/option, its parts and btree. It must never import sim/cache,
// sim/client, sim/etcd or model: they meet in sim/wire only.
//
// # Flows
//
// ListAndWatch lists, or streams the list (WatchList), then watches. If
// the stream fails in a way that it cannot retry it lists instead, whatever the
// reason was: that is how a client gets on with a server that does not know
// sendInitialEvents. The resourceVersion of each request:
//
//	first LIST                 Options.RV, upstream "0"
//	first WatchList            the same, upstream ""
//	later ones                 the resourceVersion of the last event or bookmark
//	after 410, or 504 with     "": the newest state
//	"too large" to one of them
//	WATCH                      the resourceVersion of the last event or bookmark
//
// A 410 that ends a watch is not among them: the next request still names the last
// resourceVersion, as the minimum, and a cache that has reached it can answer.
// KEP-3157's appendix differs (step 4, "after compaction"):
// Options.Newest.
//
// # Yield points
//
// The goroutines of client-go, and the steps of the node that each one takes. A
// delivery or a timer is the step of the goroutine that waits for it.
//
//	Reflector.list                  delivery of a page; the last one is Replace
//	                                and the start of the watch
//	Reflector.watchList,            delivery of an event: into the temporary store;
//	handleListWatch                 the bookmark of the end is Replace
//	CheckDataConsistency            the LIST and its delivery, before Replace;
//	                                meanwhile the stream is not read; timer
//	                                "consistency check again"
//	Reflector.watch, handleWatch    delivery of an event: into the store, then the
//	                                resourceVersion
//	Request.Watch and Do            timer "retry after": a request that was refused
//	                                with Retry-After is sent again, below the
//	                                Reflector
//	delayHandler                    timer "backoff", between two ListAndWatch, and
//	                                between two watches after 429
//	timeoutSeconds                  timer "watch timeout"
//
// # What is merged, and why it makes no difference
//
//   - Replace and the next WATCH are one step: a message under way waits for as
//     long as the goroutine could have waited before it sent.
//   - StreamWatcher.receive hands events to the Reflector through a channel
//     without a buffer. Here the Reflector takes them from the stream.
//   - The server ends a watch after timeoutSeconds. Here the client does, at the
//     time that it chose: the events that the server would still have sent are
//     those that were under way.
//   - Upstream Request.Watch retries a stream that breaks before the response
//     headers, a second later; after the headers the Reflector does. A stream here
//     has no headers, so the Reflector retries it. A refusal with Retry-After in the
//     first message is one before the headers.
//
// # The queue and the handlers
//
// By default the store is filled directly, as NewNamespaceKeyedIndexerAndReflector does. With
// informer-queue=real-fifo the Reflector delivers to a shared informer (package shared), and
// the store is behind its queue.
//
// # Left out
//
// Transformers, selectors other than shards, Table objects, the retry of internal errors
// (MaxInternalErrorRetryDuration, which informers leave at 0), the client's own
// rate limiter, and watches from "" or "0" without a list before them.
package informer
