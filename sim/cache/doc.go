// Package cache (unstable) is the watch cache that is under test: Kubernetes' cacher with
// the algorithm of KEP-2340 (consistent reads from cache), and the designs that
// it is compared with. One Cache is one node: the cacher of one resource in one
// API server.
//
// What it speaks with its clients:
//
//	call of *wire.ListRequest     *wire.ListResponse or *wire.Error
//	call of *wire.GetRequest      *wire.GetResponse or *wire.Error
//	call of a write               *wire.ObjectResponse or *wire.Error
//	stream, *wire.WatchRequest    *wire.WatchEvent until one has Failed, or until
//	                              the stream closes
//
// and with what is behind it:
//
//	Config.KV     calls of *wire.RangeRequest: the pages of the reflector, the
//	              current revision (a range on the bare prefix), delegated reads;
//	              *wire.TxnRequest of writes
//	Config.Watch  stream, *wire.WatchStart: the reflector's watch
//	              stream of *wire.ProgressRequest
//
// The parts are packages. None imports this package: each is given the parts that it works
// with, and this package connects them.
//
//	store       the objects, the history of events, snapshots (KEP-4988)
//	reflector   list and watch: how the contents come in
//	read        LIST and GET (KEP-2340)
//	write       Create, GuaranteedUpdate and Delete, with a suggestion from the cache
//	request     what the API refuses, and the continue token
//	progress    requests for progress while reads wait
//	dispatch    WATCH and the way of an event to all watchers (KEP-3157)
//	guard       which etcd can be trusted to send progress
//	check       consistency checks and questions to the compactor
//	flowcontrol API Priority and Fairness: when a request of a client is executed
//	traffic     the metrics of requests to etcd
//
// What is shipped stands in these packages, and what other designs and known bugs do otherwise beside its line.
// The state of each part is its cells (sim.Celled), and each step declares those
// that it reads and writes.
//
// The package imports its parts, sim, sim/option and sim/wire. It must never import
// sim/etcd, sim/client or model: they meet in sim/wire only. (Its tests do.)
//
// # Designs
//
// Options has a value for each option in which designs differ. A design is a preset
// of them, registered with RegisterDesign. Where several designs differ a value stands for an implementation of a
// seam, an exported variable beside the code that asks it; another module adds its
// own. Yield points are the same in all designs, but for those of reads that share a
// revision read and of kept pages.
//
// A design may also bring a node of its own (Design.New): any node that answers the
// messages above, with as many of the capabilities of design.go as it has.
//
// # Yield points
//
// The goroutines of the cacher, and the steps of the node that each one takes.
// A delivery or a timer is the step of the goroutine that waits for it.
//
//	FeatureSupportChecker.checkClient   delivery of an endpoint's version; timer
//	                                    "version of endpoint"
//	Reflector.list                      delivery of a page; the last one is Replace
//	Reflector.watchList                 delivery of an initial event; the bookmark
//	                                    that ends them is Replace
//	handleAnyWatch, processEvent        delivery of an event: history, version,
//	                                    store and broadcast under the lock
//	Cacher.processEvent                 task "hand over": the send on incoming
//	wait.Until around startCaching      timer "list and watch again"
//	queueSet.StartRequest               delivery of the request: it is executed in this
//	                                    step, waits, or is refused; timer "longest
//	                                    wait for seats"
//	Finish, after the queue             task "request that has its seats": it is
//	                                    executed, in any order among those that have
//	CacheDelegator.GetList and Get      delivery of the request: delegate, refuse,
//	                                    or ask etcd for its revision (getCurrentRV)
//	waitUntilFreshLocked                delivery of the revision: serve, or wait
//	cond.Wait                           task "read": look again; serve, give up, or
//	                                    wait on
//	the sleeper beside it               timer "timeout of read": broadcast
//	reads that share a revision read    timer "end of the accumulation": one question
//	                                    for all that were gathered
//	kept pages                          timer "kept pages expire"
//	GuaranteedUpdate, conditionalDelete delivery of the request: suggestion, checks, and
//	                                    the first question to etcd; delivery of each
//	                                    answer: checks, and the next question
//	ConditionalProgressRequester.Run    task "progress requester"; timer "progress
//	                                    request period"
//	dispatchEvents                      task "dispatchEvents": one event to all
//	                                    watchers; timers "dispatch budget" and
//	                                    "bookmark timer"
//	Cacher.Watch                        delivery of the request: is it ready? With
//	                                    initial events the delivery of etcd's
//	                                    revision, and a wait like that of a read.
//	                                    Then task "watcher": interval and
//	                                    registration under both locks
//	processInterval, process            task "watcher": one event
//	the end of a watch's context        timer "timeout of watcher"
//	CacheDelegator.Watch                delivery of an event of a watch that etcd
//	                                    serves: passed on, or held
//	compactor.compactIfNeeded           timer "compaction poll": the question;
//	                                    delivery of the revision: snapshots go
//	Checker.check                       timer "consistency check": list and digest
//	                                    of the cache; delivery of a page of etcd's;
//	                                    the last one is MarkConsistent
//
// Between a broadcast and a read's turn at the lock anything may happen: the
// read answers from the state that it finds then. A waiting read outlives the
// readiness of the cache, and Replace wakes it too.
//
// # Steps that are merged, and why this is unobservable
//
//   - Sending a message ends a step and begins none: the message waits for as long
//     as the goroutine could have waited before it sent. So Replace and the start
//     of the watch are one step, and so are a read's last look and its answer.
//   - ListAndWatch and the first page: only watchers see what terminateAllWatchers
//     does, and they have ended.
//   - ShouldDelegateList and both checks of readiness are one look at the cache.
//     Upstream a list with a limit that falls between the two is refused with 429
//     where here etcd answers it; either may happen a moment earlier or later.
//   - After each change the reflector also calls UpdateResourceVersion with the
//     same version. It sets what is set, wakes reads that look and wait on, and
//     sends a second entry to the dispatcher, which drops it. Only the entry is
//     kept, as weight in the channel. Where only one of the two entries fits,
//     both wait here. v0.38.0-alpha.2 returns early from that call (equal-progress).
//   - An event is one step, whatever the order in which processEvent changes its parts. In
//     v0.37.2 that is history, version, objects, snapshot; in v0.38.0-alpha.2 objects, index, latest
//     snapshot and snapshots, under a lock of their own, then history and version. Without the
//     lock of the watch cache only three look: a write at its suggestion, MarkConsistent, and the compactor's
//     poll. They look at objects and snapshots alone. The step stands for the moment at which those change, and
//     a reader that waits for the lock meanwhile may as well have it right behind that moment.
//     The latest snapshot that v0.38.0-alpha.2 always has is the store itself here.
//   - The timer of a read that was served goes on upstream and wakes others without
//     effect. Here it is stopped.
//   - The requester's look at the number of waiting reads after a request is part
//     of the request. If the read leaves in between, the requester waits for its
//     timer instead of the condition; when the timer has run out it is set to
//     zero, which comes to the same.
//   - dispatchEvent gives an event to all watchers that have room in one step:
//     each has its own channel and its own goroutine, which may be late. The
//     order among blocked watchers, that of a map upstream, does not matter:
//     while one is waited for the others are tried once more before they end.
//   - A watcher's result channel and the HTTP response behind it are one queue,
//     the lane to the client, bounded by the channel's capacity.
//   - A watcher that is stopped sends nothing more. Upstream one event at most may
//     still slip out (a random select), as if it had been stopped a step later.
//   - dispatchEvents polls every 10 ms for the first list before it takes events,
//     to know a version for bookmarks. The goroutine may as well be a little late
//     with the first event, and a bookmark at a list's own version is dropped.
//   - MarkConsistent takes no lock in v0.37.2, and that of the store in v0.38.0-alpha.2. Here an event and the end of a check
//     exclude each other, unless the design says otherwise (mark-consistent): then
//     a failed check may end amid the next event.
//   - The consistency checker looks whether the cache is ready and lists it in one
//     step. If the cache starts over in between, upstream's list is refused, and
//     the check ends without a result as it does here a moment later.
//   - A watch whose client leaves while it waits for the cache waits on, as
//     upstream's does, which never looks at its context. It is not registered in
//     the end: upstream it is, and ends with its first look at the context.
//   - The time buckets of bookmarks are a second wide; here a watcher is due at
//     exactly its time, and is sent the bookmark at the next tick.
//   - A hard close (KEP-3157, step 2b) is an ERROR event that says so: the client
//     decides to which API server it goes next.
//
// # Planted bugs
//
// A bug that a cache had is a value of an option; package knownbugs says what is known of it. None
// has a yield point of its own. Where a bug has no effect a schedule takes the same
// course as in the healthy cache; where it has one it takes a course that is there
// for other requests (kubernetes-123676: that of a consistent LIST) or designs
// (kubernetes-59848, kubernetes-131011). Two bugs are about what happens between
// two critical sections that upstream has in one. There the healthy cache does in
// the first of two steps what the broken one does in the second, and both steps
// are there anyway:
//
//	version-before-store       the store has a change in the step that takes the
//	                           event in, or in that of "hand over"
//	progress-lowers-version    progress sets the resourceVersion in the step that
//	                           takes it in, or in that of "dispatchEvents"
//
// revision-of-last-reader asks etcd like every reader and drops the answer, so that
// the question takes as long. kubernetes-117137 stops ingestion where processEvent
// would wait for the lock.
//
// # What no release has
//
// The ideas of KEP-2340's first draft are written where upstream would have them: a
// read that waits for an echoed progress request waits in the same cond.Wait, and
// its request is one of ConditionalProgressRequester's; reads that share a revision
// read have a timer in place of a question each; what is kept of a list in pages is
// kept under the delegator's lock.
//
// # Left out
//
// A selector has one value of one field, one of one label and one shard, which is one range. Initial events are taken
// from the store under the lock, also where upstream takes a snapshot and reads that later: this is unobservable.
// Compressed buffers (KEP-3157, step 2b, the last option) are what channels of
// pointers are. Bookmarks that repeat themselves are not sent, and the bookmark
// timer rests while there is no news, so that a run without time comes to its end.
// Untimed, the history keeps its capacity.
package cache
