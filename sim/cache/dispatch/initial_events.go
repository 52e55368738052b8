package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// takeInitialEvents takes what the watcher is sent before the events of the
// dispatcher (getAllEventsSinceLocked). It returns false if the history does not
// reach back far enough.
func (w *Watcher) takeInitialEvents(env *sim.Env) bool {
	s := w.dispatcher.cfg.Store
	env.Writes(cellInitial, w.number)
	if w.wantsInitialEvents() {
		env.Cover(watchFromStore)
		w.floor = s.ResourceVersion(env)
		w.interval.TakeObjects(env, s, w.prefix)
		return true
	}
	from := w.required
	if from == 0 {
		// Initial events were refused, and any resourceVersion will do.
		env.Cover(watchFromNow)
		from = s.ResourceVersion(env)
	}
	if from < w.dispatcher.oldestWatch(env) {
		return false
	}
	env.Cover(watchFromHistory)
	if from > s.ResourceVersion(env) {
		env.Cover(watchFromFuture)
	}
	w.floor = from
	w.interval.TakeHistory(env, s, from)
	return true
}

// wantsInitialEvents: the watch begins with the present state, because it says
// so or because it says nothing at all.
func (w *Watcher) wantsInitialEvents() bool {
	switch w.request.SendInitialEvents {
	case wire.SendInitialEventsTrue:
		return true
	case wire.SendInitialEventsFalse:
		return false
	}
	return w.required == 0
}

// nextInitial returns the next event of the interval, or turns to streaming. It
// returns false if the interval is gone from the history.
func (w *Watcher) nextInitial(env *sim.Env) (*wire.WatchEvent, bool) {
	for {
		e, ok := w.interval.Next(env, w.dispatcher.cfg.Store)
		if !ok {
			return nil, false
		}
		if e.ResourceVersion == 0 {
			env.WritesItem(cellTurn, w.number, sim.NoItem)
			w.state, w.takesInput = watcherStreaming, true
			w.dispatcher.cfg.Surroundings.Initialized(env, w.conn)
			return w.takeIntervalEnd(env), true
		}
		env.WritesItem(cellInitial, w.number, sim.NoItem)
		w.floor = max(w.floor, e.ResourceVersion)
		if sent := w.Convert(e.ForWatchers); sent != nil {
			env.ReadsItem(cellInitial, w.number, sent.ResourceVersion)
			env.Cover(initialEventSent)
			env.Add(serialised, 1)
			if w.interval.IsHistory() {
				env.Add(fromHistory, 1)
			}
			return sent, true
		}
	}
}

// oldestWatch is the oldest resourceVersion from which a watch is accepted. Where caches went
// wrong is the empty history, as there is one after every list.
func (d *Dispatcher) oldestWatch(env *sim.Env) int64 {
	oldest := d.cfg.Store.OldestWatch(env)
	if d.cfg.EmptyHistory == refusesOlder || d.cfg.Store.HistoryLen(env) > 0 {
		return oldest
	}
	if d.cfg.EmptyHistory == takesAny {
		return 0
	}
	return oldest - 1
}
