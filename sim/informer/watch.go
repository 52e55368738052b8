package informer

import (
	"time"

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

// stream is the watch that is open. The stream of a WatchList goes on with the
// events that follow.
type stream struct {
	conn sim.Conn
	// exchange is the number of its request.
	exchange int `cell:"-"`
	// began and heard distinguish a watch that ended at once, without an event, from others.
	began sim.Time
	heard bool
	// failed: this ListAndWatch has given up streaming.
	failed bool
}

// veryShortWatch: a watch that ends earlier, without an event, counts as a failure
// (VeryShortWatchError).
const veryShortWatch = time.Second

// timeoutSteps is how finely a watch's timeout is chosen when timed.
const timeoutSteps = 5

func (r *Informer) openWatch(env *sim.Env, req *wire.WatchRequest) {
	s := r.stream.Change(env)
	s.heard = false
	s.conn, s.exchange = env.Open(r.to()), r.noteRequest(env, req)
	env.Send(s.conn, req)
	if r.timed {
		d := r.cfg.MinWatchTimeout
		env.Arm(timerWatchTimeout, d+d*sim.Duration(env.Choose(timeoutSteps+1, "watch timeout"))/timeoutSteps)
	}
}

// Conn is the connection of the watch that is open, sim.NoConn if none is.
func (r *Informer) Conn() sim.Conn { return r.stream.Value().conn }

// leave ends the stream at this end, if it is still open.
func (r *Informer) leave(env *sim.Env) {
	s := r.stream.Change(env)
	if s.conn != sim.NoConn {
		r.ends(env, s.exchange, Left)
	}
	env.Close(s.conn)
	s.conn = sim.NoConn
	env.Disarm(timerWatchTimeout)
}

// watchEvent is one turn of handleAnyWatch.
func (r *Informer) watchEvent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	if !r.passes(env, e) {
		return
	}
	r.watched(e)
	if !r.stream.Value().heard {
		r.stream.Change(env).heard = true
	}
	if *r.state.Value() == stateWatchList {
		r.collect(env, e)
	} else {
		r.take(env, e)
	}
}

// watchFailed: the server refused the watch, or ended it with an error. A 429 with
// Retry-After as the first message is a refusal below the Reflector. The cache
// answers everything else on the stream.
func (r *Informer) watchFailed(env *sim.Env, err *wire.Error) {
	r.refused(env, r.stream.Value().exchange, err)
	r.leave(env)
	if !r.stream.Value().heard && err.Code == wire.TooManyRequests && r.retry(env, err) {
		return
	}
	watchRefused.Say(env, err.Code)
	if *r.state.Value() == stateWatchList {
		r.watchListFailed(env, err)
	} else {
		r.watchEnded(env, err)
	}
}

// watchClosed: the watch ended without an error.
func (r *Informer) watchClosed(env *sim.Env) {
	at, s := *r.state.Look(env), r.stream.Value()
	env.Disarm(timerWatchTimeout)
	short := !s.heard && !env.Elapsed(s.began, veryShortWatch)
	if short {
		env.Cover(watchVeryShort)
		r.stream.Read(env)
	}
	r.stream.Change(env)
	if at == stateWatchList {
		r.watchListClosed(env, short)
	} else {
		r.watchResumed(env, short)
	}
}

// timeOut: the watch has lasted as long as the client wanted. During a consistency
// check the Reflector does not read, and finds out later.
func (r *Informer) timeOut(env *sim.Env) {
	at := *r.state.Look(env)
	env.Cover(watchTimedOut)
	r.leave(env)
	if at != stateChecking {
		r.watchClosed(env)
	}
}
