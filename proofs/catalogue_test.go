package proofs_test

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/testbed"
)

// oneThing are scenarios in worlds as small as they can be. They were chosen out of those with one client of each kind
// that a scenario has, with and without a write, and with each fault that it has, once: each one that shows a situation
// or puts a claim of its scenario to the test that no other row did.
var oneThing = []small{
	{"errors-at-rest", "writers=0 writes=0 deletes=false readers=2 reads=1 watchers=0 keys=1 items=1 list-watchers=0 list-rounds=0 call-breaks=1 client-kv=true leave=0 drawn-watchers=0 drawn-requests=0 resources=1 client-writes=false leader-losses=0 stream-ends=0 breaks=0 recreations=0 at-rest=true timeouts=0 leader-changes=0", 0, "timers-owned"},
	{"negative-watch", "writes=2", 1, "reliable bookmarkable watch-answers"},
	{"seats", "writers=0 writes=0 deletes=false noise=0 noise-writes=0 readers=1 reads=3 gets=1 watchers=0 leave=0 keys=2 items=2 informers=0 breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true read=past seats=4 queues=1", 0, "seats-kept not-older-than cache-matches-etcd"},
	{"seats", "writers=0 writes=0 deletes=false noise=0 noise-writes=0 readers=1 reads=4 gets=2 watchers=0 leave=0 keys=2 items=2 informers=0 breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true read=every seats=4 queues=1", 0, "seats-kept cache-matches-etcd"},
	{"watch-guarantees", "writers=0 writes=0 txns=false deletes=false wide=false noise=0 noise-writes=0 streams=1 compactions=1 keys=1 items=1 history=2 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 0, "watch-answers"},
	{"any-etcd-requests", "at-rest=true deletes=false history=0 etcd-restarts=0 streams=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=1 etcd-snapshots=1", 0, "linearizable linearizable-data etcd-answers etcd-nothing-left"},
	{"any-requests", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 leave=0 history=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-watchers=0 keys=2 items=2 caches=1 drawn-readers=1 drawn-requests=8 drawn-seed=1", 0, "not-older-than cache-matches-etcd justified-refusals served-as-promised page-sizes invalid-requests timers-owned"},
	{"backpressure", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 history=0 breaks=0 readers=0 streams=0 watchers=1 writers=1 writes=1", 1, "cache-matches-etcd client-bounded bookmarkable event-types"},
	{"compacted-watch-history", "at-rest=true deletes=false leave=0 history=0 breaks=0 restarts=0 caches=1 watchers=1 writers=1 writes=1", 0, "resumable event-types cache-matches-etcd"},
	{"consistency-checks", "at-rest=true deletes=false writers=0 writes=0 compactions=0 lost-events=0 etcd-restarts=0 readers=1 reads=1 leader-changes=1", 0, "detector-accuracy timers-owned"},
	{"consistency-checks", "at-rest=true deletes=false writers=0 writes=0 compactions=0 lost-events=0 etcd-restarts=0 readers=1 reads=1 leader-changes=1", 1, "detector-accuracy timers-owned"},
	{"consistent-list", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 history=0 breaks=0 restarts=0 watchers=0 keys=2 readers=1 gets=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd served-as-promised"},
	{"errors-at-rest", "at-rest=true deletes=false writers=0 writes=0 reads=0 leave=0 list-rounds=0 breaks=0 recreations=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 call-breaks=0 readers=0 watchers=0 list-watchers=0 keys=2 items=2 drawn-watchers=1 drawn-requests=1 drawn-seed=1", 1, "client-nothing-left timers-owned"},
	{"errors-at-rest", "at-rest=true deletes=false reads=0 leave=0 drawn-requests=0 breaks=0 recreations=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 call-breaks=0 readers=0 watchers=0 drawn-watchers=0 keys=2 items=2 list-watchers=1 list-rounds=1 writers=1 writes=1", 0, "client-bounded resumable initial-events event-types timers-owned"},
	{"etcd-errors", "at-rest=true deletes=false reads=0 gets=0 history=0 timeouts=0 leader-changes=0 readers=0 watchers=1 overloads=1 writers=1 writes=1", 0, "cache-matches-etcd"},
	{"every-read", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 leave=0 history=0 compactions=0 restarts=0 etcd-restarts=0 watchers=0 keys=2 items=2 readers=1 gets=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd served-as-promised"},
	{"guard-downgrade", "at-rest=true deletes=false readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data served-as-promised starts-as-checked"},
	{"guard-insists", "at-rest=true deletes=false writers=0 writes=0 restarts=0 readers=1 reads=1", 0, "starts-as-checked"},
	{"guard-mixed-members", "at-rest=true deletes=false readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data served-as-promised starts-as-checked"},
	{"guard-old-etcd", "at-rest=true deletes=false readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data served-as-promised starts-as-checked"},
	{"guard-unasked-member", "at-rest=true deletes=false writers=0 writes=0 readers=1 reads=1 failovers=1", 1, "served-as-promised starts-as-checked"},
	{"guard-upgrade", "at-rest=true deletes=false writers=0 writes=0 readers=1 reads=1 restarts=1", 0, "starts-as-checked"},
	{"informer-cold-start", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 restarts=0 keys=2 items=2 informers=1", 1, "initial-events informer-tries-again informer-matches-etcd informer-catches-up"},
	{"informer-expired", "at-rest=true deletes=false noise=0 noise-writes=0 compactions=0 informer-breaks=0 items=2 caches=1 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-expired-pages", "at-rest=true deletes=false noise=0 noise-writes=0 compactions=0 informer-breaks=0 informer-restarts=0 keys=2 items=2 caches=1 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-fallback", "at-rest=true deletes=false noise=0 noise-writes=0 restarts=0 informer-restarts=0 items=2 caches=1 informers=1 informer-breaks=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-most-recent", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 gets=0 restarts=0 informer-breaks=0 informer-restarts=0 readers=0 caches=1 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-most-recent", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 restarts=0 informer-breaks=0 informer-restarts=0 informers=0 caches=1 readers=1 gets=1 writers=1 writes=1", 0, "linearizable linearizable-data served-as-promised"},
	{"informer-moves", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 restarts=0 informer-restarts=0 caches=1 informers=1 informer-breaks=1", 1, "initial-events informer-resumes informer-tries-again informer-matches-etcd informer-catches-up"},
	{"informer-refusals", "at-rest=true deletes=false noise=0 noise-writes=0 restarts=0 informer-breaks=0 informer-refusals=0 keys=2 items=2 caches=1 informers=1 writers=1 writes=1", 0, "initial-events informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-resume", "at-rest=true deletes=false noise=0 noise-writes=0 informer-breaks=0 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"informer-time-travel", "at-rest=true deletes=false noise=0 noise-writes=0 restarts=0 informer-breaks=0 informer-restarts=0 caches=1 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"issue-15220-catching-up", "at-rest=true deletes=false breaks=0 readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd"},
	{"leaderless-at-rest", "at-rest=true deletes=false writers=0 writes=0 leader-losses=0 streams=1", 0, "etcd-nothing-left watch-answers watches-keep-up"},
	{"leases", "at-rest=true deletes=false history=0 etcd-restarts=0 streams=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=2", 0, "etcd-answers etcd-nothing-left"},
	{"leases-without-leader", "at-rest=true deletes=false leader-losses=0 drawn-clients=1 drawn-requests=20 drawn-seed=1", 0, "etcd-answers etcd-nothing-left linearizable linearizable-data"},
	{"namespaces", "at-rest=true deletes=false keys=2 readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd"},
	{"nested-transactions", "at-rest=true deletes=false history=0 streams=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=1", 0, "etcd-answers etcd-nothing-left linearizable linearizable-data"},
	{"no-leader", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 leave=0 history=0 breaks=0 leader-losses=0 readers=0 caches=1 watchers=1 stream-ends=1 writers=1 writes=1", 0, "cache-matches-etcd resumable cache-resumes"},
	{"no-leader", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 leave=0 history=0 breaks=0 stream-ends=0 readers=0 caches=1 watchers=1 leader-losses=1 writers=1 writes=1", 1, "cache-matches-etcd resumable cache-resumes"},
	{"outages", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 history=0 compactions=0 breaks=0 etcd-restarts=0 etcd-snapshots=0 watchers=0 streams=0 readers=1 gets=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd served-as-promised"},
	{"paged-lists", "at-rest=true deletes=false compactions=0 breaks=0 restarts=0 keys=2 items=2 caches=1 readers=1 reads=1 writers=1 writes=1", 0, "pages linearizable linearizable-data cache-matches-etcd served-as-promised page-sizes"},
	{"recreated-cache", "at-rest=true deletes=false recreations=0 informers=1 writers=1 writes=1", 0, "informer-resumes informer-tries-again informer-matches-etcd informer-monotonic informer-catches-up"},
	{"refusals", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 reads=0 gets=0 leave=0 compactions=0 breaks=0 restarts=0 readers=0 watchers=0 keys=2 items=2 list-watchers=1 list-rounds=1", 0, "justified-refusals event-types timers-owned"},
	{"relist-of-small-history", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 leave=0 compactions=0 breaks=0 readers=0 watchers=1 writers=1 writes=1", 1, "resumable bookmarkable event-types watches-keep-up nothing-left timers-owned"},
	{"request-sizes", "at-rest=true deletes=false history=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=1", 0, "etcd-answers linearizable linearizable-data"},
	{"requests-at-rest", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 history=0 breaks=0 restarts=0 keys=2 items=2 drawn-readers=1 drawn-requests=8 drawn-seed=2", 1, "nothing-left invalid-requests cache-matches-etcd timers-owned"},
	{"resumed-watch", "at-rest=true deletes=false leave=0 restarts=0 watchers=1 writers=1 writes=1", 1, "resumable bookmarkable event-types"},
	{"rewatch", "at-rest=true deletes=false noise=0 noise-writes=0 history=0 breaks=0 streams=0 keys=2 readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd"},
	{"seats-any-requests", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 list-rounds=0 breaks=0 restarts=0 informer-restarts=0 list-watchers=0 drawn-watchers=0 informers=0 keys=2 items=2 drawn-readers=1 drawn-requests=8 drawn-seed=1", 0, "seats-kept timers-owned"},
	{"selected-lists", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 leave=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-readers=0 keys=2 items=2 drawn-watchers=1 drawn-requests=1 drawn-seed=1", 1, "cache-matches-etcd timers-owned"},
	{"selected-lists", "at-rest=true deletes=false noise=0 noise-writes=0 leave=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-watchers=0 keys=2 items=2 drawn-readers=1 drawn-requests=8 drawn-seed=1 writers=1 writes=1", 0, "not-older-than exact cache-matches-etcd justified-refusals served-as-promised page-sizes invalid-requests timers-owned"},
	{"selected-lists", "at-rest=true deletes=false noise=0 noise-writes=0 leave=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-readers=0 keys=2 items=2 drawn-watchers=1 drawn-requests=1 drawn-seed=1 writers=1 writes=1", 0, "cache-matches-etcd timers-owned"},
	{"shared-stream", "at-rest=true deletes=false noise=0 noise-writes=0 readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data cache-matches-etcd"},
	{"slow-watches", "at-rest=true deletes=false writers=0 writes=0 leave=0 watchers=0 keys=2 list-watchers=1 list-rounds=1", 1, "watches-keep-up nothing-left event-types"},
	{"snapshot-reads", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 history=0 keys=2 caches=1 readers=1 reads=1 restarts=1", 0, "exact cache-matches-etcd justified-refusals served-as-promised"},
	{"streamed-cache", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 history=0 breaks=0 restarts=0 stream-ends=0 watchers=0 readers=1 reads=1 leader-losses=1", 1, "cache-matches-etcd cache-resumes"},
	{"transaction-sizes", "at-rest=true deletes=false history=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=1", 0, "etcd-answers linearizable linearizable-data"},
	{"two-step-writes", "at-rest=true deletes=false drawn-requests=0 drawn-clients=0 streams=1 writers=1 writes=1", 0, "etcd-answers watch-answers"},
	{"watch-during-relist", "at-rest=true deletes=false leave=0 compactions=0 breaks=0 watchers=1 writers=1 writes=1", 1, "resumable bookmarkable event-types"},
	{"watch-guarantees", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 history=0 compactions=0 etcd-restarts=0 etcd-snapshots=0 streams=1", 1, "ordered unique reliable watch-answers"},
	{"watch-list", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 breaks=0 restarts=0 keys=2 items=2 caches=1 list-watchers=1 list-rounds=1", 0, "event-types justified-refusals initial-events"},
	{"watch-list-slow", "at-rest=true deletes=false keys=2 items=2 list-watchers=1 list-rounds=1 writers=1 writes=1", 1, "event-types initial-events bookmarkable"},
	{"watch-list-start", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 reads=0 compactions=0 breaks=0 restarts=0 etcd-restarts=0 readers=0 watchers=0 keys=2 items=2 caches=1 list-watchers=1 list-rounds=1", 0, "cache-matches-etcd event-types justified-refusals initial-events"},
	{"watches-at-rest", "at-rest=true deletes=false noise=0 noise-writes=0 reads=0 gets=0 leave=0 list-rounds=0 breaks=0 restarts=0 readers=0 list-watchers=0 streams=0 watchers=1 writers=1 writes=1", 1, "watches-keep-up bookmarks-come nothing-left client-nothing-left etcd-answers etcd-nothing-left event-types timers-owned"},
}

// byTheClock are the same of scenarios with a clock, where messages and loops take no time, and worlds about what only the
// clock brings about: memory for a LIST and not one object more, answers that are measured, a time without a leader, a watch
// that is clogged, a history that doubles, a pause before a stream is opened again, and LISTs of what comes later.
var byTheClock = []small{
	{"any-without-leader", "deletes=false network=0s scheduling=0s faults-for=1s history=0 leader-losses=0 keys=2 drawn-clients=1 drawn-requests=20 drawn-seed=1 think=0s", 0, "etcd-answers linearizable linearizable-data"},
	{"kept-history", "deletes=false network=0s scheduling=0s writers=0 writes=0 streams=1 think=0s", 0, "reliable watch-answers"},
	{"memory-fallback", "deletes=false network=0s scheduling=0s noise-for=0s faults-for=1s writers=0 writes=0 noise=0 noise-writes=0 informer-storms=0 items=2 caches=1 informers=1 think=0s", 0, "stays-up informer-catches-up"},
	{"partitions", "deletes=false network=0s scheduling=0s noise-for=0s faults-for=1s writers=0 writes=0 noise=0 noise-writes=0 breaks=0 server-partitions=0 caches=1 readers=1 reads=1 partitions=1 think=0s", 0, "cache-matches-etcd timers-owned"},
	{"pauses", "deletes=false network=0s scheduling=0s faults-for=1s writers=0 writes=0 reads=0 history=0 compactions=0 breaks=0 restarts=0 recreations=0 timeouts=0 leader-changes=0 stream-ends=0 readers=0 caches=1 watchers=1 etcd-restarts=1 think=0s", 0, "reopens-in-time cache-matches-etcd timers-owned"},
	{"watch-list-without-progress", "deletes=false network=0s scheduling=0s noise-for=0s faults-for=1s noise=0 noise-writes=0 informer-restarts=0 keys=2 items=2 caches=1 informers=1 think=0s", 0, "informer-catches-up informer-matches-etcd initial-events"},
	{"memory-suffices", "caches=1 writers=0 writes=0 keys=1 items=2 informers=1 network=0s scheduling=0s think=0s transfer=100ms horizon=5s memory-limit=6", 0, "stays-up informer-catches-up"},
	{"informer-memory", "writers=0 writes=0 keys=1 items=2 informers=1 network=0s scheduling=0s think=0s horizon=10s answers-limit=1 informer-list=list-watch", 0, "informer-catches-up"},
	{"informer-memory", "writers=0 writes=0 keys=1 items=2 informers=2 network=0s scheduling=0s think=0s horizon=10s answers-limit=1 informer-list=list-watch transfer=100ms", 0, "informer-catches-up"},
	{"long-without-leader", "writers=0 writes=0 readers=0 reads=0 streams=1 keys=1 items=1 think=0s network=0s scheduling=0s horizon=8s faults-for=7s", 0, "needs-leader watch-answers"},
	{"guard-cascade", "caches=1 noise=0 noise-writes=0 noise-for=0s keys=1 items=1 think=1s pollers=1 patience=2s settle=1s faults-for=1s network=0s scheduling=0s horizon=6s item-time=0s range-time=0s", 0, "recovers-in-time"},
	{"pauses", "caches=1 ring=1 deletes=false writers=1 writes=2 readers=0 reads=0 watchers=0 compactions=0 keys=1 items=0 history=0 think=0s breaks=0 restarts=0 recreations=0 etcd-restarts=0 timeouts=0 leader-changes=0 stream-ends=0 faults-for=0s network=0s scheduling=0s horizon=3s client-kv=false", 0, "cache-matches-etcd timers-owned"},
	{"pauses", "caches=1 writers=0 writes=0 readers=0 reads=0 watchers=1 compactions=0 keys=1 items=1 history=0 think=0s breaks=1 restarts=0 recreations=0 etcd-restarts=0 timeouts=0 leader-changes=0 stream-ends=0 faults-for=1s network=0s scheduling=0s horizon=3s", 0, "reopens-in-time cache-matches-etcd timers-owned"},
	{"future-reads", "writers=0 writes=0 noise=0 noise-writes=0 noise-for=0s keys=1 items=1 think=0s drawn-readers=1 drawn-requests=6 drawn-seed=1 network=0s scheduling=0s horizon=10s", 0, "justified-refusals timers-owned"},
	{"future-reads", "writers=0 writes=0 noise=0 noise-writes=0 noise-for=0s keys=1 items=1 think=0s drawn-readers=1 drawn-requests=6 drawn-seed=4 network=0s scheduling=0s horizon=10s", 0, "justified-refusals timers-owned"},
}

// otherOptions are worlds of the rows above with another value of one option that campaigns draw (package draws): each value
// that makes a difference to one of them.
var otherOptions = slices.Concat(
	optionsOf("paged-lists", "cache=kep-2340 caches=1 writers=0 writes=0 deletes=false readers=2 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "pages cache-matches-etcd served-as-promised page-sizes", "dynamic-fallback=wait-time"),
	optionsOf("every-read", "writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=0 reads=0 gets=0 watchers=1 leave=0 compactions=0 keys=1 items=1 history=0 restarts=0 etcd-restarts=0 at-rest=true", 0, "cache-matches-etcd event-types", "watch-list-detection=notified"),
	optionsOf("any-etcd-requests", "streams=0 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true drawn-seed=11", 0, "etcd-answers etcd-nothing-left exact linearizable linearizable-data", "max-request-bytes=167 max-request-bytes=267 max-request-bytes=400"),
	optionsOf("any-etcd-requests", "streams=0 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true drawn-seed=15", 0, "etcd-answers exact linearizable linearizable-data", "compaction-batch=1 compaction-batch=2"),
	optionsOf("any-etcd-requests", "streams=1 history=0 drawn-clients=1 drawn-requests=6 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true keys=2 items=2 drawn-seed=4", 0, "etcd-answers etcd-nothing-left watch-answers watches-keep-up", "max-request-bytes=70"),
	optionsOf("backpressure", "cache=kep-2340 at-rest=true deletes=false noise=0 noise-writes=0 reads=0 history=0 breaks=0 readers=0 streams=0 watchers=1 writers=1 writes=1", 1, "bookmarkable cache-matches-etcd client-bounded event-types", "watch-buf=2 watch-buf=4"),
	optionsOf("compacted-watch-history", "cache=kep-4988 at-rest=true deletes=false leave=0 history=0 breaks=0 restarts=0 caches=1 watchers=1 writers=1 writes=1", 0, "cache-matches-etcd event-types resumable", "ring=1 watch-delegation=all"),
	optionsOf("consistency-checks", "cache=kep-4988 at-rest=true deletes=false writers=0 writes=0 compactions=0 lost-events=0 etcd-restarts=0 readers=1 reads=1 leader-changes=1", 0, "timers-owned", "inconsistency-detector=off snapshots=off"),
	optionsOf("errors-at-rest", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 reads=0 leave=0 list-rounds=0 breaks=0 recreations=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 call-breaks=0 readers=0 watchers=0 list-watchers=0 keys=2 items=2 drawn-watchers=1 drawn-requests=1 drawn-seed=1", 1, "client-nothing-left invalid-requests timers-owned", "watch-list=disabled"),
	optionsOf("errors-at-rest", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 reads=0 leave=0 list-rounds=0 breaks=0 recreations=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 call-breaks=0 readers=0 watchers=0 list-watchers=0 keys=2 items=2 drawn-watchers=1 drawn-requests=1 drawn-seed=1", 1, "client-nothing-left timers-owned", "watch-delegation=none watch-delegation=unset"),
	optionsOf("every-read", "cache=kep-2340 at-rest=true deletes=false noise=0 noise-writes=0 reads=0 leave=0 history=0 compactions=0 restarts=0 etcd-restarts=0 watchers=0 keys=2 items=2 readers=1 gets=1 writers=1 writes=1", 0, "cache-matches-etcd linearizable linearizable-data served-as-promised", "on-timeout=reject on-timeout=throttle notify-detection=off current-revision=prefix-key revision-sharing=each pagination=kept dynamic-fallback=off continue-with-version=ignored continue-with-version=refused most-recent=refused most-recent=served future-rv=wait future-rv=confirm progress-requests=periodic late-snapshot=dropped late-snapshot=kept compaction-notice=pushed compaction-notice=polled watch-history=until-full watch-history=until-compacted mark-consistent=locked mark-consistent=unlocked consistency-checker=off reflector-list=list reflector-list=watch-list initial-events-buffer=as-shipped initial-events-buffer=close-enough initial-events-buffer=dynamic initial-events-buffer=cap initial-events-buffer=inject initial-events-buffer=inject-merged initial-events-buffer=references initial-events-buffer=newest-only watch-list-detection=off watch-list-detection=notified watch-list-detection=unasked ring=2 ring=3 ring=5 page=1 page=2 page=3 kept-pages=1 kept-pages=2 delegated-limit=1 delegated-limit=2 seats=1 seats=2 seats=7 queues=1 queues=2 hand-size=1 hand-size=2 queue-length=1 queue-length=2 objects-per-seat=1 objects-per-seat=2 fallback-seats=kept fallback-seats=at-etcd incoming=4 watch-buf=1 list-cap=20 list-cap=60 client-buf=2 client-buf=4 unary-retries=1 unary-retries=3 chan-buf=1 chan-buf=2 chan-buf=4 watchers-per-sync=1 watchers-per-sync=2 sync-batch=2 sync-batch=4 ctrl-buf=1 ctrl-buf=2 send-window=2 send-window=4 shared-connection=true"),
	optionsOf("full-watches-at-rest", "cache=kep-2340 writers=1 writes=2 deletes=false noise=0 noise-writes=0 readers=0 reads=0 watchers=1 keys=1 items=1 list-watchers=0 list-rounds=0 breaks=0 at-rest=true", 1, "bookmarkable bookmarks-come event-types nothing-left ordered reliable timers-owned unique watches-keep-up", "ring=1"),
	optionsOf("guard-insists", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 restarts=0 readers=1 reads=1", 0, "starts-as-checked", "version-check=each-stream version-check=none version-check=shipped version-check=periodic consistent-list-from-cache=disabled"),
	optionsOf("guard-mixed-members", "cache=kep-2340 at-rest=true deletes=false readers=1 reads=1 writers=1 writes=1", 0, "starts-as-checked", "version-check=kep-ga"),
	optionsOf("guard-mixed-members", "cache=kep-2340 at-rest=true deletes=false readers=1 reads=1 writers=1 writes=1", 0, "linearizable linearizable-data served-as-promised starts-as-checked", "on-timeout=fallback"),
	optionsOf("guard-unasked-member", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 readers=1 reads=1 failovers=1", 1, "served-as-promised starts-as-checked", "version-check=kep-beta"),
	optionsOf("guard-upgrade", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 readers=1 reads=1 restarts=1", 0, "starts-as-checked", "consistent-list-from-cache=enabled"),
	optionsOf("issue-15220", "cache=kep-2340 writers=1 writes=1 readers=1 reads=1 reflector-list=watch-list", 0, "linearizable linearizable-data", "current-revision=empty-range dynamic-fallback=wait-time"),
	optionsOf("paged-lists", "cache=kep-2340 caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "cache-matches-etcd page-sizes served-as-promised", "pagination=ignored"),
	optionsOf("paged-lists", "cache=kep-2340 caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "cache-matches-etcd page-sizes pages served-as-promised", "pagination=first-page pagination=etcd pagination=fits"),
	optionsOf("paged-lists", "cache=kep-2340 pagination=kept caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "cache-matches-etcd page-sizes pages served-as-promised", "progress-requests=once snapshots=on revision-sharing=accumulated inconsistency-detector=on consistency-checker=fallback consistency-checker=panic"),
	optionsOf("paged-lists", "cache=kep-2340 pagination=kept caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "cache-matches-etcd page-sizes pages", "notify-detection=on"),
	optionsOf("paged-lists", "cache=kep-2340 pagination=kept caches=1 writers=0 writes=0 deletes=false readers=1 reads=1 compactions=0 keys=2 items=2 breaks=0 restarts=0 at-rest=true page=1", 1, "cache-matches-etcd justified-refusals", "progress-requests=echo"),
	optionsOf("second-watch", "created=past-channel writes=1", 1, "bookmarkable watch-answers", "sync-batch=1"),
	optionsOf("watch-list-slow", "cache=kep-2340 writers=1 writes=2 deletes=true keys=1 items=2 list-watchers=1 list-rounds=1 list-rv=unset list-slow=true at-rest=true watch-buf=1", 0, "event-types initial-events ordered reliable unique", "current-revision=count-only incoming=1 incoming=2 send-window=1 client-buf=1"),
)

// drawn are the requests of one client that a seed draws, one after the other. Seeds in a row were tried, and those stand here that
// put all of the claims to the test.
var drawn = slices.Concat(
	seedsOf("future-reads", "writers=0 writes=0 noise=0 noise-writes=0 noise-for=0s keys=1 items=1 think=0s drawn-readers=1 drawn-requests=6 network=0s scheduling=0s horizon=10s", 0, "justified-refusals timers-owned", "11 25"),
	seedsOf("any-etcd-requests", "fragment-bytes=60 streams=1 keys=1 items=1 history=0 drawn-clients=1 drawn-requests=2 drawn-bytes=0 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 1, "ordered unique reliable resumable bookmarkable watches-keep-up fragments etcd-answers watch-answers etcd-nothing-left", "17"),
	seedsOf("any-etcd-requests", "streams=0 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=100 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 0, "etcd-answers etcd-nothing-left", "1 2 3 4 6 8 10 12 13 14 16 17 18 19 20 21 22 23"),
	seedsOf("transaction-sizes", "keys=2 items=2 history=0 drawn-clients=1 drawn-requests=30 at-rest=true", 0, "etcd-answers linearizable linearizable-data", "1 3 5 6 7 9 10 11 12"),
	seedsOf("request-sizes", "keys=2 items=2 history=0 drawn-clients=1 drawn-requests=40 drawn-bytes=8 at-rest=true", 0, "etcd-answers linearizable linearizable-data", "3 5 6 7 9 10 11 12"),
	seedsOf("nested-transactions", "keys=2 history=0 streams=0 drawn-clients=1 drawn-requests=30 at-rest=true", 0, "etcd-answers etcd-nothing-left", "1 2 3 4 5 6"),
	seedsOf("leases", "keys=2 history=0 streams=0 etcd-restarts=0 drawn-clients=1 drawn-requests=30 at-rest=true", 1, "etcd-answers etcd-nothing-left", "1 2 3 4 5 6"),
	seedsOf("physical-compactions", "history=2 keys=2 drawn-clients=1 drawn-requests=20 at-rest=true", 9, "etcd-answers etcd-nothing-left", "1 2 3 4 5 6"),
	seedsOf("any-requests", "cache=kep-2340 at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 leave=0 history=1 compactions=1 breaks=0 restarts=0 watchers=0 drawn-watchers=0 keys=2 items=2 caches=1 drawn-readers=1 drawn-requests=16", 0, "cache-matches-etcd invalid-requests served-as-promised timers-owned", "1 2 4 5 7 8"),
	seedsOf("any-requests", "cache=kep-4988 at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 leave=0 history=1 compactions=1 breaks=0 restarts=0 watchers=0 drawn-watchers=0 keys=2 items=2 caches=1 drawn-readers=1 drawn-requests=16", 0, "cache-matches-etcd invalid-requests served-as-promised timers-owned", "1 2 4 5 7 8"),
	seedsOf("selected-lists", "cache=kep-4988 at-rest=true groups=2 namespaces=0 writers=0 writes=0 txns=false deletes=false noise=0 noise-writes=0 watchers=0 leave=0 keys=2 items=2 compactions=0 drawn-readers=1 drawn-watchers=0 drawn-requests=16 breaks=0 restarts=0", 0, "cache-matches-etcd invalid-requests timers-owned", "1 2 4 5 6 7 8"),
	seedsOf("seats-any-requests", "at-rest=true deletes=false writers=0 writes=0 noise=0 noise-writes=0 list-rounds=0 breaks=0 restarts=0 informer-restarts=0 list-watchers=0 drawn-watchers=0 informers=0 keys=2 items=2 drawn-readers=1 drawn-requests=16", 0, "seats-kept timers-owned", "1 2 3 4 5 6 7 8"),
	seedsOf("any-requests", "at-rest=true deletes=true writers=1 writes=1 txns=false noise=0 noise-writes=0 leave=0 history=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-readers=0 keys=1 items=1 caches=1 drawn-watchers=1 drawn-requests=1", 0, "cache-matches-etcd timers-owned", "1 2 3 4 5 6 7 8"),
	seedsOf("selected-lists", "at-rest=true groups=1 namespaces=0 writers=1 writes=1 txns=false deletes=true noise=0 noise-writes=0 watchers=0 leave=0 keys=1 items=1 compactions=0 drawn-readers=0 drawn-watchers=1 drawn-requests=1 breaks=0 restarts=0", 0, "cache-matches-etcd timers-owned", "1 2 3 4 5 6 7 8"),
	seedsOf("selected-lists", "at-rest=true groups=1 namespaces=0 writers=1 writes=2 txns=false deletes=true noise=0 noise-writes=0 watchers=0 leave=0 keys=1 items=1 compactions=0 drawn-readers=0 drawn-watchers=1 drawn-requests=1 breaks=0 restarts=0", 0, "cache-matches-etcd invalid-requests timers-owned", "2 4 8"),
	seedsOf("any-requests", "at-rest=true deletes=true writers=1 writes=2 txns=false noise=0 noise-writes=0 leave=0 history=0 compactions=0 breaks=0 restarts=0 watchers=0 drawn-readers=0 keys=1 items=1 caches=1 drawn-watchers=1 drawn-requests=1", 0, "cache-matches-etcd invalid-requests timers-owned", "3 4"),
)

// catalogue are all of them.
var catalogue = smallOf(slices.Concat(oneThing, byTheClock, otherOptions, drawn, feature, atRandom))

// small is a world of the catalogue.
type small struct {
	scenario, set string
	firings       int
	// claims are those that it puts to the test.
	claims string
}

// seedsOf is a small world for each seed.
func seedsOf(scenario, set string, firings int, claims, seeds string) (list []small) {
	for _, seed := range strings.Fields(seeds) {
		list = append(list, small{scenario, set + " drawn-seed=" + seed, firings, claims})
	}
	return list
}

// optionsOf is a small world for each value of an option.
func optionsOf(scenario, set string, firings int, claims, options string) (list []small) {
	for _, option := range strings.Fields(options) {
		list = append(list, small{scenario, set + " " + option, firings, claims})
	}
	return list
}

// smallOf are the rows of small worlds, on the version and with the design of their scenarios.
func smallOf(list []small) (rows []promise) {
	for _, x := range list {
		sc := scenarioNamed(x.scenario)
		rows = append(rows, promise{
			scenario: sc, etcd: []string{sc.Params.Etcd}, designs: []string{sc.Params.Cache},
			claims: strings.Fields(x.claims), bounds: []bounds{{x.set, x.firings}},
		})
	}
	return rows
}

// scenarioNamed panics if there is no such scenario: the list above is wrong then.
func scenarioNamed(name string) *testbed.Scenario {
	sc, err := testbed.FindScenario(name)
	if err != nil {
		panic(err)
	}
	return sc
}
