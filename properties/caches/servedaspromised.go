package caches

import (
	"cmp"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// ServedAsPromised holds the server that answered a LIST or GET against the design:
// the cache, first pages included, wherever the design says so and the cache was
// ready all the time; etcd for a GET of the newest state, but for get-unset=cache (storage/cacher,
// CacheDelegator: shouldDelegateList, Get). A LIST that waited for too long may have
// been answered by etcd if the design falls back.
//
// A LIST of a past state is the cache's if it must have a snapshot of that, and etcd's
// if it keeps none. It is exercised by answers of a cache that was ready.
var ServedAsPromised = testbed.RegisterProperty(&testbed.Property{
	Name: "served-as-promised", Kind: testbed.Safety,
	Promise:  "A LIST or GET is answered by the server that the design says: what the cache can answer does not go to etcd.",
	Violated: "answered by the wrong server",
	Labels:   map[string]string{"etcd": "went to etcd without need", "cache": "not answered by etcd"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.RecordedBy(newServedAsPromised, (*servedAsPromised).judge),
})

type servedAsPromised struct{ promise }

func newServedAsPromised(s *testbed.System) *servedAsPromised { return &servedAsPromised{promiseOf(s)} }

func (j *servedAsPromised) judge(_ *sim.World, all *testbed.Tally) {
	for o := range j.system.Operations() {
		at := j.evidence.Of(o)
		if o.Outcome != model.Done || at.Cache < 0 || !at.WasReady() {
			continue
		}
		want, known := j.server(o.Operation, at)
		if !known {
			continue
		}
		all.Exercised++
		got := o.Span.Origin
		if got == want || want == wire.FromCache && j.mayFallBack(o.Request, at) && got == wire.FromFallback {
			continue
		}
		label := "cache"
		if want == wire.FromCache {
			label = "etcd"
		}
		o.Violate(all, label, "%s's %s was answered by %v; while the cache is ready, %v answers it", sentence(o.Request), got, want)
	}
}

// Digest has, for each unanswered read of a cache, the conditions of the cache since the request, and
// for each cache its conditions when it became ready.
func (j *servedAsPromised) Digest(d sim.Digest) sim.Digest {
	for i := range j.system.Clients() {
		d = j.open(d.Bool(true), i)
	}
	for i := range j.system.Caches() {
		d = d.Int(j.evidence.Listed(i)).Bool(j.foundDifferent(i))
	}
	return d
}

// open mixes in what has been so since a client's read was asked.
func (j *servedAsPromised) open(d sim.Digest, client int) sim.Digest {
	at := j.evidence.Open(client)
	if at == nil || at.Cache < 0 {
		return d
	}
	so := j.evidence.SoFar(at)
	if !so.WasReady() {
		return d.Bool(false)
	}
	o := &at.Server.Cache.Reads
	d = d.Bool(so.TrustedEtcd()).Bool(so.DistrustedEtcd()).Int(so.Answered.Cache.Version)
	if o.OnTimeout == read.OnTimeoutFallback {
		d = d.Bool(so.WasCurrent())
	}
	if o.AvoidsSlowCache {
		d = d.Bool(so.WasAlone())
	}
	return d
}

// mayFallBack: the design lets etcd answer what the cache could not, and the cache was
// behind, or had no proof that it was not.
func (j *servedAsPromised) mayFallBack(r *model.Request, at *evidence.Call) bool {
	o := &at.Server.Cache
	if list, ok := at.Request.(*wire.ListRequest); ok && (list.Match == wire.MatchMostRecent || list.KeysOnly) {
		return false
	}
	return o.Reads.OnTimeout == read.OnTimeoutFallback && r.Freshness == model.Consistent &&
		(!at.WasCurrent() || o.ProgressRequests == progress.Echo)
}

// promise is what the design of a cache says about the server that answers a LIST or
// GET (storage/cacher, CacheDelegator: ShouldDelegateList, Get).
type promise struct {
	system   *testbed.System
	evidence *evidence.Recorder
}

func promiseOf(s *testbed.System) promise {
	return promise{system: s, evidence: evidence.Of(s)}
}

// server is the server that answers a request while the cache is ready. It returns false
// where that depends on more than the judge knows.
func (p *promise) server(op *model.Operation, at *evidence.Call) (wire.Origin, bool) {
	if at.Server == nil {
		return 0, false
	}
	switch r := at.Request.(type) {
	case *wire.GetRequest:
		switch o := &at.Server.Cache.Reads; {
		case Bypassed(o):
			return wire.FromEtcd, true
		case r.ResourceVersion != wire.Unset:
			return wire.FromCache, true
		case !o.GetsFromCache || at.DistrustedEtcd():
			return wire.FromEtcd, true
		case !at.TrustedEtcd(), o.DetectsNotify, o.AvoidsSlowCache:
			return 0, false
		}
		return wire.FromCache, true
	case *wire.ListRequest:
		return p.ofList(r, op, at)
	}
	return 0, false
}

func (p *promise) ofList(r *wire.ListRequest, op *model.Operation, at *evidence.Call) (wire.Origin, bool) {
	switch {
	case Bypassed(&at.Server.Cache.Reads), r.FromEtcd, r.Single && isExact(r):
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
func (p *promise) ofNewest(r *wire.ListRequest, at *evidence.Call) (wire.Origin, bool) {
	o := &at.Server.Cache.Reads
	needsProgress := NeedsProgress(o)
	switch {
	case needsProgress && at.DistrustedEtcd():
		return wire.FromEtcd, true
	case needsProgress && !at.TrustedEtcd():
		return 0, false
	case r.Limit > 0 && o.Pagination == read.PaginateInEtcd:
		return wire.FromEtcd, true
	case o.DetectsNotify && p.evidence.KnowsHeard() && at.Answered.Cache.Heard == 0:
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
func (p *promise) ofPast(r *wire.ListRequest, revision int64, at *evidence.Call) (wire.Origin, bool) {
	switch {
	case r.Continue != "" && at.Server.Cache.Reads.Pagination == read.PaginateKept:
		return p.ofRest(at)
	case at.Server.Cache.Store.Snapshotting == store.SnapshotsOff:
		return wire.FromEtcd, true
	case !at.TrustedEtcd(), p.foundDifferent(at.Cache), at.Answered.Cache.Listed == 0, at.Answered.Cache.MayHaveListed, revision < at.Answered.Cache.Listed:
		return 0, false
	}
	log, prefix := p.system.Truth().Log(), p.system.Caches()[at.Cache].Prefix()
	// A cache may learn of a compaction before etcd has carried it out.
	gone := max(at.Answered.Compacted, at.Answered.Cache.Compacted)
	servesFrom := at.Server.Cache.Store.LastSnapshotStays && revision >= gone
	if gone > at.Answered.Cache.Listed && !servesFrom && changesUnder(log, prefix, gone-1, revision) == 0 {
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
func ring(o *cache.Options) int { return cmp.Or(o.RingCapacity, ringCapacity) }

// patience is how long a request waits for the cache to be fresh.
func patience(o *cache.Options) time.Duration { return cmp.Or(o.BlockTimeout, blockTimeout) }

// blockTimeout and ringCapacity are those of k8s.io/apiserver (storage/cacher:
// blockTimeout, defaultLowerBoundCapacity).
const (
	blockTimeout = 3 * time.Second
	ringCapacity = 100
)

// A cache that keeps the rests of lists under their tokens has each for so long, and so
// many at a time (the draft of 2019), unless kept-for and kept-pages say otherwise.
const (
	keepPagesFor = time.Minute
	keptPages    = 100
)

// ofRest is for a page after the first in a design that keeps the rest of a list: the
// cache answers it while it has the rest, and etcd after that. Untimed the cache may drop
// a rest at any time.
func (p *promise) ofRest(at *evidence.Call) (wire.Origin, bool) {
	s := p.system
	if at.Server.Cache.KeptBytes > 0 {
		// Which rests had to go depends on the sizes of all.
		return 0, false
	}
	if s.Params().Clock.Mode == sim.Untimed || !at.Over || at.Number == 0 || len(s.Pollers())+len(s.Informers()) > 0 {
		return 0, false
	}
	c := s.Clients()[at.Client]
	page, next := pageOf(c, at.Number-1), &c.Spans()[at.Number]
	before := &p.evidence.Operations(at.Client)[at.Number-1]
	if page == nil || before.Server != at.Server || page.answered > next.Call || at.Answered.Cache.Unready >= before.Asked.Step {
		return 0, false
	}
	limit, long := cmp.Or(at.Server.Cache.KeptPages, keptPages), sim.Time(cmp.Or(at.Server.Cache.KeepPagesFor, keepPagesFor))
	mayBeNewer, areNewer, again := p.newerThan(page, next, at)
	switch {
	case next.Return < page.asked+long && mayBeNewer < limit:
		return wire.FromCache, true
	case again || at.Server.Cache.Store.Snapshotting != store.SnapshotsOff:
		return 0, false
	case next.Call > page.answered+long, areNewer >= limit:
		return wire.FromEtcd, true
	}
	return 0, false
}

// cutPage is a page from a cache that has more behind it.
type cutPage struct {
	asked, answered sim.Time
	revision        int64
	last            string
}

// pageOf is such a page if the n-th operation of a client got one, nil otherwise.
func pageOf(c *workload.Client, n int) *cutPage {
	op, span := &c.Operations()[n], &c.Spans()[n]
	if op.Outcome != model.Done || op.Request.Kind != model.List || span.Origin != wire.FromCache || !op.Result.More {
		return nil
	}
	return &cutPage{span.Call, span.Return, op.Result.Revision, op.Result.Items[len(op.Result.Items)-1].Key}
}

// newerThan counts the rests that the cache kept, or may have kept, between a page and
// the answer to the next one. again: one of them may have the same token.
func (p *promise) newerThan(page *cutPage, next *workload.Span, at *evidence.Call) (mayBe, are int, again bool) {
	for i, c := range p.system.Clients() {
		for n := range c.Operations() {
			other := pageOf(c, n)
			if other == nil || p.evidence.Operations(i)[n].Cache != at.Cache || i == at.Client && n == at.Number-1 {
				continue
			}
			if other.answered >= page.asked && other.asked <= next.Return {
				mayBe++
			}
			if other.asked > page.answered && other.answered < next.Call {
				are++
			}
			again = again || other.revision == page.revision && other.last == page.last
		}
	}
	return mayBe, are, again
}
