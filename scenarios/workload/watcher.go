package workload

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watcher watches one prefix of a cache and records every event. When the
// cache ends the watch it starts again after the last event, a few times.
type Watcher struct {
	name    string
	to      sim.NodeID
	prefix  string
	retries int

	conn     sim.Conn
	position int64
	streams  []Stream
}

// Stream is what came on one watch, from its start to its end.
type Stream struct {
	// From is the resource version after which the watch was asked to start.
	From   int64
	Events []*wire.WatchEvent
}

const rewatch sim.Timer = 0

// Reset prepares the watcher for a run. from is a resource version, or 0 for
// "the present state first".
func (w *Watcher) Reset(name string, to sim.NodeID, prefix string, from int64, retries int) {
	*w = Watcher{name: name, to: to, prefix: prefix, position: from, retries: retries, streams: w.streams[:0]}
}

// Name is the watcher's name.
func (w *Watcher) Name() string { return w.name }

// Streams is what the watcher saw, one entry a watch.
func (w *Watcher) Streams() []Stream { return w.streams }

// Start implements sim.Node.
func (w *Watcher) Start(env *sim.Env) { env.Arm(rewatch, 0) }

// Fire implements sim.Node: a watch begins.
func (w *Watcher) Fire(env *sim.Env, _ sim.Timer) {
	env.Begin("watch", len(w.streams))
	w.streams = append(w.streams, Stream{From: w.position})
	w.conn = env.Open(w.to)
	env.Send(w.conn, &wire.WatchRequest{Prefix: w.prefix, ResourceVersion: w.position, AllowBookmarks: true})
}

// Receive implements sim.Node.
func (w *Watcher) Receive(env *sim.Env, m *sim.Message) {
	if m.Conn != w.conn {
		return
	}
	e, ok := m.Payload.(*wire.WatchEvent)
	if !ok {
		w.again(env)
		return
	}
	s := &w.streams[len(w.streams)-1]
	s.Events = append(s.Events, e)
	if e.Type == wire.Failed {
		if e.Err.Code == wire.ErrCompacted {
			// Too old: only a new list helps, here the present state.
			w.position = 0
		}
		env.Close(w.conn)
		w.again(env)
		return
	}
	w.position = e.ResourceVersion
}

func (w *Watcher) again(env *sim.Env) {
	w.conn = sim.NoConn
	if w.retries > 0 {
		w.retries--
		env.Arm(rewatch, sim.Duration(rewatchDelay))
	}
}

// rewatchDelay is how long a watcher waits before it starts again: client-go's
// reflector backs off by about this much at first.
const rewatchDelay = 800_000_000

// Run implements sim.Node; a watcher has no loops.
func (w *Watcher) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (w *Watcher) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (w *Watcher) TimerName(sim.Timer) string { return "watch " + strconv.Itoa(len(w.streams)) }

// Clone implements sim.Cloner.
func (w *Watcher) Clone() sim.Node {
	d := *w
	d.streams = append([]Stream(nil), w.streams...)
	for i := range d.streams {
		s := &d.streams[i]
		s.Events = s.Events[:len(s.Events):len(s.Events)]
	}
	return &d
}

// Fingerprint implements sim.Fingerprinter.
func (w *Watcher) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(w.position).Int(int64(w.retries)).Int(int64(len(w.streams)))
	for i := range w.streams {
		d = d.Int(w.streams[i].From)
		for _, e := range w.streams[i].Events {
			d = e.Digest(d)
		}
	}
	return d
}
