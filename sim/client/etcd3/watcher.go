package etcd3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/client/clientv3"
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
	watches []*watchChan
	// unsupported is that etcd was found not to know RangeStream.
	unsupported unsupported
	// decodeFailures is how many decodes may still fail.
	decodeFailures int
	lists          []list
	// results is memory for events to come. Events from one block of memory save an
	// allocation for each.
	results arena.Arena[wire.WatchEvent]
}

var _ clientv3.Subscriber = (*Watcher)(nil)

// Reset makes the watcher a new one for another run, and keeps its memory. Events
// of the run before are overwritten, but for what a clone shares.
func (c *Watcher) Reset(cfg Config, client *clientv3.Client) {
	c.client = client
	c.Reconfigure(cfg)
	c.decodeFailures = cfg.DecodeFailures
	c.results.Rewind()
	c.Restart()
}

// Reconfigure gives the watcher other options, before its process is restarted.
func (c *Watcher) Reconfigure(cfg Config) {
	cfg.setDefaults()
	c.cfg = cfg
}

// Restart forgets all watches: the process is a new one.
func (c *Watcher) Restart() {
	for _, w := range c.watches {
		w.reset()
	}
	c.watches = c.watches[:0]
	clear(c.lists)
	c.lists = c.lists[:0]
	c.unsupported = unsupported{}
}

// CloneTo makes another watcher a copy of this one, on top of another client
// library. Messages are shared, they never change.
func (c *Watcher) CloneTo(to *Watcher, client *clientv3.Client) {
	*to = Watcher{
		cfg: c.cfg, client: client, decodeFailures: c.decodeFailures, watches: make([]*watchChan, len(c.watches)),
		results: c.results.Clone(), unsupported: c.unsupported, lists: slices.Clone(c.lists),
	}
	for i := range to.lists {
		to.lists[i].kvs = slices.Clone(c.lists[i].kvs)
	}
	watches := make([]watchChan, len(c.watches))
	for i, w := range c.watches {
		n := &watches[i]
		*n = *w
		n.c = to
		n.incomingEventChan = w.incomingEventChan.Clone()
		n.slots = slices.Clone(w.slots)
		to.watches[i] = n
	}
}

// Watch is watcher.Watch: a cache starts a watch.
func (c *Watcher) Watch(env *sim.Env, conn sim.Conn, from sim.NodeID, p *wire.WatchStart) {
	env.Writes(cellWatches, 0)
	w := c.free()
	for c.hasWatch(p.Prefix, w.nth) {
		w.nth++
	}
	env.Writes(cellStartWatching, int(w.n))
	w.state, w.conn, w.from, w.cause = watchReceiving, conn, from, env.Cause()
	w.prefix, w.ctxKey, w.progressNotify, w.announce, w.selects = p.Prefix, p.Metadata, p.ProgressNotify, p.Announce, p.Selects
	w.withoutPrevKV = p.WithoutPrevKV
	if !p.Single {
		w.end = wire.PrefixEnd(p.Prefix)
	}
	env.Bound(conn, c.cfg.OutgoingBufSize)
	w.announcesStart = p.AnnounceStart
	begun := w.startSync(env, p)
	if w.sync.step != syncCurrent {
		w.established(env)
	}
	if !begun {
		// wire.Unset becomes 0, which asks for what happens from now on.
		w.startWatch(env, p.Revision+1)
	}
}

// free is a place for a watch, in the memory of an earlier run if there is any.
func (c *Watcher) free() *watchChan {
	for _, w := range c.watches {
		if w.state == watchFree {
			return w
		}
	}
	return arena.Next(&c.watches, func(n int) *watchChan { return &watchChan{c: c, n: int32(n)} })
}

func (c *Watcher) hasWatch(prefix string, nth int32) bool {
	return slices.ContainsFunc(c.watches, func(w *watchChan) bool { return w.state != watchFree && w.nth == nth && w.prefix == prefix })
}

// watchOn finds the watch of a connection to a cache, nil if there is none.
func (c *Watcher) watchOn(conn sim.Conn) *watchChan {
	for _, w := range c.watches {
		if w.conn == conn && w.isLive() {
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
func (c *Watcher) StartWatching(env *sim.Env, i int) { c.watches[i].startWatching(env) }

// ProcessEvents runs the i-th task of Config.ProcessEventsTask.
func (c *Watcher) ProcessEvents(env *sim.Env, i int) { c.watches[i].processEvents(env) }

// WatchName names the tasks of a watch.
func (c *Watcher) WatchName(i int) string { return c.watches[i].name() }

// Creating implements clientv3.Subscriber.
func (c *Watcher) Creating(env *sim.Env, watch int32) {
	if w := c.watches[watch]; w.announce && w.isLive() {
		env.Send(w.conn, streamOpened)
	}
}

var streamOpened = &wire.StreamOpened{}

// Received implements clientv3.Subscriber.
func (c *Watcher) Received(env *sim.Env, watch int32) {
	w := c.watches[watch]
	env.LooksAt(cellStartWatching, int(watch))
	if w.state == watchReceiving {
		env.Enable(w.startWatchingTask())
	}
}

// Closed implements clientv3.Subscriber.
func (c *Watcher) Closed(env *sim.Env, watch int32) {
	w := c.watches[watch]
	env.LooksAt(cellStartWatching, int(watch))
	switch w.state {
	case watchDone:
		w.free(env)
	case watchReceiving:
		env.Enable(w.startWatchingTask())
	}
}

// Answered implements clientv3.Subscriber.
func (c *Watcher) Answered(env *sim.Env, watch int32, p sim.Payload) {
	c.watches[watch].synced(env, p)
}
