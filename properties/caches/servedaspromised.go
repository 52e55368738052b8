package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// ServedAsPromised holds the server that answered a LIST or GET against the design:
// the cache, first pages included, wherever the design says so and the cache was
// ready all the time; etcd for a GET of the newest state (storage/cacher,
// CacheDelegator: shouldDelegateList, Get). A LIST that waited for too long may have
// been answered by etcd if the design falls back.
//
// A LIST of a past state is the cache's if it must have a snapshot of that, and etcd's
// if it keeps none. It is exercised by answers of a cache that was ready.
var ServedAsPromised = testbed.RegisterProperty(&testbed.Property{
	Name: "served-as-promised", Kind: testbed.Safety,
	Promise:   "A LIST or GET is answered by the server that the design says: what the cache can answer does not go to etcd.",
	Violated:  "answered by the wrong server",
	Labels:    map[string]string{"etcd": "went to etcd without need", "cache": "not answered by etcd"},
	Past:      func(s *testbed.System) testbed.Past { return servedPast{newServedAsPromised(s)} },
	Remembers: true,
	New:       func(s *testbed.System) testbed.Judge { return newServedAsPromised(s) },
})

type servedAsPromised struct {
	system  *testbed.System
	moments *moments.Recorder
	promise promise
}

func newServedAsPromised(s *testbed.System) *servedAsPromised {
	return &servedAsPromised{system: s, moments: moments.Of(s), promise: promiseOf(s)}
}

// Reset implements testbed.Judge.
func (*servedAsPromised) Reset() {}

// Finding implements testbed.Judge.
func (j *servedAsPromised) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op, at := &ops[k], &j.moments.Operations(i)[k]
			if op.Outcome != model.Done || at.Cache < 0 || !at.WasReady() {
				continue
			}
			want, known := j.promise.server(op, at)
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

// servedPast is, for each read that a cache has still to answer, what has been so of the cache since the
// read was asked, and of caches what they were like when they became ready.
type servedPast struct{ *servedAsPromised }

// Digest implements testbed.Past.
func (p servedPast) Digest(d sim.Digest) sim.Digest {
	for i := range p.system.Clients() {
		d = p.open(d.Bool(true), i)
	}
	return p.ofCaches(d)
}

// Apart implements testbed.ApartPast.
func (p servedPast) Apart(d sim.Digest, own []sim.Digest) sim.Digest {
	for i := range p.system.Clients() {
		own[i] = p.open(own[i], i)
	}
	return p.ofCaches(d)
}

// open mixes in what has been so since a client's read was asked.
func (p servedPast) open(d sim.Digest, client int) sim.Digest {
	at := p.moments.Open(client)
	if at == nil || at.Cache < 0 {
		return d
	}
	so := p.moments.SoFar(at)
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

// ofCaches mixes in what a cache was like at one time, and stays known of it.
func (p servedPast) ofCaches(d sim.Digest) sim.Digest {
	for i := range p.system.Caches() {
		d = d.Int(p.moments.Listed(i)).Bool(p.promise.foundDifferent(i))
	}
	return d
}

// mayFallBack: the design lets etcd answer what the cache could not, and the cache was
// behind, or had no proof that it was not.
func (j *servedAsPromised) mayFallBack(r *model.Request, at *moments.Call) bool {
	o := &at.Server.Cache
	if list, ok := at.Request.(*wire.ListRequest); ok && (list.Match == wire.MatchMostRecent || list.KeysOnly) {
		return false
	}
	return o.Reads.OnTimeout == read.OnTimeoutFallback && r.Freshness == model.Consistent &&
		(!at.WasCurrent() || o.ProgressRequests == progress.Echo)
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
