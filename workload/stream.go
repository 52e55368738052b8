package workload

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Stream is what came on one watch of a cache, from its start to its end.
type Stream struct {
	Request *wire.WatchRequest
	// To is the cache, and Conn the connection to it.
	To     sim.NodeID
	Conn   sim.Conn
	Events []*wire.WatchEvent
	// End is the place of the bookmark that ends the initial events, -1 while there
	// is none. A stream that resumes another one has none.
	End int
	// Began and Ended are the times of the request and of the end of the initial
	// events, when timed.
	Began, Ended sim.Time
	// Phase is that of the request.
	Phase sim.Phase
	// Listed: the watch begins with what is listed, by initial events or by a LIST before it.
	Listed bool
	// Established: the client was told that the watch is. Only watches with
	// WatchRequest.Announce are told so.
	Established bool
	// HungUp: the cache ended the watch without an error.
	HungUp bool
}

// IsList reports whether the stream was to begin with initial events.
func (s *Stream) IsList() bool { return s.Request.SendInitialEvents == wire.SendInitialEventsTrue }

// streams is what all clients that watch caches have: a connection, and a record of what came
// on each of their watches.
type streams struct {
	sim.Idle
	name string
	conn sim.Conn
	all  []Stream
}

// reset is a record without streams, in the memory of this one.
func (w *streams) reset(name string) streams { return streams{name: name, all: w.all[:0]} }

// Name is the client's name.
func (w *streams) Name() string { return w.name }

// Streams is what came, one entry a watch.
func (w *streams) Streams() []Stream { return w.all }

// Watching reports whether the last of Streams is open.
func (w *streams) Watching() bool { return len(w.all) > 0 && w.conn != sim.NoConn }

// Conn is the connection that the client has, sim.NoConn if it has none.
func (w *streams) Conn() sim.Conn { return w.conn }

func (w *streams) last() *Stream { return &w.all[len(w.all)-1] }

// watch requests a watch.
func (w *streams) watch(env *sim.Env, to sim.NodeID, req *wire.WatchRequest, began *sim.Note2[int64, *wire.WatchRequest]) *Stream {
	env.Write(cellOpen, 0)
	env.Write(cellRecord, 0)
	env.Begin("watch", len(w.all))
	began.Say(env, req.ResourceVersion, req)
	w.all = append(w.all, Stream{Request: req, To: to, End: -1, Began: env.Now(), Phase: env.Phase()})
	s := w.last()
	s.Listed = s.IsList()
	w.conn = env.Open(to)
	s.Conn = w.conn
	env.Send(w.conn, req)
	return s
}

// received records an event of the last stream. It reports whether the event ends the initial ones.
func (w *streams) received(env *sim.Env, e *wire.WatchEvent) (endsInitial bool) {
	env.Write(cellRecord, 0)
	s := w.last()
	s.Events = append(s.Events, e)
	eventReceived.Say(env, event{e})
	if !e.InitialEventsEnd || s.End >= 0 {
		return false
	}
	s.End, s.Ended = len(s.Events)-1, env.Now()
	return true
}

// clone is a copy that shares no memory that either appends to.
func (w streams) clone() streams {
	w.all = slices.Clone(w.all)
	for i := range w.all {
		w.all[i].Events = slices.Clip(w.all[i].Events)
	}
	return w
}

// record is the digest of what properties look at.
func (w *streams) record() sim.Digest {
	d := sim.NewDigest
	for i := range w.all {
		s := &w.all[i]
		d = s.Request.Digest(d).Int(int64(s.End)).Bool(s.Established)
		if s.IsList() {
			d = d.Int(int64(s.Ended - s.Began))
		}
		for _, e := range s.Events {
			d = e.Digest(d)
		}
	}
	return d
}

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

// VisitAsked visits what the client asks, and of which node.
func (w *DrawnWatcher) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) {
	for _, req := range w.draw(nil) {
		visit(w.to, req)
	}
}

func (w *DrawnWatcher) Start(env *sim.Env) {
	if w.requests = w.draw(env); len(w.requests) > 0 {
		w.begin(env)
	}
}

func (w *DrawnWatcher) begin(env *sim.Env) {
	env.Write(cellOpen, 0)
	if w.await {
		w.conn = env.Call(w.to, &readyz)
		return
	}
	env.Arm(drawnNext, 0)
}

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
	env.Write(cellOpen, 0)
	env.LookAt(cellRecord, 0)
	env.Disarm(drawnLeave)
	w.conn = sim.NoConn
	if len(w.all) < len(w.requests) {
		env.Arm(drawnNext, sim.Duration(rewatchDelay))
	}
}

func (w *DrawnWatcher) Receive(env *sim.Env, m *sim.Message) {
	env.LookAt(cellOpen, 0)
	if m.Conn != w.conn {
		return
	}
	switch p := m.Payload.(type) {
	case *wire.ReadyzResponse:
		env.Write(cellOpen, 0)
		w.await = false
		w.begin(env)
	case *wire.WatchEstablished:
		env.Write(cellRecord, 0)
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

func (w *DrawnWatcher) TimerName(t sim.Timer) string {
	if t == drawnLeave {
		return "leave watch " + strconv.Itoa(len(w.all))
	}
	return "watch " + strconv.Itoa(len(w.all)+1)
}

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

func (w *DrawnWatcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	plan := sim.NewDigest
	for _, req := range w.requests {
		plan = req.Digest(plan)
	}
	visit(cellPlan, 0, plan)
	visit(cellOpen, 0, sim.NewDigest.Bool(w.await).Bool(w.conn != sim.NoConn))
	visit(cellRecord, 0, w.record())
}
