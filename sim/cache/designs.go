package cache

import (
	"github.com/watchbed/watchbed/sim/option"
)

func init() {
	for _, p := range presets {
		RegisterDesign(Design{Preset: p})
	}
}

// beta is v0.38.0-beta.0.
var beta = option.Settings(
	"on-timeout=fallback", "continue-with-version=refused",
	"snapshots=on", "compaction-notice=polled", "compacted-snapshot=kept-on",
	"equal-progress=skipped", "consistency-checker=fallback", "version-check=shipped",
	"watch-prev-kv=unasked", "watch-start=at-once",
)

// presets are the designs of this package: the Cache with options.
var presets = []option.Preset{
	{Name: "kep-2340", Doc: "a consistent LIST waits until the cache is as new as etcd was; 504 after 3 s (KEP-2340)"},
	{Name: "kep-2340-fallback", Doc: "kep-2340, but etcd answers after 3 s (Kubernetes 1.31 and later)",
		Settings: option.Settings("on-timeout=fallback")},
	{Name: "direct", Doc: "etcd answers every LIST and GET; the cache serves watches only",
		Settings: option.Settings("freshness=direct")},
	{Name: "stale", Doc: "a LIST without resourceVersion is answered like one with \"0\": from the cache, however old (#59848)",
		Settings: option.Settings("freshness=none")},
	{Name: "single-request", Doc: "one progress request for each waiting read, and etcd answers after 3 s (a rejected alternative of the first draft)",
		Settings: option.Settings("progress-requests=once", "on-timeout=fallback")},
	{Name: "draft-2019", Doc: "etcd sends progress every 250 ms by itself; 504 after 3 s, and etcd answers all pages (the first draft of KEP-2340)",
		Settings: option.Settings("progress-requests=notify", "notify-detection=on", "pagination=etcd")},
	{Name: "progress-echo", Doc: "the progress that echoes a read's id proves the cache fresh: no revision is read (an idea of the first draft)",
		Settings: option.Settings("progress-requests=echo")},
	{Name: "accumulated-reads", Doc: "kep-2340 with one revision read for all lists of 10 ms (an idea of the first draft)",
		Settings: option.Settings("revision-sharing=accumulated")},
	{Name: "dynamic-fallback", Doc: "kep-2340, but etcd answers while the cache is slow (KEP-2340, Alternatives)",
		Settings: option.Settings("on-timeout=fallback", "dynamic-fallback=wait-time")},
	{Name: "kep-4988", Doc: "kep-2340 with snapshots for exact reads and later pages; a failed consistency check sends those to etcd (KEP-4988, beta)",
		Settings: option.Settings("on-timeout=fallback", "snapshots=on", "consistency-checker=fallback")},
	{Name: "kep-3157", Doc: "a watch with initial events begins at once, and the bookmark timer finds their end (KEP-3157)",
		Settings: option.Settings("initial-events-end=timer")},
	{Name: "v0.37.2", Doc: "what k8s.io/apiserver v0.37.2 ships, with its check of etcd's version (reflector-list=watch-list adds how it starts by default)",
		Settings: option.Settings(
			"on-timeout=fallback", "continue-with-version=refused",
			"snapshots=on", "compaction-notice=polled", "late-snapshot=kept",
			"mark-consistent=unlocked", "consistency-checker=fallback",
			"version-check=shipped", "not-found-rv=none",
		)},
	{Name: "v0.38.0-alpha.2", Doc: "what k8s.io/apiserver v0.38.0-alpha.2 ships: store, index and snapshots have a lock of their own, and a consistency check that passes drops all snapshots",
		Settings: option.Settings(
			"on-timeout=fallback", "continue-with-version=refused",
			"snapshots=on", "compaction-notice=polled", "late-snapshot=kept",
			"equal-progress=skipped", "consistency-checker=fallback", "passed-check=drops-snapshots",
			"version-check=shipped",
		)},
	{Name: "v0.38.0-beta.0", Doc: "what k8s.io/apiserver v0.38.0-beta.0 ships by default: no previous values asked of etcd, a watch begins by an item of its channel, snapshots know the compaction",
		Settings: beta},
	{Name: "kep-6404", Doc: "v0.38.0-beta.0 with GETs and writes through the cache (KEP-6404; the gate ConsistentGetFromCache has the writes in v0.38.0-beta.0)",
		Settings: append(beta[:len(beta):len(beta)], option.Settings("write-state=cache", "get-unset=cache")...)},
}
