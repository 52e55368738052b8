// Package reflector (unstable) is client-go's Reflector as the cacher runs it: it lists the objects
// of a resource in etcd, page by page, replaces the contents of the cache with them, and watches
// from there. When the watch ends it watches again or starts over.
//
//	Reflector   the machine, from one ListAndWatch to the next
//	Sink        the cache that it feeds
//
// The package must never import sim/cache or another package below it but
// traffic: the Sink decides what becomes of the objects.
package reflector

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a reflector is made of.
type Config struct {
	// KV is the node for lists, Watch the node for watches.
	KV, Watch sim.NodeID
	// Prefix of the resource's keys, which ends in "/".
	Prefix string
	// Metadata names the gRPC stream of the watch.
	Metadata string
	// Announce: the watch says on which stream it is (wire.StreamOpened).
	Announce bool
	// PageSize is how many objects a page of a list has.
	PageSize int
	// RelistDelay is the time between the end of one ListAndWatch and the start
	// of the next.
	RelistDelay sim.Duration
	// WatchListClient: a ListAndWatch begins with a watch with initial events, and lists only if that fails.
	WatchListClient bool
	// WithoutPrevKV: the watch asks for no previous values.
	WithoutPrevKV bool
	// RelistsOnError: no error of the watch is borne.
	RelistsOnError bool
	// Relist is the timer between two ListAndWatch.
	Relist sim.Timer
}

// Sink is the cache that a reflector feeds.
type Sink interface {
	// BeginListAndWatch runs before each ListAndWatch.
	BeginListAndWatch(env *sim.Env)
	// Replace makes a list the contents. Of initial, nil if it is not known, most of it may be.
	Replace(env *sim.Env, items []*wire.KeyValue, initial *wire.Initial, resourceVersion int64)
	// Event takes in a change, or a progress notification, which is a bookmark.
	// The reflector takes nothing else from the watch until the sink calls Next.
	// Event reports false if the sink is locked and has not taken the event.
	Event(env *sim.Env, e *wire.WatchEvent) bool
	// EndListAndWatch runs when a ListAndWatch has ended.
	EndListAndWatch(env *sim.Env)
}

// Reflector is client-go's type of that name.
type Reflector struct {
	// cfg is never written to between two resets: clones share it.
	cfg  *Config
	sink Sink
	// first is the request for the first page, the same every time.
	first *wire.RangeRequest

	turn     state.Var[turn]     `cell:"cache: reflector"`
	list     state.Var[list]     `cell:"cache: list of the reflector"`
	position state.Var[position] `cell:"cache: position of the reflector"`
	watch    state.Var[watch]    `cell:"cache: watch of the reflector"`

	// starts counts the ListAndWatch so far. It survives the process, so that the
	// names of what follows differ.
	starts int
	record
}

var layout = state.Of[Reflector]()

// turn is where the machine is, and what it has under way.
type turn struct {
	at phase
	// page is the call for a page, watch the watch.
	page, watch sim.Conn
}

type phase uint8

const (
	// gap: between two ListAndWatch, or before the first.
	gap phase = iota
	// listing: a page is under way.
	listing
	// streaming: initial events come on the watch.
	streaming
	// watching: the next event has not come yet.
	watching
	// storing: the sink has taken an event in and is not ready for the next one.
	storing
)

// Reset makes the reflector that of another configuration, and keeps its memory.
func (r *Reflector) Reset(cfg Config, sink Sink) {
	items := r.list.Value().items
	layout.Reset(r, 0, Reflector{cfg: r.cfg, first: r.first, record: record{endings: r.endings[:0], turns: r.turns[:0]}})
	r.list.Value().items = items
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
	*r.turn.Value(), *r.position.Value(), *r.watch.Value() = turn{}, position{}, watch{}
	r.list.Value().reset()
	r.forget()
}

// Starts is how often the reflector has begun to list and watch.
func (r *Reflector) Starts() int { return r.starts }

// Pauses reports whether the reflector is between two ListAndWatch.
func (r *Reflector) Pauses() bool { return r.turn.Value().at == gap }

// ListAndWatch begins one turn of wait.Until.
func (r *Reflector) ListAndWatch(env *sim.Env) {
	env.Begin("list and watch", r.starts)
	if r.starts > 0 {
		env.Cover(relisted)
	}
	r.starts++
	r.began(env)
	r.sink.BeginListAndWatch(env)
	if r.cfg.WatchListClient {
		r.watchList(env)
	} else {
		r.listFrom(env, r.first)
	}
}

// endListAndWatch leaves the gap until the next turn of wait.Until.
func (r *Reflector) endListAndWatch(env *sim.Env) {
	r.over(env, r.turn.Value().at >= watching)
	*r.turn.Change(env) = turn{}
	r.sink.EndListAndWatch(env)
	env.Arm(r.cfg.Relist, r.cfg.RelistDelay)
}

// Event takes an event of a watch. It reports false if the watch is not the
// reflector's: a connection keeps its owner, so that depends on no cell.
func (r *Reflector) Event(env *sim.Env, conn sim.Conn, e *wire.WatchEvent) bool {
	if conn != r.turn.Value().watch {
		return false
	}
	if r.turn.Look(env).at == streaming {
		r.initialEvent(env, e)
	} else {
		r.event(env, e)
	}
	return true
}

// Watches reports whether events of a connection are changes and progress: the
// connection is that of the watch, and its initial events are over.
func (r *Reflector) Watches(env *sim.Env, conn sim.Conn) bool {
	t := r.turn.Look(env)
	return conn == t.watch && t.at != streaming
}

// Answer takes the answer to a call. It reports false if the call is not the
// reflector's.
func (r *Reflector) Answer(env *sim.Env, conn sim.Conn, p sim.Payload) bool {
	if conn != r.turn.Value().page {
		return false
	}
	r.turn.Look(env)
	r.listAnswered(env, p)
	return true
}

// Hangup takes note that a connection has gone. It reports false if it was not
// the reflector's.
func (r *Reflector) Hangup(env *sim.Env, conn sim.Conn) bool {
	if conn != r.turn.Value().watch {
		return r.Answer(env, conn, nil)
	}
	r.turn.Look(env)
	r.watchClosed(env)
	return true
}

// Close gives up what is under way.
func (r *Reflector) Close(env *sim.Env) {
	env.Close(r.turn.Value().page)
	env.Close(r.turn.Value().watch)
}

// CloneTo makes another reflector, which feeds another sink, the copy of this one.
func (r *Reflector) CloneTo(c *Reflector, sink Sink) {
	layout.CloneTo(c, r)
	c.sink = sink
	c.endings, c.turns = slices.Clone(r.endings), slices.Clone(r.turns)
}

// Conns visits the connections of the list and of the watch.
func (r *Reflector) Conns(visit func(sim.Conn)) { layout.Conns(r, visit) }

// Cells visits the cells of the reflector.
func (r *Reflector) Cells(visit sim.CellVisitor) { layout.Cells(r, visit) }

// Ending is the end of a watch of etcd, and what the reflector did then.
type Ending struct {
	// Began and Over are when the watch was requested and when it ended, Events how many
	// events and notifications came.
	Began, Over sim.Time
	Events      int
	// Err is the error that ended it, nil if it closed without one.
	Err *wire.Error
	// Reached is the resourceVersion of the list, event or bookmark that came last, Next where the watch begins that
	// resumes it, wire.Unset if none does.
	Reached, Next int64
	// First: no watch has ended with another error than a compaction since the list.
	First bool
	// Relisted: the reflector lists again. Otherwise it watches again.
	Relisted bool
}

// Turn is one ListAndWatch in a timed run.
type Turn struct {
	Began, Over sim.Time
	// Ended is false while it goes on, and for the last turn of a process or of a cache
	// that was replaced: the next one does not wait for it.
	Ended bool
}

// record is what properties judge. The reflector does not read it, so it is part of no cell.
type record struct {
	endings []Ending
	turns   []Turn
	// events came on the present watch. resumes: the last watch of this list has ended.
	events  int
	resumes bool
	// failed: a watch has ended with an error since the list.
	failed bool
}

// Endings are those of all watches after a list, since the run began. They must not be changed.
func (r *record) Endings() []Ending { return r.endings }

// Turns are all since the run began. They must not be changed.
func (r *record) Turns() []Turn { return r.turns }

// noteStart notes where a watch begins.
func (r *record) noteStart(at int64) {
	if r.resumes {
		r.endings[len(r.endings)-1].Next, r.resumes = at, false
	}
}

func (r *record) began(env *sim.Env) {
	if env.Mode() == sim.Timed {
		r.turns = append(r.turns, Turn{Began: env.Now()})
	}
}

// over notes the end of a ListAndWatch, of which the last watch may be known to have ended.
func (r *record) over(env *sim.Env, watched bool) {
	if n := len(r.endings); n > 0 && watched {
		r.endings[n-1].Relisted = true
	}
	if n := len(r.turns); n > 0 {
		r.turns[n-1].Over, r.turns[n-1].Ended = env.Now(), true
	}
}

// forget is called when what comes next does not follow the last turn.
func (r *record) forget() {
	if n := len(r.turns); n > 0 {
		r.turns[n-1].Ended = false
	}
}

// ended notes the end of the present watch.
func (r *record) ended(env *sim.Env, of *watch, err *wire.Error) {
	r.endings = append(r.endings, Ending{Began: of.began, Over: env.Now(), Events: r.events, Reached: of.reached, Next: wire.Unset, Err: err, First: !r.failed})
	r.resumes = true
	r.failed = r.failed || err != nil && err.Code != wire.ErrCompacted
}
