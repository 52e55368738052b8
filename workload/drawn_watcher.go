package workload

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// DrawnWatcher sends a cache the watches that it draws when it starts, or that are
// planned for it, one after the other. It leaves each after some time, unless the cache ends
// it before.
type DrawnWatcher struct {
	streams
	to   sim.NodeID
	draw DrawWatches
	// await: the client begins when the cache is ready.
	await    bool
	requests []*wire.WatchRequest
}

// DrawWatches makes the requests of choices of the run, as Draw does.
type DrawWatches func(env *sim.Env) []*wire.WatchRequest

// The timers of a DrawnWatcher.
const (
	drawnNext sim.Timer = iota
	drawnLeave
)

// drawnStay is how long the client stays with a watch, in timed runs.
const drawnStay = 3_000_000_000

// Reset prepares the client for a run.
func (w *DrawnWatcher) Reset(name string, to sim.NodeID, await bool, draw DrawWatches) {
	*w = DrawnWatcher{streams: w.reset(name), to: to, await: await, draw: draw}
}

// Asks visits what the client asks, and of which node.
func (w *DrawnWatcher) Asks(visit func(to sim.NodeID, p sim.Payload)) {
	for _, req := range w.draw(nil) {
		visit(w.to, req)
	}
}

// Start implements sim.Node.
func (w *DrawnWatcher) Start(env *sim.Env) {
	if w.requests = w.draw(env); len(w.requests) > 0 {
		w.begin(env)
	}
}

func (w *DrawnWatcher) begin(env *sim.Env) {
	env.Writes(cellOpen, 0)
	if w.await {
		w.conn = env.Call(w.to, &readyz)
		return
	}
	env.Arm(drawnNext, 0)
}

// Fire implements sim.Node.
func (w *DrawnWatcher) Fire(env *sim.Env, t sim.Timer) {
	if t == drawnLeave {
		env.Close(w.conn)
		w.ended(env)
		return
	}
	req := w.requests[len(w.all)]
	w.watch(env, w.to, req, listWatchBegan)
	env.Arm(drawnLeave, drawnStay)
}

// ended plans the next watch, if there is one.
func (w *DrawnWatcher) ended(env *sim.Env) {
	env.Writes(cellOpen, 0)
	env.LooksAt(cellRecord, 0)
	env.Disarm(drawnLeave)
	w.conn = sim.NoConn
	if len(w.all) < len(w.requests) {
		env.Arm(drawnNext, sim.Duration(rewatchDelay))
	}
}

// Receive implements sim.Node.
func (w *DrawnWatcher) Receive(env *sim.Env, m *sim.Message) {
	env.LooksAt(cellOpen, 0)
	if m.Conn != w.conn {
		return
	}
	switch p := m.Payload.(type) {
	case *wire.ReadyzResponse:
		env.Writes(cellOpen, 0)
		w.await = false
		w.begin(env)
	case *wire.WatchEstablished:
		env.Writes(cellRecord, 0)
		w.last().Established = true
		watchEstablished.Say(env)
	case *wire.WatchEvent:
		w.event(env, p)
	default:
		if w.await {
			w.begin(env)
			return
		}
		w.ended(env)
	}
}

func (w *DrawnWatcher) event(env *sim.Env, e *wire.WatchEvent) {
	w.received(env, e)
	if e.Type == wire.Failed {
		env.Close(w.conn)
		w.ended(env)
	}
}

// TimerName implements sim.Node.
func (w *DrawnWatcher) TimerName(t sim.Timer) string {
	if t == drawnLeave {
		return "leave watch " + strconv.Itoa(len(w.all))
	}
	return "watch " + strconv.Itoa(len(w.all)+1)
}

// Clone implements sim.Cloner.
func (w *DrawnWatcher) Clone() sim.Node {
	d := *w
	d.streams = w.clone()
	return &d
}

func (w *DrawnWatcher) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, w) }

// Behaviour implements sim.Recorder. How many watches there were decides which one is next.
func (w *DrawnWatcher) Behaviour(d sim.Digest) sim.Digest {
	return sim.FoldCells(d.Int(int64(len(w.all))), w, cellRecord)
}

// Cells implements sim.Celled.
func (w *DrawnWatcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	plan := sim.NewDigest
	for _, req := range w.requests {
		plan = req.Digest(plan)
	}
	visit(cellPlan, 0, plan)
	visit(cellOpen, 0, sim.NewDigest.Bool(w.await).Bool(w.conn != sim.NoConn))
	visit(cellRecord, 0, w.record())
}
