package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// RevisionOfCount counts the objects of the resource: etcd walks its index over
// all their keys.
var RevisionOfCount = read.RevisionRequests.Register("count-only", "a count of the resource's objects", read.RevisionRequest{
	Make: func(prefix string) *wire.RangeRequest {
		return &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), CountOnly: true}
	},
	Asked: sim.NewSituation("cache: revision read by a count"),
})

// RevisionOfEmptyRange reads a range in which nothing can be: no object has the
// bare prefix for its key. A range cannot be without a limit by mistake if it has
// one.
var RevisionOfEmptyRange = read.RevisionRequests.Register("empty-range", "a range with limit 1 in which no object can be (the draft of 2019)", read.RevisionRequest{
	Make: func(prefix string) *wire.RangeRequest {
		return &wire.RangeRequest{Key: prefix, RangeEnd: prefix + "\x00", Limit: 1}
	},
	Asked: sim.NewSituation("cache: revision read by a range without objects"),
})
