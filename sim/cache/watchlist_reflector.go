package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList is the reflector's: it watches with initial events instead of
// listing. After a first success it asks for nothing older than what it had.
func (c *Cache) watchList(env *sim.Env) {
	r := &c.reflector
	env.Cover(watchListStarted)
	clear(r.pages)
	r.pages = r.pages[:0]
	r.state = reflectorStreaming
	r.began, r.events = env.Now(), 0
	start := &wire.WatchStart{
		Prefix: c.cfg.Prefix, Revision: r.position, ProgressNotify: true, Metadata: c.cfg.Metadata,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	}
	if r.unavailable {
		start.Revision = 0
	}
	if env.Noting() {
		env.Say("asks etcd for all objects as initial events of a watch")
	}
	r.watch = env.Open(c.cfg.Watch)
	env.Send(r.watch, start)
}

// initialEvent is one turn of handleListWatch. With the end bookmark the objects
// become the contents, and the same watch goes on.
func (c *Cache) initialEvent(env *sim.Env, e *wire.WatchEvent) {
	r := &c.reflector
	switch {
	case e.Type == wire.Failed:
		c.watchListFailed(env, e.Err)
		return
	case e.InitialEventsEnd:
		env.Cover(watchListReplaced)
		c.replace(env, r.pages, e.ResourceVersion)
		r.position, r.unavailable = e.ResourceVersion, false
		r.retry = retryWithDeadline{}
		r.state = reflectorWatching
		r.began, r.events = env.Now(), 0
		return
	case e.Type == wire.Added:
		r.pages = append(r.pages, e.Item)
	}
	r.events++
}

// watchListFailed: a resourceVersion that etcd refuses is given up for the newest
// state; anything else makes the reflector list.
func (c *Cache) watchListFailed(env *sim.Env, err *wire.Error) {
	r := &c.reflector
	env.Close(r.watch)
	if err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion {
		env.Cover(watchListAgain)
		r.unavailable = true
		c.watchList(env)
		return
	}
	c.fallBackToList(env)
}

// watchListClosed: the watch ended before the end of the initial events, without
// saying why.
func (c *Cache) watchListClosed(env *sim.Env) {
	r := &c.reflector
	if r.events == 0 && !env.Elapsed(r.began, veryShortWatch) {
		env.Cover(watchVeryShort)
		c.fallBackToList(env)
		return
	}
	env.Cover(watchListAgain)
	c.watchList(env)
}

func (c *Cache) fallBackToList(env *sim.Env) {
	env.Cover(watchListFallsBack)
	if env.Noting() {
		env.Say("lists instead")
	}
	c.reflector.watch = sim.NoConn
	c.listFrom(env, c.firstPage)
}
