package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/read/variant"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ServedAsPromised holds the server that answered a LIST or GET against the design:
// the cache, first pages included, wherever the design says so and the cache was
// ready all the time; etcd for a GET of the newest state (storage/cacher,
// CacheDelegator: shouldDelegateList, Get). A LIST that waited for too long may have
// been answered by etcd if the design falls back.
//
// Exact LISTs and later pages are not judged: whether the cache still has a snapshot
// is a matter of time. It is exercised by answers of a cache that was ready.
var ServedAsPromised = testbed.RegisterProperty(&testbed.Property{
	Name: "served-as-promised", Kind: testbed.Safety,
	Promise:  "A LIST or GET is answered by the server that the design says: what the cache can answer does not go to etcd.",
	Violated: "answered by the wrong server",
	Labels:   map[string]string{"etcd": "went to etcd without need", "cache": "not answered by etcd"},
	New: func(s *testbed.System) testbed.Judge {
		o := s.Nodes().Cache
		return &servedAsPromised{moments: momentsOf(s), options: o, trusts: trusts(s)}
	},
})

// trusts reports whether the cache may answer consistent LISTs from the beginning:
// no check of etcd's version stands before that.
func trusts(s *testbed.System) bool {
	check := s.Nodes().Cache.Guard.VersionCheck
	v, err := release.Parse(s.Params().Etcd)
	return check == 0 && err == nil && guard.Checks.Of(check)().Passes(v)
}

type servedAsPromised struct {
	*moments
	options cache.Options
	trusts  bool
}

// Reset implements testbed.Judge.
func (*servedAsPromised) Reset() {}

// Finding implements testbed.Judge.
func (j *servedAsPromised) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op, at := &ops[k], &j.operations[i][k]
			if op.Outcome != model.Done || at.cache < 0 || !at.wasReady() {
				continue
			}
			want, known := j.promised(op.Request)
			if !known {
				continue
			}
			all.Exercised++
			got := spans[k].Origin
			if got == want || want == wire.FromCache && j.mayFallBack(op.Request, at) && got == wire.FromFallback {
				continue
			}
			label := "cache"
			if want == wire.FromCache {
				label = "etcd"
			}
			all.Violate(label, &misserved{client: c.Name(), op: op, got: got, want: want})
		}
	}
	return all.Finding()
}

// promised is the server that answers a request while the cache is ready. It returns
// false where that depends on more.
func (j *servedAsPromised) promised(r *model.Request) (wire.Origin, bool) {
	fresh := read.Freshnesses.Of(j.options.Reads.Freshness)
	switch {
	case fresh.Bypasses():
		return wire.FromEtcd, true
	case r.Kind == model.Get && r.Freshness == model.Consistent:
		return wire.FromEtcd, true
	case r.Freshness == model.Exact || r.Freshness == model.NotOlderThan && r.Limit > 0:
		return 0, false
	case r.Kind == model.Get || r.Freshness != model.Consistent:
		return wire.FromCache, true
	case fresh.NeedsProgress() && !j.trusts || j.asksForNotice():
		return 0, false
	case r.Limit == 0:
		return wire.FromCache, true
	}
	switch j.options.Reads.Pagination {
	case variant.PaginateInEtcd:
		return wire.FromEtcd, true
	case variant.PaginateIfItFits:
		return 0, false
	}
	return wire.FromCache, true
}

// asksForNotice: the design sends consistent LISTs to etcd while the cache has not
// heard of progress, or is slow.
func (j *servedAsPromised) asksForNotice() bool {
	return j.options.Reads.NotifyDetection != 0 || j.options.Reads.DynamicFallback != 0
}

// mayFallBack: the design lets etcd answer what the cache could not, and the cache was
// behind.
func (j *servedAsPromised) mayFallBack(r *model.Request, at *moment) bool {
	return j.options.Reads.OnTimeout == read.OnTimeoutFallback && r.Freshness == model.Consistent && !at.wasCurrent()
}

// misserved is a read that the wrong server answered.
type misserved struct {
	client    string
	op        *model.Operation
	got, want wire.Origin
}

func (m *misserved) String() string {
	return fmt.Sprintf("%s's %s was answered by %v; while the cache is ready, %v answers it", m.client, sentence(m.op.Request), m.got, m.want)
}

// Concerns implements explore.Concerned.
func (m *misserved) Concerns() explore.Concern {
	return explore.Concern{Client: m.client, Call: m.op.Call}
}
