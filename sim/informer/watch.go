package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watch is a turn of the loop of Reflector.watch that has no stream yet: it
// resumes after the last event or bookmark.
func (r *Informer) watch(env *sim.Env) {
	version := r.version.Read(env).last
	env.Under(r.cause)
	r.state.Set(env, stateWatching)
	r.stream.Change(env).began = env.Now()
	r.ask(env, &wire.WatchRequest{Prefix: r.cfg.Prefix, ResourceVersion: version, AllowBookmarks: !r.cfg.NoBookmarks, Selector: r.selector(env)})
	r.measureFollowing(env)
}

// measureFollowing is called when the process has a store and a watch that keeps it up to
// date.
func (r *Informer) measureFollowing(env *sim.Env) {
	if !r.follows {
		env.Record(followingRequests, int64(r.asked))
		r.follows = true
	}
}

// take puts an event into the store, then sets the resourceVersion. A bookmark
// sets the resourceVersion only.
func (r *Informer) take(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Bookmark {
		env.Cover(bookmarkTaken)
	}
	v := r.version.Change(env)
	if e.ResourceVersion < v.last {
		env.Cover(wentBack)
	}
	eventTaken.Say(env, event{e})
	if r.shared != nil {
		r.shared.Deliver(env, e)
	} else {
		apply(r.store.ChangeItem(env, e.ResourceVersion), e)
	}
	if e.Type != wire.Bookmark || !r.cfg.Deviations.IgnoresBookmarks {
		v.last = e.ResourceVersion
		if r.shared == nil {
			r.noteVersion(e.ResourceVersion)
		}
	}
}

// isRetriable is isWatchErrorRetriable: the same watch is requested again after a pause.
func (r *Informer) isRetriable(err *wire.Error) bool {
	return err.Code == wire.TooManyRequests && !r.cfg.Deviations.ListsWhenBusy
}

// watchEnded: the watch ended with an error.
func (r *Informer) watchEnded(env *sim.Env, err *wire.Error) {
	switch {
	case r.isRetriable(err):
		r.backOff(env, stateWatchGap)
	case isExpired(err):
		// client-go does not give the resourceVersion up yet: the list names it as
		// the minimum.
		env.Cover(watchExpired)
		r.unavailable.Set(env, r.cfg.Newest)
		r.endListAndWatch(env)
	default:
		env.Cover(watchFailed)
		r.endListAndWatch(env)
	}
}

// watchResumed: the watch closed. It resumes after the last event, or ends the
// ListAndWatch if it was very short.
func (r *Informer) watchResumed(env *sim.Env, short bool) {
	if short {
		r.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	r.watch(env)
}

// apply is store.Add, Update or Delete.
func apply(store *objects, e *wire.WatchEvent) {
	switch e.Type {
	case wire.Added, wire.Modified:
		store.Put(e.Item)
	case wire.Deleted:
		store.Delete(e.Item)
	}
}

// all are the objects of a store, in key order.
func all(store *objects) []*wire.KeyValue {
	list := make([]*wire.KeyValue, 0, store.Len())
	store.Ascend(func(kv *wire.KeyValue) bool {
		list = append(list, kv)
		return true
	})
	return list
}
