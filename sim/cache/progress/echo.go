package progress

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// echo asks as conditional does, with a new id in each request. The notification
// with the id of a request that was sent after a read began proves the watch as
// new as the read, so that etcd need not be asked for its revision (the draft of
// 2019, "Potential Future Improvements"). It wants a server that echoes.
type echo struct {
	conditional
	// asked and echoed are the last ids that went out and came back.
	asked, echoed int64
}

// CellEchoed is the last id that came back, and how many went out since.
var CellEchoed = sim.NewCell("cache: echoed progress request")

// echoBits is how much of an id is the number of the request. The rest names the
// cache: others may share the stream, and a notification that answers them
// proves nothing here.
const echoBits = 40

// Reset implements Requester.
func (q *echo) Reset(cfg Config) {
	q.conditional.Reset(cfg)
	q.asked, q.echoed = 0, 0
}

// Run implements Requester.
func (q *echo) Run(env *sim.Env) {
	env.Writes(CellRequester, 0)
	if q.turn(env) {
		q.ask(env)
	}
}

// Fire implements Requester.
func (q *echo) Fire(env *sim.Env) {
	env.Writes(CellRequester, 0)
	if q.tick(env) {
		q.ask(env)
	}
}

func (q *echo) ask(env *sim.Env) {
	env.WritesItem(CellEchoed, 0, sim.NoItem)
	q.asked++
	q.send(env, &wire.ProgressRequest{Metadata: q.cfg.Metadata, ID: int64(env.Self())<<echoBits | q.asked})
}

// Proof implements Requester: the first request that is sent after now.
func (q *echo) Proof(env *sim.Env) int64 {
	env.Reads(CellRequester, 0)
	return q.asked + 1
}

// Proved implements Requester.
func (q *echo) Proved(env *sim.Env, proof int64) bool {
	env.Reads(CellEchoed, 0)
	return proof <= q.echoed
}

// Distance implements Requester.
func (q *echo) Distance(proof int64) int64 { return proof - q.echoed }

// Heard implements Requester.
func (q *echo) Heard(env *sim.Env, id int64) {
	if id>>echoBits == int64(env.Self()) {
		env.Cover(echoed)
		env.Writes(CellEchoed, 0)
		q.echoed = max(q.echoed, id&(1<<echoBits-1))
	}
}

// Clone implements Requester.
func (q *echo) Clone(of Waits) Requester { c := *q; c.cfg.Waits = of; return &c }

// Cells implements Requester.
func (q *echo) Cells(visit sim.CellVisitor) {
	q.conditional.Cells(visit)
	visit(CellEchoed, 0, sim.NewDigest.Int(q.asked-q.echoed))
}

var echoed = sim.NewSituation("cache: progress request echoed")
