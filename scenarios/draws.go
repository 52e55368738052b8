package scenarios

import "github.com/watchbed/watchbed/sim/option"

// DrawsCache is options and sizes of the cache. No value is a known bug. With
// progress-requests=notify etcd has a ticker: in an untimed run it may go off again and
// again while everything else waits, so that few runs end. That is for the design
// draft-2019.
var DrawsCache = option.Ranges(`on-timeout=reject|fallback|throttle notify-detection=off|on
	current-revision=prefix-key|count-only|empty-range revision-sharing=each|accumulated
	pagination=first-page|etcd|fits|kept|ignored dynamic-fallback=off|wait-time
	continue-with-version=ignored|refused most-recent=refused|served future-rv=wait|confirm
	progress-requests=periodic|once|echo snapshots=off|on late-snapshot=dropped|kept
	compaction-notice=pushed|polled watch-history=until-full|until-compacted mark-consistent=locked|unlocked
	passed-check=keeps-snapshots|drops-snapshots equal-progress=taken|skipped watch-prev-kv=asked|unasked
	consistency-checker=off|fallback|panic check-by=list|etcd-hash inconsistency-detector=off|on reflector-list=list|watch-list
	watch-delegation=none|unset|all
	initial-events-buffer=as-shipped|close-enough|dynamic|cap|inject|inject-merged|references|newest-only
	version-check=none|kep-beta|kep-ga|shipped|periodic|each-stream
	consistent-list-from-cache=enabled|disabled watch-list=disabled watch-list-detection=off|notified|unasked
	ring=1|2|3|5 page=1|2|3 kept-pages=1|2 delegated-limit=1|2 seats=1|2|7 queues=1|2 hand-size=1|2
	queue-length=1|2 objects-per-seat=1|2 seats-by=objects|size|memory seats-cap=shipped|none
	object-size=60000|1000000 fallback-seats=kept|at-etcd incoming=1|2|4 watch-buf=1|2|4
	list-cap=20|60 slow-watchers=ended|latch|reinitialised|groups continued-limit=ignored|counts
	get-unset=etcd|cache write-state=etcd|cache watch-start=apart|at-once compacted-snapshot=dropped|kept-on`)

// DrawsClient is options and sizes of the client library.
var DrawsClient = option.Ranges(`client-buf=1|2|4 unary-retries=1|3 page-end=more|fails`)

// DrawsEtcd is options and sizes of etcd in which its releases do not differ.
var DrawsEtcd = option.Ranges(`chan-buf=1|2|4 watchers-per-sync=1|2 sync-batch=1|2|4 compaction-batch=1|2 ctrl-buf=1|2 send-window=1|2|4
	shared-connection=true max-request-bytes=70|167|267|400`)

// DrawsProcesses is which processes there are, and how they are connected.
var DrawsProcesses = option.Ranges(`caches=1|2 namespaces=0|1|2 client-kv=true client-writes=true lagging=true`)

// DrawsClients is how much clients write and read, and what there is before they begin. A
// scenario needs keys, writers and readers of its own.
var DrawsClients = option.Ranges(`writers=1|3 writes=2|3|6 txns=true|false deletes=true|false noise=0|1|2 noise-writes=1|3
	noise-beside=true keys=1|2|3|6 items=0|1|2|5|70 history=0|1|3 compactions=0|1|3 await-ready=true|false`)

// DrawsFaults is what breaks, and how often. Those that need a member that lags do nothing
// without one.
var DrawsFaults = option.Ranges(`breaks=0|1|4 restarts=0|1|2 recreations=1 etcd-restarts=1|2 follower-restarts=1 etcd-snapshots=1|2
	defragment=true timeouts=1|3 leader-changes=1|2 overloads=1|2 leader-losses=1|2 stream-ends=1|2
	call-breaks=1|3`)

// drawsGuards are policies of the version check, with what has them at work: streams that are opened again, and
// processes that begin anew. The check that was shipped is not among them, since the scenarios about versions of etcd
// have it or one of these themselves.
var drawsGuards = option.Ranges(`version-check=kep-beta|periodic|each-stream reflector-list=watch-list on-timeout=fallback
	revision-sharing=accumulated restarts=1|3 breaks=1|3 writes=2|5 keys=1|3 items=2 members=3.5.13?`)

// drawsChecks are what follows a consistency check, and what a check is beside.
var drawsChecks = option.Ranges(`consistency-checker=panic check-by=etcd-hash mark-consistent=locked|unlocked passed-check=drops-snapshots
	late-snapshot=kept snapshots=off|on inconsistency-detector=off|on reflector-list=watch-list page=1|2
	pagination=fits|kept restarts=1|2 etcd-restarts=1|2 leader-changes=1
	drawn-readers=1|2 drawn-requests=4|8 drawn-singles=true drawn-keys=true drawn-selectors=true`)

// drawsCompactors are how caches learn of compactions, and faults that last as long as these.
var drawsCompactors = option.Ranges(`compaction-notice=polled late-snapshot=kept passed-check=drops-snapshots
	client-kv=true compact-interval=1m|2m etcd-restarts=2|6 faults-for=6m
	breaks=2 restarts=2`)
