package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// CurrentRevision is the value of the option current-revision.
type CurrentRevision uint8

// RevisionRequest is a question for etcd's revision: a range that is not expected
// to return data. What it costs etcd differs.
type RevisionRequest struct {
	Make func(prefix string) *wire.RangeRequest
	// Asked counts the questions.
	Asked sim.Situation
}

// RevisionRequests is the seam of the question for etcd's revision.
var RevisionRequests = option.NewSeam[CurrentRevision, RevisionRequest]("current-revision", "which request reads etcd's current revision").
	Shipped("prefix-key", "a GET of the resource's bare prefix, which is no object's key: as shipped", RevisionRequest{
		Make:  func(prefix string) *wire.RangeRequest { return &wire.RangeRequest{Key: prefix} },
		Asked: sim.NewSituation("cache: revision read by a key"),
	})

// A count of the objects of the resource makes etcd walk its index over all their keys.
var _ = RevisionRequests.Register("count-only", "a count of the resource's objects", RevisionRequest{
	Make: func(prefix string) *wire.RangeRequest {
		return &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), CountOnly: true}
	},
	Asked: sim.NewSituation("cache: revision read by a count"),
})

// In the empty range nothing can be: no object has the bare prefix for its key. A range cannot be without a limit by
// mistake if it has one.
var _ = RevisionRequests.Register("empty-range", "a range with limit 1 in which no object can be (the draft of 2019)", RevisionRequest{
	Make: func(prefix string) *wire.RangeRequest {
		return &wire.RangeRequest{Key: prefix, RangeEnd: prefix + "\x00", Limit: 1}
	},
	Asked: sim.NewSituation("cache: revision read by a range without objects"),
})

// FireAccumulate is the timer Numbers.Accumulate going off. Each read that was gathered came before the question, so the
// answer is not older than any.
func (d *Delegator) FireAccumulate(env *sim.Env) {
	env.Reads(cellGathered, 0)
	env.Writes(cellGathered, 0)
	call := d.callRevision(env)
	sharing := 0
	for _, r := range d.reads {
		if r.state == gathered {
			env.Writes(cellWait, r.number)
			r.state, r.call = asking, call
			sharing++
		}
	}
	if sharing > 1 {
		env.Cover(revisionShared)
	}
}

// swap keeps the revision that etcd answered to one read for the next one. etcd is asked all the same, so that the
// question takes as long.
func swap(env *sim.Env, cell sim.CellKind, last *int64, revision int64) int64 {
	env.Reads(cell, 0)
	env.Writes(cell, 0)
	kept := *last
	*last = revision
	if kept == 0 || kept == revision {
		return revision
	}
	if env.Noting() {
		env.Note(otherReader.At(kept))
	}
	return kept
}
