package node

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Reads are the options that reach a guest: version-check at its start, and those that writeOptions tells it. Of the
// ways out of a consistent LIST that times out an API server has two. One that panics at an inconsistency does not
// start again: its panic is what the run finds.
var Reads = []string{
	"version-check", "etcd-range-stream", "watch-decode", "snapshots", "consistency-checker",
	"on-timeout=fallback", "on-timeout=throttle", "watch-list", "reflector-list", "watch-prev-kv", "write-state", "shards", "ring", "ring-max", "fresh-duration", "check-period",
}

// release is what sets the guests of some versions apart, for judges.
type release struct {
	// begins is how the versions begin, empty if any other does: a checkout's, too. design is the simulated one of the
	// release, or the nearest. otherwise is set on top of that; storage are the options of etcd3, whatever the release
	// of etcd.
	begins, design     string
	otherwise, storage []option.Setting
}

var releases = []release{
	{"v0.33.", "v0.37.2", option.Settings("snapshots=off", "consistency-checker=off", "watch-list=disabled", "reflector-list=list", "shards=ignored"), nil},
	{"v0.34.", "v0.37.2", option.Settings("reflector-list=list", "shards=ignored"), nil},
	{"v0.35.", "v0.37.2", unsharded, nil},
	{"v0.36.", "v0.37.2", unsharded, nil},
	{"v0.37.", "v0.37.2", unsharded, shipped},
	{"v0.38.0-alpha.", "v0.38.0-alpha.2", watchLists, shipped},
	{"", "v0.38.0-beta.0", watchLists, shipped},
}

// watchLists: the cache starts with a stream of initial events, as by default from 1.35 on. unsharded: so it does, and
// the gate ShardedListAndWatch is off, up to 1.37. shipped are the options of etcd3 that Kubernetes has from 1.37 on.
var (
	watchLists = option.Settings("reflector-list=watch-list")
	unsharded  = option.Settings("reflector-list=watch-list", "shards=ignored")
	shipped    = option.Settings("etcd-range-stream=enabled", "watch-decode=concurrent")
)

func releaseOf(version string) *release {
	return &releases[slices.IndexFunc(releases, func(r release) bool { return strings.HasPrefix(version, r.begins) })]
}

// Shipped are the options of etcd3 that the guest of a release has.
func Shipped(version string) []option.Setting { return releaseOf(version).storage }

// Promised is what judges may expect of the guest of a release: what its simulated design sets, and what is otherwise.
// Of version-check a guest reads only whether it is none.
func Promised(version string) []option.Setting {
	r := releaseOf(version)
	d, err := cache.FindDesign(r.design)
	if err != nil {
		panic(err)
	}
	return slices.Concat(d.Settings, r.otherwise)
}

// gate is a feature gate of Kubernetes', and whether it is on.
type gate struct {
	name string
	on   bool
}

// gates are those that options of the simulated cache stand for.
func (n *Node) gates() []gate {
	o, w := &n.cfg.Options, etcd3.Options{}
	if err := etcd3.Group.Apply(&w, &option.Preset{Settings: n.cfg.Storage}); err != nil {
		panic(err)
	}
	return []gate{
		{"EtcdRangeStream", w.StreamsRanges},
		{"ConcurrentWatchObjectDecode", w.DecodesConcurrently},
		{"ListFromCacheSnapshot", o.Store.Snapshotting != store.SnapshotsOff},
		{"DetectCacheInconsistency", o.Checks.ConsistencyChecker == check.ConsistencyCheckerFallback},
		{protocol.GatePanics, o.Checks.ConsistencyChecker == check.ConsistencyCheckerPanic},
		{"ConsistentListFromCacheSkipTimeoutFallback", o.Reads.OnTimeout == read.OnTimeoutThrottle},
		{"WatchFromStorageWithoutPrevKV", o.Ingestion.WithoutPrevKV},
		{"ConsistentGetFromCache", o.Writes.StatesFromCache},
		{"ShardedListAndWatch", o.Shards == request.ShardsHonoured},
		{"WatchList", o.Guard.WatchList != guard.WatchListOff},
		{protocol.GateWatchListClient, o.Ingestion.WatchListClient},
	}
}

// writeOptions tells the guest what it is to do otherwise than its release, or as that does.
func (n *Node) writeOptions(w *protocol.Writer, timed bool) {
	all := n.gates()
	w.Int(int64(len(all)))
	for _, g := range all {
		w.Text(g.name).Bool(g.on)
	}
	a := &n.cfg.Amounts
	most := a.RingCapacityMax
	if !timed {
		// Without a clock no event is older than another, and the history would only grow.
		most = a.RingCapacity
	}
	w.Int(int64(a.RingCapacity)).Int(int64(most)).Int(int64(a.EventFreshDuration)).Int(int64(a.ConsistencyCheckPeriod))
}
