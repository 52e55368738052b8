package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are those of the package.
type Options struct {
	CompactionNotice   CompactionNotice
	ConsistencyChecker ConsistencyChecker
	CheckBy            CheckBy
	// UnlockedMark: MarkConsistent takes no lock, and may drop the snapshots while an event is halfway into the cache.
	// No goroutine stays between two lines for long, so untimed only.
	UnlockedMark bool
	// PassedCheckDrops: a check that passes drops the snapshots, as snapshotter.SetEnabled of k8s.io/apiserver
	// v0.38.0-alpha.2 does: it resets whenever it is called, and not only when the switch changes.
	PassedCheckDrops bool
	ComparesNames    bool
	PagesOfNewest    bool
	ComparesLists    bool
}

// CompactionNotice is how a cache learns that etcd was compacted.
type CompactionNotice uint8

// The values of compaction-notice.
const (
	CompactionPushed CompactionNotice = iota
	CompactionPolled
	compactionUnheard
)

// ConsistencyChecker is what follows when a check finds cache and etcd different.
type ConsistencyChecker uint8

// The values of consistency-checker.
const (
	ConsistencyCheckerOff ConsistencyChecker = iota
	ConsistencyCheckerPanic
	ConsistencyCheckerFallback
)

// CheckBy is what a check asks etcd for.
type CheckBy uint8

// The values of check-by.
const (
	checkByList CheckBy = iota
	checkByHash
	checkByHashOfNewest
)

// Group is the options of the package.
var Group = option.NewGroup("cache",
	option.Choice("compaction-notice", func(o *Options) *CompactionNotice { return &o.CompactionNotice },
		"how a cache that drops what etcd has compacted learns that etcd was compacted",
		option.Val("pushed", "the compactor of the API server notifies the cache (KEP-4988)"),
		option.Val("polled", "it asks every 15 s: as shipped"),
		option.Bug("unheard", "not at all: it serves history that etcd has compacted (kubernetes#131011)")),
	option.Either("mark-consistent", func(o *Options) *bool { return &o.UnlockedMark },
		"whether a failed check can drop the snapshots while an event is halfway into the cache, untimed",
		option.Val("locked", "it cannot"),
		option.Val("unlocked", "it can, as shipped: the snapshot of that event outlives the time without snapshots")),
	option.Choice("consistency-checker", func(o *Options) *ConsistencyChecker { return &o.ConsistencyChecker },
		"what follows when a check finds cache and etcd different",
		option.Off("off", "nothing is checked"),
		option.Val("panic", "the process ends (alpha; KUBE_WATCHCACHE_CONSISTENCY_CHECKER)"),
		option.Val("fallback", "snapshots are dropped until a check succeeds (beta, the gate DetectCacheInconsistency)")),
	option.Either("passed-check", func(o *Options) *bool { return &o.PassedCheckDrops },
		"what becomes of the snapshots when a consistency check finds no difference",
		option.Val("keeps-snapshots", "they stay"),
		option.Val("drops-snapshots", "they go, and the next event brings the first new one: as v0.38.0-alpha.2 ships it")),
	option.Choice("check-by", func(o *Options) *CheckBy { return &o.CheckBy }, "what a consistency check asks etcd for",
		option.Val("list", "the objects, in pages: as shipped"),
		option.Val("etcd-hash", "a hash of their keys and revisions at a revision: a request that no release of etcd has (KEP-4988, \"cheap consistency checks\")"),
		option.Bug("etcd-hash-of-newest", "the same of etcd's newest state: a write meanwhile is a false alarm")),
	option.Either("check-digest", func(o *Options) *bool { return &o.ComparesNames }, "what a consistency check compares of each object",
		option.Val("revisions", "its name and its revision"),
		option.Bug("names", "its name: an old object is not found")),
	option.Either("check-pages", func(o *Options) *bool { return &o.PagesOfNewest }, "the revision of the pages that a consistency check lists after the first",
		option.Val("exact", "that of the first page"),
		option.Bug("newest", "the newest: a write between two pages is a false alarm")),
	option.Either("inconsistency-detector", func(o *Options) *bool { return &o.ComparesLists },
		"whether lists that the cache answered are compared with etcd (KEP-2340)",
		option.Off("off", "none is"),
		option.Val("on", "each is")),
)

// Config is what the machines are made of.
type Config struct {
	Options
	// Prefix of the resource's keys.
	Prefix string
	// KV is the node that answers lists, Compactor the node that knows how far etcd
	// is compacted; 0 if there is none.
	KV, Compactor sim.NodeID
	// PageSize is how many objects a page of a list has.
	PageSize int
	// CompactionPollPeriod is the time between two questions to the compactor,
	// ConsistencyCheckPeriod the minimum time between two consistency checks.
	// UntimedTurns is how often each of the two happens in an untimed run.
	CompactionPollPeriod, ConsistencyCheckPeriod sim.Duration
	UntimedTurns                                 int
	// CompactionTimer and CheckTimer are the timers of the two.
	CompactionTimer, CheckTimer sim.Timer
}
