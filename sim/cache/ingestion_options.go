package cache

import "github.com/watchbed/watchbed/sim/option"

// IngestionOptions are the options of how events come into the cache.
type IngestionOptions struct {
	// WatchListClient: the reflector watches with initial events, and lists if that fails.
	WatchListClient bool
	// RelistsOnError: the reflector does not watch again after an error.
	RelistsOnError bool
	// LateProgress: a progress notification sets the resourceVersion when the dispatcher takes it from its channel.
	LateProgress bool
	// WithoutPrevKV: the reflector's watches ask etcd for no previous values, which the store has.
	WithoutPrevKV bool
	Publication   Publication
	EqualProgress EqualProgress
	WatchStream   WatchStream
}

// Publication is when a change can be read.
type Publication uint8

const (
	whole Publication = iota
	storeFirst
	versionFirst
)

// EqualProgress is what UpdateResourceVersion makes of a resourceVersion that the cache has already. The reflector
// calls it with each progress notification, and once more after each change with the version of that change.
type EqualProgress uint8

// The values of equal-progress.
const (
	EqualProgressTaken EqualProgress = iota
	EqualProgressSkipped
	equalProgressSkippedUnwoken
)

// WatchStream is the gRPC stream of etcd on which the cache watches and
// requests progress. etcd answers such a request to all watches of the stream,
// once all of them are synced.
type WatchStream uint8

const (
	ownStream WatchStream = iota
	streamOfCaches
	streamWithDelegated
)

var ingestionOptions = option.NewGroup("cache",
	option.Either("reflector-list", func(o *IngestionOptions) *bool { return &o.WatchListClient }, "how the cache gets its contents",
		option.Off("list", "it lists in etcd, page by page, and then watches"),
		option.Val("watch-list", "it watches with initial events, and lists if that fails (default since Kubernetes 1.35)")),
	option.Either("watch-retry", func(o *IngestionOptions) *bool { return &o.RelistsOnError },
		"what a cache does when its watch of etcd ends with an error other than a compaction",
		option.Val("half-a-minute", "it watches again for as long as the errors last no longer than 30 s"),
		option.Bug("none", "it lists again at once (kubernetes#111116)")),
	option.Either("watch-prev-kv", func(o *IngestionOptions) *bool { return &o.WithoutPrevKV }, "the previous values of the changes that the cache watches",
		option.Val("asked", "etcd sends them: up to Kubernetes 1.37"),
		option.Val("unasked", "the cache has them in its store (WatchFromStorageWithoutPrevKV, on by default in v0.38.0-beta.0; kubernetes#131862)")),
	option.Choice("publication", func(o *IngestionOptions) *Publication { return &o.Publication }, "when a change can be read",
		option.Val("whole", "version and store change in one step"),
		option.Bug("store-first", "history and version change one step after the store"),
		option.Bug("version-first", "the store changes one step after the version")),
	option.Either("progress-rv", func(o *IngestionOptions) *bool { return &o.LateProgress }, "when a progress notification sets the cache's resourceVersion",
		option.Val("ingested", "when it comes in, like an event"),
		option.Bug("dispatched", "when the dispatcher takes it from its channel, behind events that came since")),
	option.Choice("equal-progress", func(o *IngestionOptions) *EqualProgress { return &o.EqualProgress },
		"what the cache makes of progress up to the resourceVersion that it has already",
		option.Val("taken", "the same as of other progress: reads look again, and the dispatcher gets an entry"),
		option.Val("skipped", "nothing: reads go on to wait, and the dispatcher gets no entry, after changes neither: as v0.38.0-alpha.2 ships it"),
		option.Bug("skipped-unwoken", "nothing, and a change has left it to this call to wake the reads that wait")),
	option.Choice("watch-stream", func(o *IngestionOptions) *WatchStream { return &o.WatchStream },
		"the gRPC stream on which the cache watches and requests progress",
		option.Val("own", "one of its own (the gate SeparateCacheWatchRPC)"),
		option.Bug("of-caches", "one for all caches of the client (kubernetes#114458)"),
		option.Bug("with-delegated", "that of the watches which it delegates to etcd (kubernetes#123532)")),
)
