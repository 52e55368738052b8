package progress

import "github.com/watchbed/watchbed/sim"

// notify never asks: etcd sends progress by itself, at its configured interval
// (WithProgressNotify, the draft of 2019).
type notify struct{ stream }

// Reset implements Requester.
func (q *notify) Reset(cfg Config) { q.stream.reset(cfg) }

// Run implements Requester; the loop is never enabled.
func (q *notify) Run(*sim.Env) {}

// Fire implements Requester; there is no timer.
func (q *notify) Fire(*sim.Env) {}

// Clone implements Requester.
func (q *notify) Clone(of Waits) Requester { c := *q; c.cfg.Waits = of; return &c }

// Cells implements Requester.
func (q *notify) Cells(visit sim.CellVisitor) { visit(CellRequester, 0, q.digest()) }
