package cache

import "github.com/watchbed/watchbed/sim/option"

// LibraryOptions are those of etcd's own cache library, the node of package sim/etcdcache. Package cache reads none
// of them.
type LibraryOptions struct {
	// LeavesOutNextProgress: progress up to the very revision that a watcher needs next is not sent to it.
	LeavesOutNextProgress bool
	// EndsStoreWatcher: a new watch of etcd that ends all watchers ends the store's own watcher, too.
	EndsStoreWatcher bool
	// EndsWatchers: a new watch of etcd after an error ends all watchers, whatever its revision is.
	EndsWatchers bool
	Mistake      LibraryMistake
}

// LibraryMistake is what the library does otherwise than its source.
type LibraryMistake uint8

// The mistakes that can be planted.
const (
	_ LibraryMistake = iota
	LostWakeUp
	ShortHistory
	TakenForSent
	UnawaitedRead
)

var libraryOptions = option.NewGroup("cache",
	option.Either("library-progress", func(o *LibraryOptions) *bool { return &o.LeavesOutNextProgress },
		"progress up to the very revision that a watcher of etcd's cache library needs next",
		option.Val("next", "it is sent: no release"),
		option.Val("later", "it is not sent, and the watcher hears of a later one: as etcd ships it")),
	option.Either("library-store", func(o *LibraryOptions) *bool { return &o.EndsStoreWatcher },
		"what becomes of the watcher that fills the store of etcd's cache library when a new watch of etcd ends all watchers",
		option.Val("kept", "it goes on: no release"),
		option.Val("ended", "it is ended with the others, and another one begins, of which the cache never becomes ready: as etcd ships it")),
	option.Either("library-watchers", func(o *LibraryOptions) *bool { return &o.EndsWatchers },
		"what becomes of the watchers of etcd's cache library when it watches etcd anew from the revision behind its last one",
		option.Val("go-on", "they go on, though an event that it refused never came to them: as etcd ships it"),
		option.Val("ended", "they end, and watch again: no release")),
	option.Choice("library-mistake", func(o *LibraryOptions) *LibraryMistake { return &o.Mistake }, "what etcd's cache library does otherwise than its source",
		option.Val("none", "nothing"),
		option.Bug("lost-wake-up", "progress raises the revision of the store and wakes no read"),
		option.Bug("short-history", "the revision that the full history has just lost counts as one that it has"),
		option.Bug("taken-for-sent", "an event for which a watcher has no room counts as sent"),
		option.Bug("unawaited-read", "a consistent read does not wait until the store has the revision")),
)
