package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watch is a turn of the loop of Reflector.watch that has no stream yet: it
// resumes behind the last event or bookmark.
func (r *Informer) watch(env *sim.Env) {
	env.Under(r.cause)
	r.state = stateWatching
	r.stream.began = env.Now()
	r.ask(env, &wire.WatchRequest{Prefix: r.cfg.Prefix, ResourceVersion: r.version.last, AllowBookmarks: true})
}

// take puts an event into the store, then moves the position. A bookmark moves
// the position only.
func (r *Informer) take(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Bookmark {
		env.Cover(bookmarkTaken)
	}
	if e.ResourceVersion < r.version.last {
		env.Cover(wentBack)
	}
	if env.Noting() {
		env.Say("takes " + e.Label())
	}
	apply(r.store, e)
	r.version.last = e.ResourceVersion
}

// watchEnded: the watch ended with an error.
func (r *Informer) watchEnded(env *sim.Env, err *wire.Error) {
	switch {
	case isRetriable(err):
		r.backOff(env, stateWatchGap)
	case isExpired(err):
		// To client-go not yet a reason to give the resourceVersion up: a list
		// names it as the least that it wants.
		env.Cover(watchExpired)
		r.version.unavailable = r.cfg.NewestAfterExpired
		r.endListAndWatch(env)
	default:
		env.Cover(watchFailed)
		r.endListAndWatch(env)
	}
}

// watchResumed: the watch closed. It goes on behind the last event.
func (r *Informer) watchResumed(env *sim.Env, short bool) {
	if short {
		r.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	r.watch(env)
}
