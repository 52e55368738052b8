package etcd3

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a Watcher is made of.
type Config struct {
	Options
	// StartWatchingTask and ProcessEventsTask number the tasks of the watches.
	StartWatchingTask, ProcessEventsTask clientv3.Series
	// DecodeTask and DecodeTimer number the first of the Decodes tasks and timers of each
	// watch.
	DecodeTask, DecodeTimer clientv3.Series
}

// Watcher is etcd3's watcher with all its watches. It is the subscriber of its
// client library.
type Watcher struct {
	cfg     Config
	client  *clientv3.Client
	watches state.Places[watchChan] `cell:"etcd3: watches" free:"counted"`
	// unsupported is that etcd was found not to know RangeStream.
	unsupported state.Var[unsupported] `cell:"etcd3: RangeStream is not supported"`
	// decodeFailures is how many decodes may still fail.
	decodeFailures state.Var[int]             `cell:"etcd3: decodes that may fail"`
	lists          state.Places[streamedList] `cell:"etcd3: lists" free:"counted"`
	// results is memory for events to come. Events from one block of memory save an
	// allocation for each.
	results arena.Arena[wire.WatchEvent]
}

var _ clientv3.Subscriber = (*Watcher)(nil)

var layout = state.Of[Watcher]()

// Cells lists the cells as sim.Celled does.
func (c *Watcher) Cells(visit sim.CellVisitor) { layout.Cells(c, visit) }

// Conns visits the connections of watches and of lists, by place, as sim.Connected does.
func (c *Watcher) Conns(visit func(sim.Conn)) { layout.Conns(c, visit) }

// Reset makes the watcher a new one for another run, and keeps its memory. Events
// of the run before are overwritten, but for what a clone shares.
func (c *Watcher) Reset(cfg Config, client *clientv3.Client) {
	c.client = client
	c.Reconfigure(cfg)
	c.results.Rewind()
	layout.Name(c, 0)
	*c.decodeFailures.Value() = cfg.DecodeFailures
	c.Restart()
}

// Reconfigure gives the watcher other options, before its process is restarted.
func (c *Watcher) Reconfigure(cfg Config) {
	cfg.setDefaults()
	c.cfg = cfg
}

// Restart forgets all watches: the process is a new one.
func (c *Watcher) Restart() {
	failures := *c.decodeFailures.Value()
	layout.Clear(c)
	*c.decodeFailures.Value() = failures
}

// CloneTo makes another watcher a copy of this one, on top of another client
// library. Messages are shared, they never change.
func (c *Watcher) CloneTo(to *Watcher, client *clientv3.Client) {
	layout.CloneTo(to, c)
	to.client, to.results = client, c.results.Clone()
	for _, w := range to.watches.All() {
		w.c = to
	}
}

// Watch is watcher.Watch: a cache starts a watch.
func (c *Watcher) Watch(env *sim.Env, conn sim.Conn, from sim.NodeID, p *wire.WatchStart) {
	w := c.watches.Free(env, func(n int) watchChan { return watchChan{c: c, n: int32(n)} })
	nth := int32(0)
	for c.hasWatch(p.Prefix, nth) {
		nth++
	}
	l := w.loop.Change(env)
	*l = loop{state: watchReceiving, conn: conn, from: from, cause: env.Cause(),
		prefix: p.Prefix, ctxKey: p.Metadata, progressNotify: p.ProgressNotify, announce: p.Announce, selects: p.Selects,
		withoutPrevKV: p.WithoutPrevKV, announcesStart: p.AnnounceStart, nth: nth}
	if !p.Single {
		l.end = wire.PrefixEnd(p.Prefix)
	}
	env.Bound(conn, c.cfg.OutgoingBufSize)
	begun := w.startSync(env, p)
	if w.page.Value().step != syncCurrent {
		w.established(env)
	}
	if !begun {
		// wire.Unset becomes 0, which asks for what happens from now on.
		w.startWatch(env, p.Revision+1)
	}
}

func (c *Watcher) hasWatch(prefix string, nth int32) bool {
	return slices.ContainsFunc(c.watches.All(), func(w *watchChan) bool {
		l := w.loop.Value()
		return !w.Free() && l.nth == nth && l.prefix == prefix
	})
}

// watchOn finds the watch of a connection to a cache, nil if there is none.
func (c *Watcher) watchOn(conn sim.Conn) *watchChan {
	for _, w := range c.watches.All() {
		if l := w.loop.Value(); l.conn == conn && l.isLive() {
			return w
		}
	}
	return nil
}

// Stopped ends the watch of a cache whose connection has ended. It returns false if
// there is none.
func (c *Watcher) Stopped(env *sim.Env, conn sim.Conn) bool {
	w := c.watchOn(conn)
	if w == nil {
		return false
	}
	w.contextDone(env)
	return true
}

// Drained lets the watch of a connection to a cache go on: resultChan has room.
func (c *Watcher) Drained(env *sim.Env, conn sim.Conn) {
	if w := c.watchOn(conn); w != nil {
		w.resultChanHasRoom(env)
	}
}

// StartWatching runs the i-th task of Config.StartWatchingTask.
func (c *Watcher) StartWatching(env *sim.Env, i int) { c.watches.At(i).startWatching(env) }

// ProcessEvents runs the i-th task of Config.ProcessEventsTask.
func (c *Watcher) ProcessEvents(env *sim.Env, i int) { c.watches.At(i).processEvents(env) }

// WatchName names the tasks of a watch.
func (c *Watcher) WatchName(i int) string { return c.watches.At(i).name() }

func (c *Watcher) Creating(env *sim.Env, watch int32) {
	if l := c.watches.At(int(watch)).loop.Value(); l.announce && l.isLive() {
		env.Send(l.conn, streamOpened)
	}
}

var streamOpened = &wire.StreamOpened{}

func (c *Watcher) Received(env *sim.Env, watch int32) {
	w := c.watches.At(int(watch))
	if w.loop.Look(env).state == watchReceiving {
		env.Enable(w.startWatchingTask())
	}
}

func (c *Watcher) Closed(env *sim.Env, watch int32) {
	w := c.watches.At(int(watch))
	switch w.loop.Look(env).state {
	case watchDone:
		w.free(env)
	case watchReceiving:
		env.Enable(w.startWatchingTask())
	}
}

func (c *Watcher) Answered(env *sim.Env, watch int32, p sim.Payload) {
	c.watches.At(int(watch)).synced(env, p)
}

// Holds is how many watches there are, how many of them no cache holds the other end
// of, and how many events they have queued.
func (c *Watcher) Holds(world *sim.World) (watches, orphans, queued int) {
	for w := range c.watches.Used() {
		watches++
		queued += w.incomingEventChan.Value().Len() + len(*w.slots.Value())
		if l := w.loop.Value(); !l.isLive() || !world.IsOpen(l.conn) {
			orphans++
		}
	}
	return watches, orphans, queued
}

// Decodes reports whether an event of a watch is decoded at a place.
func (c *Watcher) Decodes(watch, place int) bool {
	w := c.watches.At(watch)
	switch {
	case !w.loop.Value().isLive():
		return false
	case !c.cfg.DecodesConcurrently:
		return place == 0 && w.incomingEventChan.Value().Len() > 0
	}
	slots := *w.slots.Value()
	i := placed(slots, place)
	return i >= 0 && !slots[i].done
}

// Lists is how many lists are streamed.
func (c *Watcher) Lists() int { return c.lists.Len() }

// LongestQueue is the number of events of the watch that has queued most, and the number
// that its buffer holds.
func (c *Watcher) LongestQueue() (queued, size int) {
	for _, w := range c.watches.All() {
		queued = max(queued, w.incomingEventChan.Value().Len())
	}
	return queued, c.cfg.IncomingBufSize
}

// Show shows what is decoded, and behind it what waits in the incomingEventChan of each watch.
func (c *Watcher) Show(visit sim.PartVisitor) {
	var list []sim.Entry
	for _, w := range c.watches.All() {
		for _, s := range *w.slots.Value() {
			list = append(list, s.event.entry())
		}
		for _, e := range w.incomingEventChan.Value().All() {
			list = append(list, e.entry())
		}
	}
	visit("incomingEventChan", list...)
}

func (e event) entry() sim.Entry {
	rev := e.rev
	switch {
	case e.event != nil:
		rev = e.event.Kv.ModRevision
	case e.item != nil:
		rev = e.item.ModRevision
	default:
		return sim.Entry{Text: "progress " + strconv.FormatInt(rev, 10), UpTo: rev}
	}
	return sim.Entry{Text: "event " + strconv.FormatInt(rev, 10), First: rev, Last: rev}
}
