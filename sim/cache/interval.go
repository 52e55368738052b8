package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// takeInterval takes the interval that a request asks for
// (getAllEventsSinceLocked). It returns false if the history does not reach
// back far enough.
func (w *cacheWatcher) takeInterval(env *sim.Env) bool {
	c := w.dispatcher.cache
	from := w.required
	if w.wantsInitialEvents() {
		env.Cover(watchFromStore)
		w.floor = c.store.ResourceVersion(env)
		w.interval.TakeObjects(env, &c.store, w.prefix)
		return true
	}
	if from == 0 {
		// Initial events were refused, and any resourceVersion will do.
		env.Cover(watchFromNow)
		from = c.store.ResourceVersion(env)
	}
	oldest := c.store.OldestWatch(env)
	if c.store.HistoryLen(env) == 0 {
		switch c.cfg.Defects.EmptyHistory {
		case EmptyHistoryOffByOne:
			oldest--
		case EmptyHistoryTakesAny:
			oldest = 0
		}
	}
	if from < oldest {
		return false
	}
	env.Cover(watchFromHistory)
	if from > c.store.ResourceVersion(env) {
		env.Cover(watchFromFuture)
	}
	w.floor = from
	w.interval.TakeHistory(env, &c.store, from)
	return true
}

// wantsInitialEvents: the watch begins with the present state, because it says
// so or because it says nothing at all.
func (w *cacheWatcher) wantsInitialEvents() bool {
	switch w.request.SendInitialEvents {
	case wire.SendInitialEventsTrue:
		return true
	case wire.SendInitialEventsFalse:
		return false
	}
	return w.required == 0
}
