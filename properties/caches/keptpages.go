package caches

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
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
func (p *promise) ofRest(at *moments.Call) (wire.Origin, bool) {
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
	before := &p.moments.Operations(at.Client)[at.Number-1]
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
func (p *promise) newerThan(page *cutPage, next *workload.Span, at *moments.Call) (mayBe, are int, again bool) {
	for i, c := range p.system.Clients() {
		for n := range c.Operations() {
			other := pageOf(c, n)
			if other == nil || p.moments.Operations(i)[n].Cache != at.Cache || i == at.Client && n == at.Number-1 {
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
