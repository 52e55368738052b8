package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// Housekeeping is all machines of one cache, with their log.
type Housekeeping struct {
	Compactions Compactions
	Checker     Checker
	Detector    Detector
	Log         Log
}

// Reset makes the machines those of another configuration, and keeps their memory.
// process are the nodes that go down when the cache panics, in the order in which
// they start again; nil is the cache alone.
func (h *Housekeeping) Reset(cfg Config, process []sim.NodeID) {
	own := h.Checker.cfg
	if own == nil || *own != cfg {
		c := cfg
		own = &c
	}
	*h = Housekeeping{
		Compactions: Compactions{cfg: own},
		Checker:     Checker{cfg: own, process: process},
		Detector:    Detector{cfg: own, running: h.Detector.running[:0]},
		Log:         Log{h.Log.all[:0]},
	}
}

// Reconfigure gives the machines other options, before their process is restarted. What
// they have done stays on record, and so do the turns of an untimed run.
func (h *Housekeeping) Reconfigure(cfg Config, process []sim.NodeID) {
	before := *h
	h.Reset(cfg, process)
	h.Log = before.Log
	h.Compactions.turns = before.Compactions.turns
	h.Checker.turns, h.Checker.checks = before.Checker.turns, before.Checker.checks
}

// Forget drops what the process kept in memory. The turns that are left of an
// untimed run and the log stay.
func (h *Housekeeping) Forget() {
	h.Compactions.call = sim.NoConn
	k := &h.Checker
	*k = Checker{cfg: k.cfg, process: k.process, turns: k.turns, checks: k.checks}
	h.Detector.running = h.Detector.running[:0]
	h.Log.abandon()
}

// Start begins with the process.
func (h *Housekeeping) Start(env *sim.Env, s *store.Store) {
	h.Compactions.start(env, s)
	h.Checker.start(env)
}

// Answer takes what came on a connection, or that it is gone. It reports false if
// the connection belongs to none of the machines.
func (h *Housekeeping) Answer(env *sim.Env, conn sim.Conn, p sim.Payload, s *store.Store) bool {
	return h.Compactions.answer(env, conn, p, s) ||
		h.Checker.answer(env, conn, p, s, &h.Log) ||
		h.Detector.answer(env, conn, p, &h.Log)
}

// UnderWay is how many comparisons etcd has not answered yet.
func (h *Housekeeping) UnderWay() int {
	n := len(h.Detector.running)
	if h.Checker.state == Listing {
		n++
	}
	return n
}

// Clone returns a copy that goes its own way.
func (h *Housekeeping) Clone() Housekeeping {
	c := *h
	c.Detector.running = slices.Clone(h.Detector.running)
	c.Log = h.Log.clone()
	return c
}

// Conns visits the calls of the machines.
func (h *Housekeeping) Conns(visit func(sim.Conn)) {
	visit(h.Compactions.call)
	visit(h.Checker.call)
	for i := range h.Detector.running {
		visit(h.Detector.running[i].call)
	}
}

// Cells visits the cells of the machines and the log.
func (h *Housekeeping) Cells(visit sim.CellVisitor) {
	visit(cellCompactions, 0, h.Compactions.digest())
	visit(cellChecker, 0, h.Checker.digest())
	visit(cellDetector, 0, h.Detector.digest())
	visit(cellLog, 0, h.Log.digest())
}
