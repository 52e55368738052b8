package reflector

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchList watches with initial events instead of listing. After a first success
// it asks for nothing older than what it had.
func (r *Reflector) WatchList(env *sim.Env) {
	env.Cover(watchListStarted)
	env.Reads(cellPosition, 0)
	env.Writes(cellItems, 0)
	r.list.reset()
	r.move(env, streaming)
	w := &r.watch
	w.begin(env)
	start := &wire.WatchStart{
		Prefix: r.cfg.Prefix, Revision: w.position, ProgressNotify: true, Metadata: r.cfg.Metadata, Announce: r.cfg.Announce,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	}
	if w.unavailable {
		start.Revision = 0
	}
	if env.Noting() {
		env.Note(asksForInitialEvents{})
	}
	w.conn = env.Open(r.cfg.Watch)
	env.Send(w.conn, start)
}

// initialEvent is one turn of handleListWatch. With the end bookmark the objects
// become the contents, and the same watch goes on.
func (r *Reflector) initialEvent(env *sim.Env, e *wire.WatchEvent) {
	switch {
	case e.Type == wire.Failed:
		r.watchListFailed(env, e.Err)
		return
	case e.InitialEventsEnd:
		env.Cover(watchListReplaced)
		env.Reads(cellItems, 0)
		r.sink.Replace(env, r.list.items, nil, e.ResourceVersion)
		r.synced(env, e.ResourceVersion)
		r.move(env, watching)
		r.watch.begin(env)
		r.endings.events = 0
		return
	case e.Type == wire.Added:
		env.WritesItem(cellItems, 0, int64(len(r.list.items)+1))
		r.list.add(e.Item)
	}
	env.Writes(cellWatch, 0)
	r.watch.events++
}

// watchListFailed: a resourceVersion that etcd refuses is given up for the newest
// state; anything else makes the reflector list.
func (r *Reflector) watchListFailed(env *sim.Env, err *wire.Error) {
	env.Close(r.watch.conn)
	if err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion {
		env.Cover(watchListAgain)
		env.Writes(cellPosition, 0)
		r.watch.unavailable = true
		r.WatchList(env)
		return
	}
	r.fallBackToList(env)
}

// watchListClosed: the watch ended before the end of the initial events, without
// an error.
func (r *Reflector) watchListClosed(env *sim.Env) {
	if r.watch.wasVeryShort(env) {
		env.Cover(watchVeryShort)
		r.fallBackToList(env)
		return
	}
	env.Cover(watchListAgain)
	r.WatchList(env)
}

func (r *Reflector) fallBackToList(env *sim.Env) {
	env.Cover(watchListFallsBack)
	if env.Noting() {
		env.Note(fallsBackToList{})
	}
	r.watch.conn = sim.NoConn
	r.List(env)
}
