package etcdcache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/wire"
)

// loop is where getWatchLoop is.
type loop struct {
	// rev is the first revision of the watch, watch its number, none while there is none. storeW is the watcher that
	// fills the store.
	rev    int64
	watch  int32
	storeW int
	// watching: watchEvents runs. initialised is readyOnce of this call of watch.
	watching, initialised bool
	// applied: the channel applyErr is closed, after failed if that is not empty.
	applied bool
	failed  string
	// watches are how many there were, gets how often it began.
	watches int32
	gets    int       `cell:"-"`
	cause   sim.Cause `cell:"-"`
}

// The numbers of what the client library is asked for: watches from 0 on, and below what it takes for none the list and
// reads.
const (
	askedByGetWatch int32 = -2
	askedByRead     int32 = -3
)

// getWatch is getWatchLoop after its pause, and at first.
func (c *Cache) getWatch(env *sim.Env) {
	l := c.loop.Change(env)
	l.cause = env.Begin("getWatch", l.gets)
	l.gets++
	c.client.Ask(env, askedByGetWatch, env.Self(), &wire.RangeRequest{Key: c.cfg.Prefix, RangeEnd: wire.PrefixEnd(c.cfg.Prefix)}, l.cause)
}

func (c *Cache) Answered(env *sim.Env, watch int32, p sim.Payload) {
	if watch <= askedByRead {
		c.serverRevision(env, int(askedByRead-watch), p)
		return
	}
	got, ok := p.(*wire.RangeResponse)
	if !ok {
		c.retry(env, p.Label())
		return
	}
	c.store.Change(env).restore(got.Kvs, got.Revision)
	if env.Noting() {
		env.Note(restored.Of(got.Revision, len(got.Kvs)))
	}
	c.wakeReads(env)
	l := c.loop.Change(env)
	l.rev, l.initialised = got.Revision+1, false
	c.beginWatch(env)
}

// beginWatch is one turn of the loop in watch.
func (c *Cache) beginWatch(env *sim.Env) {
	l := c.loop.Change(env)
	l.storeW = c.register(env, watcher{store: true}, l.rev)
	l.applied, l.failed = false, ""
	l.watch, l.watching = l.watches, true
	l.watches++
	c.client.Watch(env, l.watch, "", clientv3.WatchRequest{
		Key: c.cfg.Prefix, End: wire.PrefixEnd(c.cfg.Prefix), Rev: l.rev, ProgressNotify: true, CreatedNotify: true, Cause: l.cause,
	})
}

func (c *Cache) Creating(*sim.Env, int32) {}

// Received implements clientv3.Subscriber. Nothing takes what comes for a watch that watchEvents has left, and nothing
// ends it: its context is that of the cache.
func (c *Cache) Received(env *sim.Env, watch int32) { c.wakeWatchEvents(env, watch) }

func (c *Cache) Closed(env *sim.Env, watch int32) {
	if l := c.loop.Look(env); l.watching && l.watch == watch {
		c.wakeWatchEvents(env, watch)
		return
	}
	c.client.Forget(env, watch)
}

func (c *Cache) wakeWatchEvents(env *sim.Env, watch int32) {
	if l := c.loop.Look(env); l.watching && l.watch == watch {
		env.Enable(taskWatchEvents)
	}
}

func (c *Cache) DecodeAnswer(_ *sim.Env, p sim.Payload) sim.Payload { return p }

func (c *Cache) Streamed(*sim.Env, sim.Conn, sim.Payload) bool { return false }

// watchEvents is one turn of its select.
func (c *Cache) watchEvents(env *sim.Env) {
	l := c.loop.Read(env)
	if !l.watching {
		return
	}
	responds := c.client.Ready(env, l.watch)
	switch {
	case l.applied && (!responds || env.Choose(2, "select watchCh or applyErr") == 1):
		c.setReady(env, false)
		c.endWatch(env, l.failed)
	case responds:
		c.respond(env, l)
	}
}

// respond takes one response of etcd.
func (c *Cache) respond(env *sim.Env, l *loop) {
	p, err := c.client.Take(env, l.watch)
	if p == nil && err == nil {
		c.client.Forget(env, l.watch)
		c.endWatch(env, "")
		return
	}
	if !l.initialised {
		c.loop.Change(env).initialised = true
		c.init(env, l.rev)
		c.setReady(env, true)
	}
	failed := ""
	switch {
	case err != nil:
		failed = err.Message
		c.client.Forget(env, l.watch)
	case p.CompactRevision != 0:
		env.Cover(compacted)
		failed = "compacted"
		c.client.Stop(env, l.watch)
	default:
		failed = c.broadcast(env, p)
	}
	if failed != "" {
		c.setReady(env, false)
		c.endWatch(env, failed)
		return
	}
	c.wakeWatchEvents(env, l.watch)
	if l := c.loop.Look(env); l.applied {
		env.Enable(taskWatchEvents)
	}
}

// endWatch is the end of watchEvents. Without an error watch begins the next turn, and with one getWatchLoop the next
// list.
func (c *Cache) endWatch(env *sim.Env, failed string) {
	l := c.loop.Change(env)
	l.watching = false
	env.Disable(taskWatchEvents)
	c.unregister(env, l.storeW)
	if failed == "" {
		watchesAgain.Say(env, l.rev)
		c.beginWatch(env)
		return
	}
	c.retry(env, failed)
}

func (c *Cache) retry(env *sim.Env, failed string) {
	env.Cover(getWatchFailed)
	fails.Say(env, failed)
	env.Arm(timerGetWatch, c.cfg.RelistDelay)
}

// apply is one turn of applyStorage, of the watcher of this number.
func (c *Cache) apply(env *sim.Env, i int) {
	d := c.demux.Change(env)
	w := &d.watchers[i]
	l := c.loop.Look(env)
	current := l.watching && l.storeW == i
	if len(w.respCh) == 0 {
		if w.closed {
			failed := ""
			if w.compacted && !c.cfg.Library.EndsStoreWatcher {
				// A watch from the same revision would bring as many events at once again.
				failed = "the history does not have what the store needs next"
			}
			d.free(env, i)
			if current {
				c.applyErr(env, failed)
			}
		}
		return
	}
	p := w.take()
	c.awaitResync(env)
	s := c.store.Change(env)
	if failed := s.apply(p); failed != "" {
		w.deaf = true
		if current {
			c.applyErr(env, failed)
		}
		if w.closed {
			d.free(env, i)
		}
		return
	}
	for i := range p.Events {
		stores.Say(env, p.Events[i].Kv.ModRevision)
	}
	if !p.IsProgressNotify() || !c.mistake(cache.LostWakeUp) {
		c.wakeReads(env)
	}
	if env.Noting() {
		env.Note(applied.Of(p, s.latest.rev))
	}
	if len(w.respCh) > 0 || w.closed {
		env.Enable(watcherTask(i))
	}
}

// applyErr tells watchEvents that applyStorage has ended, with an error if that is not empty.
func (c *Cache) applyErr(env *sim.Env, failed string) {
	l := c.loop.Change(env)
	l.applied, l.failed = true, failed
	env.Enable(taskWatchEvents)
}

// setReady is ready.Set and ready.Reset.
func (c *Cache) setReady(env *sim.Env, ready bool) {
	if *c.ready.Read(env) == ready {
		return
	}
	c.ready.Set(env, ready)
	if !ready {
		notReady.Say(env)
		return
	}
	for conn := range c.asking.Take(env, func(*sim.Conn) bool { return true }) {
		env.Send(conn, &wire.ReadyzResponse{})
	}
	for i, w := range c.demux.Look(env).watchers {
		if w.status == watcherAwaitsReady {
			env.Enable(watcherTask(i))
		}
	}
	for i, r := range *c.reads.Look(env) {
		if r.status == readAwaitsReady {
			env.Enable(readTask(i))
		}
	}
}
