package scenarios

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// active says in which scenario a value of an option makes a difference: its campaign
// hash is not that of the scenario without the value.
type active struct {
	// set is the value, NAME=VALUE.
	set string
	// scenario is its name.
	scenario string
	// with are the settings that it needs, comma separated; the scenario is compared
	// with itself with these.
	with string
	// judged: the value is about judges and counts only, or about a field of an answer by which no
	// client goes. The runs are the same, and their verdicts or metrics are not.
	judged bool
}

// activeValues is the one list of what makes a difference where. Each value of each
// option has a row, but for one: that with which the others are compared. An option
// with another form has a row with one value, and the option cache one for each design.
//
// To add an option, add its rows.
var activeValues = []active{
	// Presets.
	{set: "etcd=3.5.12", scenario: "issue-17507", with: "etcd=3.5.13"},
	{set: "etcd-program=simulated@v3.5.7", scenario: "issue-15220"},
	{set: "client=3.5.7", scenario: "recovery"},
	{set: "unmask=created", scenario: "consistent-list"},
	{set: "cache=kep-2340-fallback", scenario: "consistent-list"},
	{set: "cache=direct", scenario: "consistent-list"},
	{set: "cache=stale", scenario: "consistent-list"},
	{set: "cache=single-request", scenario: "consistent-list"},
	{set: "cache=draft-2019", scenario: "paged-lists"},
	{set: "cache=progress-echo", scenario: "lagging-member"},
	{set: "cache=accumulated-reads", scenario: "consistent-list"},
	{set: "cache=dynamic-fallback", scenario: "consistent-list"},
	{set: "cache=kep-4988", scenario: "paged-lists"},
	{set: "cache=kep-3157", scenario: "watch-list"},
	{set: "cache=v0.37.2", scenario: "paged-lists"},
	{set: "cache=v0.38.0-alpha.2", scenario: "paged-lists"},
	// Topology.
	{set: "caches=3", scenario: "consistent-list"},
	{set: "resources=2", scenario: "consistent-list"},
	{set: "namespaces=2", scenario: "consistent-list"},
	{set: "shared-stream=true", scenario: "several-caches"},
	{set: "client-kv=true", scenario: "consistent-list"},
	{set: "client-writes=true", scenario: "consistent-list"},
	{set: "lagging=true", scenario: "consistent-list"},
	{set: "balanced=true", scenario: "lagging-member"},
	{set: "members=3.5.7", scenario: "guard-mixed-members", with: "members=3.6.16"},
	{set: "member-settings=3.5.13:progress=deferred", scenario: "issue-17507", with: "etcd=3.5.13"},
	{set: "server-settings=cache-2:ring=3", scenario: "any-requests", with: "caches=2"},
	{set: "compactors=true", scenario: "outages"},
	{set: "compact-interval=1m", scenario: "lone-compactor"},
	{set: "compact-watch-retry=100ms", scenario: "lone-compactor"},
	// Clients.
	{set: "writers=3", scenario: "consistent-list"},
	{set: "updaters=1", scenario: "guaranteed-updates"},
	{set: "updates=1", scenario: "guaranteed-updates"},
	{set: "update=every", scenario: "guaranteed-updates"},
	{set: "writes=4", scenario: "consistent-list"},
	{set: "txns=true", scenario: "every-read"},
	{set: "deletes=true", scenario: "issue-15220"},
	{set: "wide=true", scenario: "every-read"},
	{set: "rewrites=true", scenario: "every-read"},
	{set: "noise=2", scenario: "consistent-list"},
	{set: "noise-writes=3", scenario: "consistent-list"},
	{set: "noise-for=1s", scenario: "recovery"},
	{set: "noise-beside=true", scenario: "consistent-list"},
	{set: "readers=3", scenario: "consistent-list"},
	{set: "reads=4", scenario: "consistent-list"},
	{set: "gets=2", scenario: "consistent-list"},
	{set: "read=any", scenario: "consistent-list"},
	{set: "read=most-recent", scenario: "consistent-list"},
	{set: "read=not-older", scenario: "consistent-list"},
	{set: "read=seen", scenario: "consistent-list"},
	{set: "read=every", scenario: "consistent-list"},
	{set: "read=page", scenario: "consistent-list"},
	{set: "read=pages", scenario: "consistent-list"},
	{set: "read=past", scenario: "consistent-list"},
	{set: "read=selected", scenario: "consistent-list"},
	{set: "read=filtered", scenario: "consistent-list"},
	{set: "read=filtered-pages", scenario: "consistent-list"},
	{set: "page-limit=2", scenario: "paged-lists"},
	{set: "as-consistent=false", scenario: "stale-list", judged: true},
	{set: "read-from=1s", scenario: "recovery"},
	{set: "move=true", scenario: "paged-lists"},
	{set: "move-pages=true", scenario: "paged-lists", with: "caches=2"},
	{set: "take-rests=true", scenario: "compacted-pages", with: "take-rests=false"},
	{set: "own-readers=1", scenario: "consistent-list"},
	{set: "rounds=3", scenario: "stale-own-write"},
	{set: "watchers=2", scenario: "consistent-list"},
	{set: "leave=2", scenario: "consistent-list"},
	{set: "watch-for=30s", scenario: "bookmarks"},
	{set: "streams=1", scenario: "consistent-list"},
	{set: "unversioned-watchers=2", scenario: "consistent-list"},
	{set: "watch-reading=slow", scenario: "stalled-watches"},
	{set: "watch-reading=hiccup", scenario: "stalled-watches-relist", with: "watch-reading=fast"},
	{set: "watch-reading=stopped", scenario: "stalled-watches-relist", with: "watch-reading=fast"},
	{set: "watch-reading=every", scenario: "stalled-watches-relist", with: "watch-reading=fast"},
	{set: "watch-stall-after=2", scenario: "stalled-watches"},
	{set: "watch-pace=20ms", scenario: "stalled-neighbours"},
	{set: "watch-hiccup=1s", scenario: "stalled-neighbours"},
	{set: "watch-retries=1", scenario: "stalled-neighbours"},
	{set: "present-watchers=2", scenario: "consistent-list", with: "present-watches=2"},
	{set: "present-watches=1", scenario: "watch-established"},
	{set: "compactions=1", scenario: "consistent-list"},
	{set: "compact-newest=true", scenario: "consistent-list", with: "compactions=2"},
	{set: "keys=4", scenario: "consistent-list"},
	{set: "items=2", scenario: "consistent-list"},
	{set: "groups=2", scenario: "selected-lists"},
	{set: "history=1", scenario: "consistent-list"},
	{set: "apart=true", scenario: "namespaces"},
	{set: "await-ready=true", scenario: "every-read"},
	{set: "think=10ms", scenario: "recovery"},
	{set: "list-watchers=1", scenario: "watch-list"},
	{set: "list-rounds=1", scenario: "watch-list"},
	{set: "list-rv=0", scenario: "watch-list"},
	{set: "list-rv=given", scenario: "watch-list", with: "list-rv=unset"},
	{set: "list-rv=every", scenario: "watch-list", with: "list-rv=unset"},
	{set: "list-slow=true", scenario: "watch-list"},
	{set: "list-pace=20ms", scenario: "watch-list-full"},
	{set: "list-for=100s", scenario: "watch-list"},
	{set: "list-within=1s", scenario: "watch-list-six-seconds", judged: true},
	{set: "pollers=10", scenario: "guard-cascade"},
	{set: "patience=5s", scenario: "guard-cascade"},
	{set: "honour=false", scenario: "guard-cascade-limited"},
	{set: "settle=1ms", scenario: "guard-cascade-limited", judged: true},
	{set: "drawn-readers=1", scenario: "any-requests"},
	{set: "drawn-clients=1", scenario: "any-etcd-requests"},
	{set: "drawn-watchers=1", scenario: "any-requests"},
	{set: "drawn-requests=3", scenario: "any-requests"},
	{set: "drawn-bytes=10", scenario: "any-etcd-requests"},
	{set: "drawn-seed=1", scenario: "any-etcd-requests"},
	{set: "drawn-physical=true", scenario: "any-etcd-requests"},
	{set: "drawn-leases=true", scenario: "any-etcd-requests"},
	{set: "drawn-nested=true", scenario: "any-etcd-requests"},
	{set: "drawn-selectors=true", scenario: "any-requests"},
	{set: "drawn-labels=true", scenario: "selected-lists"},
	{set: "drawn-keys=true", scenario: "any-requests"},
	{set: "drawn-singles=true", scenario: "any-requests"},
	{set: "drawn-terms=true", scenario: "selected-lists"},
	{set: "max-request-bytes=20", scenario: "any-etcd-requests"},
	// Informers.
	{set: "informers=1", scenario: "informer-resume"},
	{set: "informer-list=watch-list", scenario: "informer-resume"},
	{set: "informer-rv=0", scenario: "informer-moves"},
	{set: "informer-rv=unset", scenario: "informer-time-travel"},
	{set: "informer-rv=most-recent", scenario: "informer-most-recent", with: "informer-rv=0"},
	{set: "informer-page=1", scenario: "informer-cold-start"},
	{set: "informer-check=true", scenario: "informer-moves"},
	{set: "informer-newest=true", scenario: "informer-expired"},
	{set: "informer-stream-patience=10s", scenario: "watch-list-without-progress"},
	{set: "informer-too-large=list", scenario: "informer-never-syncs"},
	{set: "informer-not-older=true", scenario: "informer-relist-loop"},
	{set: "informer-no-bookmarks=true", scenario: "informer-quiet-resource"},
	{set: "informer-list-timeout=5s", scenario: "informer-slow-lists"},
	{set: "informer-watch-timeout=20s", scenario: "informer-quiet-resource"},
	{set: "informer-queue=real-fifo", scenario: "informer-moves"},
	{set: "informer-handlers=3", scenario: "informer-handlers"},
	{set: "informer-late-handlers=1", scenario: "informer-handlers"},
	{set: "informer-removed-handlers=1", scenario: "informer-handlers"},
	{set: "informer-stops=1", scenario: "informer-handlers"},
	{set: "informer-after=5s", scenario: "informer-quiet-resource", with: "informer-queue=real-fifo,informer-late-handlers=1"},
	{set: "informer-batch=1", scenario: "informer-handlers"},
	{set: "informer-locked=true", scenario: "informer-handlers"},
	{set: "informer-resync=10s", scenario: "informer-handlers-start", with: "informer-resync=0s"},
	{set: "informer-resyncs=1", scenario: "informer-handlers"},
	{set: "informer-controller=true", scenario: "informer-handlers"},
	{set: "object-bytes=10", scenario: "informer-memory", judged: true},
	// Faults.
	{set: "breaks=2", scenario: "consistent-list"},
	{set: "restarts=2", scenario: "consistent-list"},
	{set: "replacements=1", scenario: "any-requests", with: "caches=2,server-settings=cache-2:ring=3"},
	{set: "recreations=1", scenario: "consistent-list"},
	{set: "lost-events=1", scenario: "consistent-list"},
	{set: "lost=value", scenario: "lost-event"},
	{set: "lost=deletion", scenario: "lost-event", with: "lost=event"},
	{set: "lost=version", scenario: "lost-event", with: "lost=event"},
	{set: "lost=snapshot", scenario: "lost-event"},
	{set: "etcd-restarts=1", scenario: "consistent-list"},
	{set: "follower-restarts=1", scenario: "lagging-member"},
	{set: "etcd-snapshots=1", scenario: "consistent-list"},
	{set: "failovers=1", scenario: "consistent-list", with: "members=3.6.16"},
	{set: "timeouts=1", scenario: "consistent-list"},
	{set: "leader-changes=1", scenario: "consistent-list"},
	{set: "overloads=1", scenario: "consistent-list"},
	{set: "leader-losses=1", scenario: "consistent-list"},
	{set: "stream-ends=1", scenario: "consistent-list"},
	{set: "call-breaks=1", scenario: "consistent-list", with: "client-kv=true"},
	{set: "partitions=1", scenario: "consistent-list"},
	{set: "server-partitions=1", scenario: "consistent-list"},
	{set: "member-partitions=1", scenario: "lagging-member"},
	{set: "read-partitions=1", scenario: "lagging-member"},
	{set: "downgrade=3.5.7", scenario: "consistent-list"},
	{set: "clog=true", scenario: "recovery"},
	{set: "defragment=true", scenario: "lagging-member"},
	{set: "informer-breaks=1", scenario: "informer-moves"},
	{set: "informer-restarts=1", scenario: "informer-moves"},
	{set: "informer-refusals=1", scenario: "informer-moves"},
	{set: "informer-overloads=1", scenario: "informer-resume"},
	{set: "informer-storms=1", scenario: "informer-moves"},
	{set: "faults-for=1s", scenario: "recovery"},
	// Clock.
	{set: "mode=untimed", scenario: "recovery"},
	{set: "at-rest=true", scenario: "every-read"},
	{set: "to-rest=true", scenario: "consistent-list"},
	{set: "network=2ms", scenario: "recovery"},
	{set: "scheduling=2ms", scenario: "recovery"},
	{set: "transfer=10ms", scenario: "recovery"},
	{set: "etcd-transfer=10ms", scenario: "recovery"},
	{set: "horizon=1s", scenario: "recovery"},
	{set: "steps=50", scenario: "consistent-list"},
	// etcd. What is not here is what the release of the scenario does.
	{set: "progress=control-queue", scenario: "consistent-list"},
	{set: "progress=deferred", scenario: "consistent-list"},
	{set: "progress=ignored", scenario: "consistent-list"},
	{set: "progress=dropped-below-start", scenario: "informer-detector"},
	{set: "progress-echo=none", scenario: "lagging-member", with: "cache=progress-echo"},
	{set: "create-at-zero=passed-through", scenario: "consistent-list"},
	{set: "created=past-channel", scenario: "consistent-list"},
	{set: "negative-start=accepted", scenario: "negative-watch", with: "etcd=3.6.16"},
	{set: "sync-history=read-anew", scenario: "kept-history", with: "etcd=3.6.5"},
	{set: "sync-history=kept", scenario: "kept-history", with: "etcd=3.5.23"},
	{set: "visible-revision=after-events", scenario: "consistent-list"},
	{set: "visible-revision=with-events", scenario: "two-step-writes"},
	{set: "watch-options=with-watch", scenario: "consistent-list"},
	{set: "notify-min-rev=on-failure", scenario: "future-watch", with: "etcd=3.6.16"},
	{set: "sync-min-rev=set-to-next", scenario: "future-watch", with: "etcd=3.6.16"},
	{set: "compacted-unsynced=falls-through", scenario: "compacted-watch", with: "etcd=3.6.16"},
	{set: "compact-tombstone=removed", scenario: "resumed-compaction", with: "etcd=3.6.16"},
	{set: "compact-recreated=kept", scenario: "rewritten-keys", with: "etcd=3.6.16"},
	{set: "keys-only=from-index", scenario: "rewritten-keys", with: "etcd=3.6.16,drawn-clients=4,drawn-requests=8"},
	{set: "physical-compaction=after-first-batch", scenario: "physical-compactions"},
	{set: "compaction-in-range=goes-on", scenario: "compaction-in-range"},
	{set: "restore-tombstone=not-indexed", scenario: "resumed-compaction", with: "etcd=3.6.16"},
	{set: "restore-revision=from-scheduled-compaction", scenario: "crash-in-compaction", with: "etcd=3.5.13"},
	{set: "unapplied-entries=skipped", scenario: "lagging-watches"},
	{set: "unapplied-entries=repeated", scenario: "any-etcd-requests"},
	{set: "victim-retry=next-victim", scenario: "any-etcd-requests"},
	{set: "revision-events=by-first-key", scenario: "any-etcd-requests"},
	{set: "refused-watch-id=as-asked", scenario: "any-etcd-requests"},
	{set: "fragments=single", scenario: "any-etcd-requests"},
	{set: "fragments=none", scenario: "any-etcd-requests"},
	{set: "refusal-reason=none", scenario: "any-etcd-requests"},
	{set: "watch-ids=counted", scenario: "any-etcd-requests"},
	{set: "compaction-pause=1s", scenario: "lone-compactor", with: "compaction-batch=1"},
	{set: "sync-interval=20ms", scenario: "recovery"},
	{set: "election-timeout=2s", scenario: "long-without-leader"},
	{set: "leaderless-streams=kept", scenario: "long-without-leader"},
	{set: "lease-time-left=of-any", scenario: "leases-without-leader", with: "etcd=3.6.16"},
	{set: "reads-lag=true", scenario: "lagging-member"},
	{set: "needless-ranges=removed", scenario: "lagging-reads"},
	{set: "read-index-ids=reused", scenario: "follower-reads"},
	{set: "read-index-retries=1", scenario: "follower-reads"},
	{set: "lease-renewals=answered-only", scenario: "lease-times"},
	{set: "promoted-leases=forgotten", scenario: "lease-times"},
	{set: "elided-ticks=stream", scenario: "quiet-watch"},
	{set: "elided-ticks=for-good", scenario: "quiet-again"},
	{set: "chan-buf=3", scenario: "backpressure"},
	{set: "watchers-per-sync=2", scenario: "watch-guarantees"},
	{set: "sync-batch=2", scenario: "watch-guarantees"},
	{set: "compaction-batch=2", scenario: "outages"},
	{set: "ctrl-buf=2", scenario: "backpressure"},
	{set: "send-window=2", scenario: "backpressure"},
	{set: "fragment-bytes=2", scenario: "watch-guarantees"},
	{set: "notify=150ms", scenario: "recovery"},
	{set: "shared-connection=false", scenario: "guard-cascade"},
	{set: "range-stream=unimplemented", scenario: "streamed-start"},
	{set: "stream-chunk=2", scenario: "streamed-start"},
	{set: "range-time=5ms", scenario: "recovery"},
	{set: "item-time=5ms", scenario: "recovery"},
	// The client library.
	{set: "resume-revision=at-header", scenario: "recovery"},
	{set: "unary-retries=2", scenario: "etcd-errors"},
	{set: "reopen-backoff=20ms", scenario: "recovery"},
	{set: "reopen-backoff-max=2ms", scenario: "pauses"},
	{set: "retry-wait=100ms", scenario: "etcd-errors"},
	{set: "client-buf=2", scenario: "consistent-list"},
	{set: "etcd-range-stream=disabled", scenario: "streamed-start"},
	{set: "watch-decode=serial", scenario: "concurrent-decoding"},
	{set: "decode-time=20ms", scenario: "recovery"},
	{set: "decode-failures=3", scenario: "concurrent-decoding"},
	{set: "undecodable=w1.2", scenario: "concurrent-decoding", with: "client-kv=true"},
	// The cache.
	{set: "freshness=none", scenario: "consistent-list"},
	{set: "freshness=direct", scenario: "consistent-list"},
	{set: "on-timeout=fallback", scenario: "consistent-list"},
	{set: "on-timeout=throttle", scenario: "consistent-list"},
	{set: "notify-detection=on", scenario: "recovery"},
	{set: "current-revision=count-only", scenario: "consistent-list"},
	{set: "current-revision=empty-range", scenario: "consistent-list"},
	{set: "revision-sharing=accumulated", scenario: "consistent-list"},
	{set: "pagination=etcd", scenario: "paged-lists"},
	{set: "pagination=fits", scenario: "paged-lists"},
	{set: "pagination=kept", scenario: "paged-lists"},
	{set: "pagination=ignored", scenario: "paged-lists"},
	{set: "dynamic-fallback=wait-time", scenario: "consistent-list"},
	{set: "continue-with-version=refused", scenario: "any-requests"},
	{set: "most-recent=served", scenario: "any-requests"},
	{set: "future-rv=confirm", scenario: "snapshot-reads"},
	{set: "continued-limit=counts", scenario: "any-requests", with: "cache=v0.37.2,drawn-readers=8,drawn-requests=24,items=8"},
	{set: "progress-requests=once", scenario: "consistent-list"},
	{set: "progress-requests=notify", scenario: "consistent-list"},
	{set: "progress-requests=echo", scenario: "consistent-list"},
	{set: "snapshots=on", scenario: "paged-lists"},
	{set: "late-snapshot=kept", scenario: "snapshot-reads"},
	{set: "compaction-notice=polled", scenario: "snapshot-reads"},
	{set: "watch-history=until-compacted", scenario: "compacted-watch-history", with: "watch-history=until-full"},
	{set: "mark-consistent=unlocked", scenario: "detectors", with: "cache=kep-4988"},
	{set: "passed-check=drops-snapshots", scenario: "kept-pages", with: "cache=v0.37.2,pagination=first-page"},
	{set: "not-found-rv=none", scenario: "object-writes", judged: true},
	{set: "equal-progress=skipped", scenario: "awaited-change"},
	{set: "consistency-checker=fallback", scenario: "lost-event", with: "consistency-checker=off"},
	{set: "consistency-checker=panic", scenario: "lost-event", with: "consistency-checker=off"},
	{set: "inconsistency-detector=on", scenario: "detectors", with: "inconsistency-detector=off"},
	{set: "reflector-list=watch-list", scenario: "recovery"},
	{set: "initial-events-end=timer", scenario: "watch-list"},
	{set: "watch-delegation=unset", scenario: "any-requests"},
	{set: "watch-delegation=all", scenario: "consistent-list"},
	{set: "watch-list-detection=notified", scenario: "watch-list-without-progress"},
	{set: "watch-list-detection=unasked", scenario: "watch-list-without-progress"},
	{set: "initial-events-buffer=close-enough", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=dynamic", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=cap", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=inject", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=inject-merged", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=references", scenario: "watch-list-behind"},
	{set: "initial-events-buffer=newest-only", scenario: "watch-list-behind"},
	{set: "version-check=kep-beta", scenario: "guard-old-etcd", with: "version-check=none"},
	{set: "version-check=kep-ga", scenario: "guard-old-etcd", with: "version-check=none"},
	{set: "version-check=shipped", scenario: "guard-old-etcd", with: "version-check=none"},
	{set: "version-check=periodic", scenario: "guard-downgrade", with: "version-check=none"},
	{set: "version-check=each-stream", scenario: "guard-downgrade", with: "version-check=none"},
	{set: "consistent-list-from-cache=enabled", scenario: "guard-upgrade"},
	{set: "consistent-list-from-cache=disabled", scenario: "consistent-list"},
	{set: "watch-list=disabled", scenario: "watch-list"},
	{set: "progress-period=50ms", scenario: "recovery"},
	{set: "block-timeout=50ms", scenario: "recovery"},
	{set: "accumulate-period=100ms", scenario: "recovery", with: "cache=accumulated-reads"},
	{set: "notify-within=20ms", scenario: "recovery", with: "notify-detection=on,notify=150ms"},
	{set: "slow-wait=10ms", scenario: "recovery", with: "cache=dynamic-fallback"},
	{set: "kept-for=5s", scenario: "kept-pages"},
	{set: "relist-delay=3s", scenario: "recovery"},
	{set: "compaction-poll=1s", scenario: "compacted-history", with: "compaction-notice=polled"},
	{set: "bookmark-period=20s", scenario: "bookmarks"},
	{set: "close-enough-timeout=1s", scenario: "watch-list-behind", with: "initial-events-buffer=close-enough"},
	{set: "notified-within=1s", scenario: "watch-list-without-progress", with: "watch-list-detection=notified"},
	{set: "ring-max=3", scenario: "shrinking-history"},
	{set: "fresh-duration=1ms", scenario: "shrinking-history"},
	{set: "ring=3", scenario: "every-read"},
	{set: "page=1", scenario: "outages"},
	{set: "check-period=1m", scenario: "lost-event"},
	{set: "memory-limit=2", scenario: "informer-memory"},
	{set: "kept-pages=1", scenario: "kept-pages"},
	{set: "kept-bytes=100", scenario: "kept-pages"},
	{set: "delegated-limit=2", scenario: "guard-cascade"},
	{set: "answers-limit=1", scenario: "informer-memory", with: "informer-list=list-watch,network=200ms"},
	{set: "measure-period=1ms", scenario: "informer-memory", with: "informer-list=list-watch,network=200ms,answers-limit=1"},
	{set: "seats=2", scenario: "consistent-list"},
	{set: "queues=1", scenario: "seats"},
	{set: "hand-size=1", scenario: "seats"},
	{set: "queue-length=2", scenario: "seats"},
	{set: "queue-wait=1s", scenario: "seats-fallback"},
	{set: "objects-per-seat=2", scenario: "seats"},
	{set: "fallback-seats=at-etcd", scenario: "seats-fallback"},
	{set: "incoming=2", scenario: "consistent-list"},
	{set: "watch-buf=2", scenario: "consistent-list"},
	{set: "slow-watchers=latch", scenario: "stalled-watches"},
	{set: "slow-watchers=reinitialised", scenario: "stalled-watches"},
	{set: "slow-watchers=groups", scenario: "stalled-watches"},
	{set: "catch-up-watchers=1", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "catch-up-units=130", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "catch-up-pushes=1", scenario: "stalled-watches", with: "slow-watchers=groups"},
	{set: "list-cap=100", scenario: "watch-list-behind", with: "initial-events-buffer=cap"},
}

// The program of this list is the simulated server, which masks of races do not reach as a program.
func init() {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if name != "simulated@v3.5.7" {
			return nil
		}
		return &testbed.Program{Name: name, Version: "3.5.7", New: func(s *etcd.Server) testbed.ProgramNode { return s }}
	})
}

// plantedElsewhere are options of which TestKnownBugsAreDetected shows that they make a
// difference.
var plantedElsewhere = []string{"bugs"}

// activeSchedules are the sizes of the campaigns in which a difference is looked for.
var activeSchedules = []uint64{3, 30, 300, 3000}

// TestEachValueOfEachOptionIsActive holds the list to the catalogue, and each row to
// what it says.
func TestEachValueOfEachOptionIsActive(t *testing.T) {
	rows := map[string][]string{}
	for _, a := range activeValues {
		name, value, _ := strings.Cut(a.set, "=")
		require.NotContains(t, rows[name], value, "%s has two rows", a.set)
		rows[name] = append(rows[name], value)
	}
	known := slices.Clone(plantedElsewhere)
	for _, o := range testbed.Describe() {
		if slices.Contains(plantedElsewhere, o.Name) || len(o.Values) == 1 {
			known = append(known, o.Name)
			continue
		}
		if len(o.Values) == 0 {
			assert.NotEmpty(t, rows[o.Name], "option %s has no row in activeValues: add a value, and a scenario in which it makes a difference", o.Name)
		}
		var missing []string
		for _, v := range o.Values {
			if !v.IsBug && !slices.Contains(rows[o.Name], v.Name) {
				missing = append(missing, v.Name)
			}
		}
		assert.LessOrEqual(t, len(missing), 1, "values of %s without a row in activeValues: %v; only the value of the scenarios themselves needs none", o.Name, missing)
		known = append(known, o.Name)
	}
	for name := range rows {
		assert.Contains(t, known, name, "activeValues has an option that there is not")
	}
	for _, d := range cache.Designs() {
		// The design of the scenarios that the others are compared with.
		assert.True(t, d.Name == "kep-2340" || slices.Contains(rows["cache"], d.Name), "design %s has no row in activeValues", d.Name)
	}
	for i := range activeValues {
		if i%testsize.Of(1, 3, 6) != 0 {
			continue
		}
		a := &activeValues[i]
		t.Run(a.set, func(t *testing.T) {
			t.Parallel()
			a.check(t)
		})
	}
}

func (a *active) check(t *testing.T) {
	sc, err := testbed.FindScenario(a.scenario)
	require.NoError(t, err)
	var settings []string
	if a.with != "" {
		settings = strings.Split(a.with, ",")
	}
	name, _, _ := strings.Cut(a.set, "=")
	without, set := campaigns.With(t, sc, settings...), campaigns.With(t, sc, append(settings, a.set)...)
	a.comparesWithDefault(t, name, &without)
	for _, n := range activeSchedules {
		before, after := compared(t, sc, without, n), compared(t, sc, set, n)
		if !a.judged && before.Hash != after.Hash {
			return
		}
		if a.judged {
			require.Equal(t, before.Hash, after.Hash, "%s changes runs: it is about more than judges", a.set)
			if !reflect.DeepEqual(before.Properties, after.Properties) || !reflect.DeepEqual(before.Metrics, after.Metrics) {
				return
			}
		}
	}
	assert.Fail(t, "not active", "%s makes no difference in %s %s, in %d schedules", a.set, a.scenario, a.with, activeSchedules[len(activeSchedules)-1])
}

// comparesWithDefault: of an option of the cache it is the default that the value is
// compared with. Releases of etcd and scenarios have no common default of other options.
func (a *active) comparesWithDefault(t *testing.T, name string, p *testbed.Params) {
	t.Helper()
	n, err := p.Nodes()
	require.NoError(t, err)
	for _, o := range testbed.Describe() {
		if o.Name == name && o.Node == "cache" && len(o.Values) > 0 {
			require.Equal(t, o.Values[0].Name, n.Value(name), "%s is to be compared with the default", a.set)
		}
	}
}

func compared(t *testing.T, sc *testbed.Scenario, p testbed.Params, seeds uint64) *campaign.Result {
	t.Helper()
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: seeds, Steps: p.Clock.Steps})
	require.NoError(t, err)
	return c
}
