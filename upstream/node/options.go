package node

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/option"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// Reads are the options that reach a guest: version-check at its start, and those that writeOptions tells it. Of the ways out of a
// consistent LIST that times out an API server has two, and one that panics at an inconsistency does not start again by itself.
var Reads = []string{
	"version-check", "etcd-range-stream", "watch-decode", "snapshots", "consistency-checker=off", "consistency-checker=fallback",
	"on-timeout=fallback", "on-timeout=throttle", "watch-list", "reflector-list", "watch-prev-kv", "ring", "ring-max", "fresh-duration", "check-period",
}

// Shipped are the options of etcd3 that Kubernetes has from 1.37 on, whatever the release of etcd.
var Shipped = option.Settings("etcd-range-stream=enabled", "watch-decode=concurrent")

// Promised is what judges may expect of the guest of a release: what the simulated design of it sets, and that the cache starts
// with a stream of initial events, as by default. Of version-check a guest reads only whether it is none. The design of a
// release without one is the newest: a checkout is.
func Promised(version string) []option.Setting {
	name := "v0.38.0-alpha.2"
	if strings.HasPrefix(version, "v0.37.") {
		name = "v0.37.2"
	}
	d, err := cache.FindDesign(name)
	if err != nil {
		panic(err)
	}
	return slices.Concat(d.Settings, option.Settings("reflector-list=watch-list"))
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
		{"ConsistentListFromCacheSkipTimeoutFallback", o.Reads.OnTimeout == read.OnTimeoutThrottle},
		{"WatchFromStorageWithoutPrevKV", o.Ingestion.WithoutPrevKV},
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
