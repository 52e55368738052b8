package progress

import "github.com/watchbed/watchbed/sim"

// once asks once for each read that begins to wait: the alternative that the
// draft of 2019 rejected.
type once struct {
	stream
	// owed is the number of requests still to send.
	owed int
}

// Reset implements Requester.
func (q *once) Reset(cfg Config) {
	q.stream.reset(cfg)
	q.owed = 0
}

// Add implements Requester.
func (q *once) Add(env *sim.Env) {
	q.stream.Add(env)
	q.owed++
	env.Enable(q.cfg.Task)
}

// Run implements Requester.
func (q *once) Run(env *sim.Env) {
	env.Writes(CellRequester, 0)
	q.owed--
	env.Cover(requestedOnce)
	q.send(env, q.request)
	if q.owed > 0 {
		env.Enable(q.cfg.Task)
	}
}

// Fire implements Requester; there is no timer.
func (q *once) Fire(*sim.Env) {}

// Clone implements Requester.
func (q *once) Clone(of Waits) Requester { c := *q; c.cfg.Waits = of; return &c }

// Cells implements Requester.
func (q *once) Cells(visit sim.CellVisitor) {
	visit(CellRequester, 0, q.digest().Int(int64(q.owed)))
}

var requestedOnce = sim.NewSituation("cache: progress requested once for a read")
