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
	name string
	to   sim.NodeID
	draw DrawWatches
	// await: the client begins when the cache is ready.
	await bool

	requests []*wire.WatchRequest
	conn     sim.Conn
	streams  []ListStream
}

// DrawWatches makes the requests of choices of the run.
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
	*w = DrawnWatcher{name: name, to: to, await: await, draw: draw, streams: w.streams[:0]}
}

// Name is the client's name.
func (w *DrawnWatcher) Name() string { return w.name }

// Streams is what came, one entry a watch. The end of initial events is where a bookmark
// says so.
func (w *DrawnWatcher) Streams() []ListStream { return w.streams }

// Watching reports whether the last of its watches is open.
func (w *DrawnWatcher) Watching() bool { return len(w.streams) > 0 && w.conn != sim.NoConn }

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
	env.Writes(cellOpen, 0)
	if t == drawnLeave {
		env.Close(w.conn)
		w.ended(env)
		return
	}
	env.Writes(cellRecord, 0)
	env.Begin("watch", len(w.streams))
	req := w.requests[len(w.streams)]
	if env.Noting() {
		env.Note(listWatchBegan{req})
	}
	w.streams = append(w.streams, ListStream{Request: req, To: w.to, End: -1, Began: env.Now(), Phase: env.Phase()})
	w.conn = env.Open(w.to)
	env.Send(w.conn, req)
	env.Arm(drawnLeave, drawnStay)
}

// ended plans the next watch, if there is one.
func (w *DrawnWatcher) ended(env *sim.Env) {
	env.Writes(cellOpen, 0)
	env.LooksAt(cellRecord, 0)
	env.Disarm(drawnLeave)
	w.conn = sim.NoConn
	if len(w.streams) < len(w.requests) {
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
		w.streams[len(w.streams)-1].Established = true
		if env.Noting() {
			env.Note(watchEstablished{})
		}
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
	env.Writes(cellRecord, 0)
	s := &w.streams[len(w.streams)-1]
	s.Events = append(s.Events, e)
	if env.Noting() {
		env.Note(eventReceived{e})
	}
	if e.InitialEventsEnd && s.End < 0 {
		s.End, s.Ended = len(s.Events)-1, env.Now()
	}
	if e.Type == wire.Failed {
		env.Close(w.conn)
		w.ended(env)
	}
}

// Run implements sim.Node; the client has no loops.
func (w *DrawnWatcher) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (w *DrawnWatcher) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (w *DrawnWatcher) TimerName(t sim.Timer) string {
	if t == drawnLeave {
		return "leave watch " + strconv.Itoa(len(w.streams))
	}
	return "watch " + strconv.Itoa(len(w.streams)+1)
}

// Clone implements sim.Cloner.
func (w *DrawnWatcher) Clone() sim.Node {
	d := *w
	d.streams = append([]ListStream(nil), w.streams...)
	for i := range d.streams {
		s := &d.streams[i]
		s.Events = s.Events[:len(s.Events):len(s.Events)]
	}
	return &d
}

// Fingerprint implements sim.Fingerprinter.
func (w *DrawnWatcher) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, w) }

// Behaviour implements sim.Recorder. How many watches there were decides which one is next.
func (w *DrawnWatcher) Behaviour(d sim.Digest) sim.Digest {
	return sim.FoldCellsBut(d.Int(int64(len(w.streams))), w, cellRecord)
}

// Cells implements sim.Celled.
func (w *DrawnWatcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	plan, record := sim.NewDigest, sim.NewDigest
	for _, req := range w.requests {
		plan = req.Digest(plan)
	}
	for i := range w.streams {
		s := &w.streams[i]
		record = record.Int(int64(s.End)).Int(int64(len(s.Events)))
		if s.Established {
			record = record.Text("established")
		}
		for _, e := range s.Events {
			record = e.Digest(record)
		}
	}
	visit(cellPlan, 0, plan)
	visit(cellOpen, 0, sim.NewDigest.Bool(w.await).Bool(w.conn != sim.NoConn))
	visit(cellRecord, 0, record)
}
