package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
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

// AskRevision asks etcd for its revision on behalf of the read
// (getCurrentResourceVersionFromStorage).
func (r *Read) AskRevision(env *sim.Env) {
	r.asks(env, r.d.requestRevision(env))
}

func (d *Delegator) requestRevision(env *sim.Env) sim.Conn {
	env.Cover(d.rules.revision.Asked)
	traffic.Asked(env, traffic.CurrentRevision)
	return env.Call(d.cfg.KV, d.revisionRequest)
}

func (r *Read) asks(env *sim.Env, call sim.Conn) {
	env.Writes(cellWait, r.number)
	r.state, r.call = asking, call
}

// revisionKnown is what a read does with etcd's revision.
func (r *Read) revisionKnown(env *sim.Env, revision int64) {
	if env.Noting() {
		env.Note(heard{revision})
	}
	r.measureLag(env, revision)
	if r.watch != nil {
		r.watchRevisionKnown(env, r.d.rules.watchRevision.Known(env, revision))
		return
	}
	revision = r.d.rules.revisionSource.Known(env, revision)
	switch {
	case r.exact == 0:
		r.WaitUntilFresh(env, revision)
	case r.exact > revision:
		env.Cover(futureUnknown)
		r.finish(env, tooLarge)
	default:
		r.WaitUntilFresh(env, r.exact)
	}
}

// RevisionSharing is the value of the option revision-sharing.
type RevisionSharing uint8

// Sharing asks etcd for its revision on behalf of reads.
type Sharing interface {
	// Ask is called for each read that needs the revision, Fire when the timer
	// Numbers.Accumulate goes off.
	Ask(env *sim.Env, r *Read)
	Fire(env *sim.Env, d *Delegator)
}

// RevisionSharings is the seam of which reads share one answer of etcd.
var RevisionSharings = option.NewSeam[RevisionSharing, Sharing]("revision-sharing", "which reads share one read of etcd's revision").
	Shipped("each", "none", each{})

// RevisionAccumulated is the other value of revision-sharing.
var RevisionAccumulated = RevisionSharings.Register("accumulated", "those that come within 10 ms (the draft of 2019, Potential Future Improvements)", accumulated{})

// each asks once for each read.
type each struct{}

// Ask implements Sharing.
func (each) Ask(env *sim.Env, r *Read) { r.AskRevision(env) }

// Fire implements Sharing; there is no timer.
func (each) Fire(*sim.Env, *Delegator) {}

// accumulated gathers reads for Limits.AccumulatePeriod, and then asks once for
// all of them (the draft of 2019, "Potential Future Improvements").
type accumulated struct{}

// Ask implements Sharing.
func (accumulated) Ask(env *sim.Env, r *Read) {
	env.Writes(cellWait, r.number)
	env.Writes(cellGathered, 0)
	r.state = gathered
	if timer := r.d.cfg.Accumulate; !env.Armed(timer) {
		env.Arm(timer, r.d.cfg.AccumulatePeriod)
	}
}

// Fire implements Sharing. Each read came before the question, so the answer is
// not older than any.
func (accumulated) Fire(env *sim.Env, d *Delegator) {
	env.Reads(cellGathered, 0)
	env.Writes(cellGathered, 0)
	call := d.requestRevision(env)
	sharing := 0
	for _, r := range d.reads {
		if r.state == gathered {
			r.asks(env, call)
			sharing++
		}
	}
	if sharing > 1 {
		env.Cover(revisionShared)
	}
}

// cellGathered is which reads are to share the next question.
var cellGathered = sim.NewCell("cache: gathered reads")

// CurrentRV is the value of the option current-rv.
type CurrentRV uint8

// RevisionSource says which revision a consistent LIST waits for, or a watch that is to
// begin with the newest state.
type RevisionSource interface {
	Reset()
	// Known takes what etcd answered to the read and returns what it waits for.
	Known(env *sim.Env, revision int64) int64
	Clone() RevisionSource
	Cells(visit sim.CellVisitor)
}

// RevisionSources is the seam of which revision a consistent LIST waits for.
var RevisionSources = option.NewSeam[CurrentRV, func() RevisionSource]("current-rv", "which revision a consistent LIST waits for").
	Shipped("own", "the one that etcd answered to itself", func() RevisionSource { return ownRevision{} })

// WatchRV is the value of the option watch-rv.
type WatchRV uint8

// WatchRevisionSources is the seam of which revision a watch waits for that is to begin with
// the newest state.
var WatchRevisionSources = option.NewSeam[WatchRV, func() RevisionSource]("watch-rv", "which revision a watch waits for that is to begin with the newest state").
	Shipped("own", "the one that etcd answered to itself", func() RevisionSource { return ownRevision{} })

type ownRevision struct{}

// Reset implements RevisionSource.
func (ownRevision) Reset() {}

// Known implements RevisionSource.
func (ownRevision) Known(_ *sim.Env, revision int64) int64 { return revision }

// Clone implements RevisionSource.
func (ownRevision) Clone() RevisionSource { return ownRevision{} }

// Cells implements RevisionSource.
func (ownRevision) Cells(sim.CellVisitor) {}
