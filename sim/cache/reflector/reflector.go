package reflector

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type state uint8

const (
	// gap: between two ListAndWatch, or before the first.
	gap state = iota
	// listing: a page is under way.
	listing
	// streaming: initial events come on the watch.
	streaming
	// watching: the next event has not come yet.
	watching
	// storing: the sink has taken an event in and is not ready for the next one.
	storing
)

// Reflector is client-go's type of that name.
type Reflector struct {
	// cfg is never written to between two resets: clones share it.
	cfg  *Config
	sink Sink
	// first is the request for the first page, the same every time.
	first *wire.RangeRequest

	state state
	// starts counts the ListAndWatch so far. It survives the process, so that the
	// names of what follows differ.
	starts int
	list   list
	watch  watch

	endings endings
	turns   turns
}

// Reset makes the reflector that of another configuration, and keeps its memory.
func (r *Reflector) Reset(cfg Config, sink Sink) {
	r.starts = 0
	r.endings = endings{all: r.endings.all[:0]}
	r.turns = r.turns[:0]
	r.Reconfigure(cfg, sink)
	r.Forget()
}

// Reconfigure gives the reflector other options, before its process is restarted. What it
// has done stays on record.
func (r *Reflector) Reconfigure(cfg Config, sink Sink) {
	if r.cfg == nil || *r.cfg != cfg {
		own := cfg
		r.cfg = &own
		r.first = firstPage(&own)
	}
	r.sink = sink
}

// Forget drops what the process kept in memory.
func (r *Reflector) Forget() {
	r.state = gap
	r.list.reset()
	r.watch = watch{}
	r.turns.forget()
}

// Starts is how often the reflector has begun to list and watch.
func (r *Reflector) Starts() int { return r.starts }

// Pauses reports whether the reflector is between two ListAndWatch.
func (r *Reflector) Pauses() bool { return r.state == gap }

// ListAndWatch begins one turn of wait.Until.
func (r *Reflector) ListAndWatch(env *sim.Env) {
	env.Begin("list and watch", r.starts)
	if r.starts > 0 {
		env.Cover(relisted)
	}
	r.starts++
	r.turns.begin(env)
	r.sink.BeginListAndWatch(env)
	if r.cfg.WatchListClient {
		r.WatchList(env)
	} else {
		r.List(env)
	}
}

// endListAndWatch leaves the gap until the next turn of wait.Until.
func (r *Reflector) endListAndWatch(env *sim.Env) {
	r.list.call, r.watch.conn = sim.NoConn, sim.NoConn
	r.relisted()
	r.turns.end(env)
	r.move(env, gap)
	r.sink.EndListAndWatch(env)
	env.Arm(r.cfg.Relist, r.cfg.RelistDelay)
}

// move changes the state.
func (r *Reflector) move(env *sim.Env, to state) {
	env.Writes(cellState, 0)
	r.state = to
}

// Event takes an event of a watch. It reports false if the watch is not the
// reflector's: a connection keeps its owner, so that depends on no cell.
func (r *Reflector) Event(env *sim.Env, conn sim.Conn, e *wire.WatchEvent) bool {
	if conn != r.watch.conn {
		return false
	}
	env.LooksAt(cellState, 0)
	if r.state == streaming {
		r.initialEvent(env, e)
	} else {
		r.event(env, e)
	}
	return true
}

// Watches reports whether events of a connection are changes and progress: the
// connection is that of the watch, and its initial events are over.
func (r *Reflector) Watches(env *sim.Env, conn sim.Conn) bool {
	env.LooksAt(cellState, 0)
	return conn == r.watch.conn && r.state != streaming
}

// Answer takes the answer to a call. It reports false if the call is not the
// reflector's.
func (r *Reflector) Answer(env *sim.Env, conn sim.Conn, p sim.Payload) bool {
	if conn != r.list.call {
		return false
	}
	env.LooksAt(cellState, 0)
	r.listAnswered(env, p)
	return true
}

// Hangup takes note that a connection has gone. It reports false if it was not
// the reflector's.
func (r *Reflector) Hangup(env *sim.Env, conn sim.Conn) bool {
	switch conn {
	case r.watch.conn:
		env.LooksAt(cellState, 0)
		r.watchClosed(env)
	case r.list.call:
		env.LooksAt(cellState, 0)
		r.listAnswered(env, nil)
	default:
		return false
	}
	return true
}

// Close gives up what is under way.
func (r *Reflector) Close(env *sim.Env) {
	env.Close(r.list.call)
	env.Close(r.watch.conn)
}

// Clone returns a copy that goes its own way and feeds another sink.
func (r *Reflector) Clone(sink Sink) Reflector {
	c := *r
	c.sink = sink
	c.list.items = slices.Clone(r.list.items)
	c.endings.all = slices.Clone(r.endings.all)
	c.turns = slices.Clone(r.turns)
	return c
}

// Conns visits the connections of the list and of the watch.
func (r *Reflector) Conns(visit func(sim.Conn)) {
	visit(r.list.call)
	visit(r.watch.conn)
}

// Cells visits the cells of the reflector.
func (r *Reflector) Cells(visit sim.CellVisitor) {
	visit(cellState, 0, sim.NewDigest.Word(uint64(r.state)).Bool(r.list.call != sim.NoConn).Bool(r.watch.conn != sim.NoConn))
	visit(cellItems, 0, r.list.digest())
	visit(cellPosition, 0, sim.NewDigest.Int(r.watch.position).Bool(r.watch.unavailable))
	visit(cellWatch, 0, r.watch.digest())
}
