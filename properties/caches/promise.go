package caches

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// promise is what the design of a cache says about the server that answers a LIST or
// GET (storage/cacher, CacheDelegator: ShouldDelegateList, Get).
type promise struct {
	system  *testbed.System
	moments *moments.Recorder
}

func promiseOf(s *testbed.System) promise {
	return promise{system: s, moments: moments.Of(s)}
}

// server is the one that answers a request while the cache is ready. It returns false
// where that depends on more than the judge knows.
func (p *promise) server(op *model.Operation, at *moments.Call) (wire.Origin, bool) {
	if at.Server == nil {
		return 0, false
	}
	if read.Freshnesses.Of(at.Server.Cache.Reads.Freshness).Bypasses {
		return wire.FromEtcd, true
	}
	switch r := at.Request.(type) {
	case *wire.GetRequest:
		if r.ResourceVersion == wire.Unset {
			return wire.FromEtcd, true
		}
		return wire.FromCache, true
	case *wire.ListRequest:
		return p.ofList(r, op, at)
	}
	return 0, false
}

func (p *promise) ofList(r *wire.ListRequest, op *model.Operation, at *moments.Call) (wire.Origin, bool) {
	switch {
	case r.FromEtcd, r.Single && isExact(r):
		return wire.FromEtcd, true
	case isExact(r):
		return p.ofPast(r, op.Request.Revision, at)
	case r.ResourceVersion != wire.Unset:
		return wire.FromCache, true
	}
	return p.ofNewest(r, at)
}

// isExact reports whether a LIST is of one resourceVersion: that of its continue token,
// or its own, which is exact without a match if there is a limit.
func isExact(r *wire.ListRequest) bool {
	return r.Continue != "" || r.Match == wire.MatchExact || r.Match == wire.MatchUnset && r.Limit > 0 && r.ResourceVersion > 0
}

// ofNewest is for a LIST that gives no resourceVersion.
func (p *promise) ofNewest(r *wire.ListRequest, at *moments.Call) (wire.Origin, bool) {
	o := &at.Server.Cache.Reads
	needsProgress := read.Freshnesses.Of(o.Freshness).NeedsProgress
	switch {
	case needsProgress && at.DistrustedEtcd():
		return wire.FromEtcd, true
	case needsProgress && !at.TrustedEtcd():
		return 0, false
	case r.Limit > 0 && o.Pagination == read.PaginateInEtcd:
		return wire.FromEtcd, true
	case o.DetectsNotify && p.moments.KnowsHeard() && at.Answered.Cache.Heard == 0:
		return wire.FromEtcd, true
	case o.DetectsNotify, r.Limit > 0 && o.Pagination == read.PaginateIfItFits:
		return 0, false
	case o.AvoidsSlowCache && !(at.WasAlone() && p.onlyHistoryReads()):
		// Etcd answers if another read waits, and the one before it waited long.
		return 0, false
	}
	return wire.FromCache, true
}

// onlyHistoryReads reports whether all reads are of clients of the history, so that it
// is known how many wait.
func (p *promise) onlyHistoryReads() bool {
	s := p.system
	return len(s.Pollers())+len(s.Informers())+len(s.Watchers())+len(s.ListWatchers()) == 0
}

// ofPast is for a LIST of the state at one resourceVersion: the cache answers if it has
// a snapshot of that (KEP-4988). It has one of its list, and one of each event that its
// history holds, until it learns of a compaction.
func (p *promise) ofPast(r *wire.ListRequest, revision int64, at *moments.Call) (wire.Origin, bool) {
	switch {
	case r.Continue != "" && at.Server.Cache.Reads.Pagination == read.PaginateKept:
		return p.ofRest(at)
	case at.Server.Cache.Store.Snapshotting == store.SnapshotsOff:
		return wire.FromEtcd, true
	case !at.TrustedEtcd(), p.foundDifferent(at.Cache), at.Answered.Cache.Listed == 0, revision < at.Answered.Cache.Listed:
		return 0, false
	}
	log, prefix := p.system.Truth().Log(), p.system.Caches()[at.Cache].Prefix()
	// A cache may learn of a compaction before etcd has carried it out.
	if gone := max(at.Answered.Compacted, at.Answered.Cache.Compacted); gone > at.Answered.Cache.Listed && changesUnder(log, prefix, gone-1, revision) == 0 {
		return 0, false
	}
	if changesUnder(log, prefix, revision, at.Answered.Newest()) >= ring(&at.Server.Cache) {
		return 0, false
	}
	return wire.FromCache, true
}

// foundDifferent reports whether a cache has ever found itself different from etcd: it
// drops its snapshots then.
func (p *promise) foundDifferent(cache int) bool {
	of := p.system.Caches()[cache].Detecting
	return of != nil && slices.ContainsFunc(of.Detections(), func(d check.Detection) bool { return d.Outcome == check.Inconsistent })
}

// ring is how many events a cache remembers at least.
func ring(o *cache.Options) int {
	if n := o.RingCapacity; n != 0 {
		return n
	}
	return ringCapacity
}

// patience is how long a request waits for the cache to be fresh.
func patience(o *cache.Options) time.Duration {
	if d := o.BlockTimeout; d != 0 {
		return d
	}
	return blockTimeout
}

// blockTimeout and ringCapacity are those of k8s.io/apiserver (storage/cacher:
// blockTimeout, defaultLowerBoundCapacity).
const (
	blockTimeout = 3 * time.Second
	ringCapacity = 100
)
