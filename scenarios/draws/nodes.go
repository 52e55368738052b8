package draws

import "github.com/watchbed/watchbed/sim/option"

// Cache is options and sizes of the cache. No value is a known bug. With
// progress-requests=notify etcd has a ticker: in an untimed run it may go off again and
// again while everything else waits, so that few runs end. That is for the design
// draft-2019.
var Cache = []option.Range{
	option.From("on-timeout", "reject", "fallback", "throttle"),
	option.From("notify-detection", "off", "on"),
	option.From("current-revision", "prefix-key", "count-only", "empty-range"),
	option.From("revision-sharing", "each", "accumulated"),
	option.From("pagination", "first-page", "etcd", "fits", "kept", "ignored"),
	option.From("dynamic-fallback", "off", "wait-time"),
	option.From("continue-with-version", "ignored", "refused"),
	option.From("most-recent", "refused", "served"),
	option.From("future-rv", "wait", "confirm"),
	option.From("progress-requests", "periodic", "once", "echo"),
	option.From("snapshots", "off", "on"),
	option.From("late-snapshot", "dropped", "kept"),
	option.From("compaction-notice", "pushed", "polled"),
	option.From("watch-history", "until-full", "until-compacted"),
	option.From("mark-consistent", "locked", "unlocked"),
	option.From("passed-check", "keeps-snapshots", "drops-snapshots"),
	option.From("equal-progress", "taken", "skipped"),
	option.From("consistency-checker", "off", "fallback", "panic"),
	option.From("inconsistency-detector", "off", "on"),
	option.From("reflector-list", "list", "watch-list"),
	option.From("watch-delegation", "none", "unset", "all"),
	option.From("initial-events-buffer", "as-shipped", "close-enough", "dynamic", "cap", "inject", "inject-merged", "references", "newest-only"),
	option.From("version-check", "none", "kep-beta", "kep-ga", "shipped", "periodic", "each-stream"),
	option.From("consistent-list-from-cache", "enabled", "disabled"),
	option.From("watch-list", "disabled"),
	option.From("watch-list-detection", "off", "notified", "unasked"),
	option.From("ring", "1", "2", "3", "5"),
	option.From("page", "1", "2", "3"),
	option.From("kept-pages", "1", "2"),
	option.From("delegated-limit", "1", "2"),
	option.From("seats", "1", "2", "7"),
	option.From("queues", "1", "2"),
	option.From("hand-size", "1", "2"),
	option.From("queue-length", "1", "2"),
	option.From("objects-per-seat", "1", "2"),
	option.From("fallback-seats", "kept", "at-etcd"),
	option.From("incoming", "1", "2", "4"),
	option.From("watch-buf", "1", "2", "4"),
	option.From("list-cap", "20", "60"),
	option.From("slow-watchers", "ended", "latch", "reinitialised", "groups"),
	option.From("continued-limit", "ignored", "counts"),
}

// Client is options and sizes of the client library.
var Client = []option.Range{
	option.From("client-buf", "1", "2", "4"),
	option.From("unary-retries", "1", "3"),
}

// Etcd is options and sizes of etcd in which its releases do not differ.
var Etcd = []option.Range{
	option.From("chan-buf", "1", "2", "4"),
	option.From("watchers-per-sync", "1", "2"),
	option.From("sync-batch", "1", "2", "4"),
	option.From("compaction-batch", "1", "2"),
	option.From("ctrl-buf", "1", "2"),
	option.From("send-window", "1", "2", "4"),
	option.From("shared-connection", "true"),
	option.From("max-request-bytes", "70", "167", "267", "400"),
}
