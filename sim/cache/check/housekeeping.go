// Package check (unstable) is the housekeeping of a cache with snapshots
// (KEP-4988): what goes on beside reads and watches, and compares the cache
// with etcd.
//
//	checker.go       compares a digest of the cache with one of etcd, now and then, and each answered list (KEP-2340)
//	housekeeping.go  both of them, and what follows the compactions of etcd
//
// The package must never import sim/cache or another package below it but store and traffic.
package check

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Housekeeping is all machines of one cache, with their log.
type Housekeeping struct {
	// cfg is never written to between two resets: clones share it.
	cfg   *Config
	store *store.Store
	// process are the nodes that go down when the cache panics, in the order in
	// which they start again; nil is the cache alone.
	process []sim.NodeID

	compactions state.Var[compactions] `cell:"cache: questions to the compactor"`
	checker     state.Var[checker]     `cell:"cache: consistency checker"`
	// detector is the comparisons under way, log all that began; an item
	// is the number of a comparison, from 1.
	detector state.Var[[]comparison] `cell:"cache: comparisons of lists"`
	log      []Detection

	// began is how many checks began. It survives the process.
	began int
}

var (
	layout  = state.Of[Housekeeping]()
	cellLog = sim.NewCell("cache: log of comparisons")
)

// Reset makes the machines those of another configuration.
func (h *Housekeeping) Reset(cfg Config, s *store.Store, process []sim.NodeID) {
	layout.Reset(h, 0, Housekeeping{cfg: &cfg, store: s, process: process, log: h.log[:0]})
}

// Reconfigure gives the machines other options, before their process is restarted. What
// they have done stays on record, and so do the turns of an untimed run.
func (h *Housekeeping) Reconfigure(cfg Config, process []sim.NodeID) {
	h.cfg, h.process = &cfg, process
}

// Forget drops what the process kept in memory. The turns that are left of an
// untimed run and the log stay.
func (h *Housekeeping) Forget() {
	h.compactions.Value().call = sim.NoConn
	*h.checker.Value() = checker{turns: h.checker.Value().turns}
	*h.detector.Value() = nil
	for i := range h.log {
		if d := &h.log[i]; d.Outcome == Pending {
			d.Outcome = Error
		}
	}
}

// Start begins with the process.
func (h *Housekeeping) Start(env *sim.Env) {
	if h.store.HearsOfCompactions() && h.cfg.Compactor != 0 {
		h.awaitCompaction(env, 0)
	}
	if h.cfg.ConsistencyChecker != ConsistencyCheckerOff {
		h.sleep(env)
	}
}

// Answer takes what came on a connection, or that it is gone. It reports false if
// the connection belongs to none of the machines.
func (h *Housekeeping) Answer(env *sim.Env, conn sim.Conn, p sim.Payload) bool {
	switch conn {
	case h.compactions.Value().call:
		h.compacted(env, p)
		return true
	case h.checker.Value().call:
		h.page(env, p)
		return true
	}
	i := slices.IndexFunc(*h.detector.Value(), func(m comparison) bool { return m.call == conn })
	if i >= 0 {
		h.compared(env, i, p)
	}
	return i >= 0
}

// UnderWay is how many comparisons etcd has not answered yet.
func (h *Housekeeping) UnderWay() int {
	n := len(*h.detector.Value())
	if h.checker.Value().phase == listing {
		n++
	}
	return n
}

// CloneTo makes the machines of another cache, with a store of its own, the copy of these.
func (h *Housekeeping) CloneTo(c *Housekeeping, s *store.Store) {
	layout.CloneTo(c, h)
	c.store, c.log = s, slices.Clone(h.log)
}

// Conns visits the calls of the machines.
func (h *Housekeeping) Conns(visit func(sim.Conn)) { layout.Conns(h, visit) }

// Cells visits the cells of the machines and the log.
func (h *Housekeeping) Cells(visit sim.CellVisitor) {
	layout.Cells(h, visit)
	d := sim.NewDigest.Int(int64(len(h.log)))
	for i := range h.log {
		d = d.Word(uint64(h.log[i].By)<<8 | uint64(h.log[i].Outcome)).Int(h.log[i].ResourceVersion)
	}
	visit(cellLog, 0, d)
}

// By is the machine that makes a comparison.
type By uint8

const (
	// ConsistencyCheck is KEP-4988's periodic one, over all objects.
	ConsistencyCheck By = iota
	// ListDetector is KEP-2340's, over the objects of one answered LIST.
	ListDetector
)

func (b By) String() string {
	return [...]string{"the consistency check", "the inconsistency detector"}[b]
}

// Outcome is how a comparison ended.
type Outcome uint8

const (
	// Pending: etcd has not answered yet.
	Pending Outcome = iota
	// Consistent: the two were the same.
	Consistent
	// Inconsistent: they were not.
	Inconsistent
	// Error: etcd gave no list to compare with, or the process ended.
	Error
)

// Detection is one comparison of what a cache has with what etcd has.
type Detection struct {
	By By
	// Prefix and Limit are those of the list; the checker has no limit.
	Prefix string
	Limit  int64
	// ResourceVersion at which both were listed.
	ResourceVersion int64
	// List is the LIST that was answered, nil for the checker.
	List *wire.ListRequest
	// Items are those of the LIST; the checker looks at everything that the
	// cache has.
	Items   []*wire.KeyValue
	Outcome Outcome
}

// Log is all comparisons since the run began, in the order in which the cache's
// side was taken; those of processes that have crashed too. They must not be changed.
func (h *Housekeeping) Log() []Detection { return h.log }

// begin adds a comparison to the log and returns its number.
func (h *Housekeeping) begin(env *sim.Env, d Detection) int {
	h.log = append(h.log, d)
	env.WriteItem(cellLog, 0, int64(len(h.log)))
	return len(h.log) - 1
}

// end says how a comparison ended.
func (h *Housekeeping) end(env *sim.Env, n int, o Outcome) {
	env.WriteItem(cellLog, 0, int64(n+1))
	h.log[n].Outcome = o
}

// compactions is upstream's compactor of the cacher: it keeps the cache from
// serving history that etcd has compacted (KEP-4988, "Watch cache compaction").
// Snapshots are dropped, and the history of events if the option watch-history says so:
// otherwise watches still start in what etcd no longer has.
type compactions struct {
	// turns counts the polls of an untimed run. It survives the process.
	turns int
	call  sim.Conn
}

// awaitCompaction waits for a compaction above the revision that the cache knows: a question stays with the compactor
// until there is one, or is answered at once, whatever there is.
func (h *Housekeeping) awaitCompaction(env *sim.Env, known int64) {
	switch h.cfg.CompactionNotice {
	case CompactionPushed:
		h.ask(env, known)
	case CompactionPolled:
		if env.Mode() != sim.Timed {
			c := h.compactions.Change(env)
			if c.turns == h.cfg.UntimedTurns {
				return
			}
			c.turns++
		}
		env.Arm(h.cfg.CompactionTimer, h.cfg.CompactionPollPeriod)
	}
}

// Poll is a turn of the poll.
func (h *Housekeeping) Poll(env *sim.Env) { h.ask(env, -1) }

// ask asks the compactor for a compaction above a revision: the answer comes when
// there is one, at once if above is negative.
func (h *Housekeeping) ask(env *sim.Env, above int64) {
	h.compactions.Change(env).call = env.Call(h.cfg.Compactor, &wire.CompactRevisionRequest{Above: above})
}

// compacted is compactIfNeeded.
func (h *Housekeeping) compacted(env *sim.Env, p sim.Payload) {
	h.compactions.Look(env)
	h.compactions.Change(env).call = sim.NoConn
	answer, ok := p.(*wire.CompactRevisionResponse)
	if !ok {
		// The compactor went away. It is a part of the same process, which is
		// about to start again.
		return
	}
	if h.store.Compact(env, answer.Revision) {
		compacted.Say(env, answer.Revision)
	}
	h.awaitCompaction(env, h.store.CompactRevision())
}
