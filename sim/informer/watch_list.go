package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList is a turn of the loop of Reflector.watchList: it asks for a stream
// that begins with the present state.
func (r *Informer) watchList(env *sim.Env) {
	env.Under(r.cause)
	r.state = stateWatchList
	r.temporary.Clear(true)
	req := &wire.WatchRequest{
		Prefix: r.cfg.Prefix, ResourceVersion: r.version.request(r.cfg.InitialResourceVersion),
		Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	}
	r.record.Requests++
	r.record.Requested = req.ResourceVersion
	r.stream.began = env.Now()
	r.ask(env, req)
}

// collect takes an event into the temporary store. The bookmark that marks the
// end of the initial events says of which resourceVersion it is then.
func (r *Informer) collect(env *sim.Env, e *wire.WatchEvent) {
	switch {
	case e.Type != wire.Bookmark:
		if e.Type != wire.Added {
			env.Cover(changedMeanwhile)
		}
		apply(r.temporary, e)
		return
	case !e.InitialEventsEnd:
		env.Cover(bookmarkTooEarly)
		return
	}
	if env.Noting() {
		env.Say("takes " + e.Label())
	}
	r.version.unavailable = false
	r.check = check{version: e.ResourceVersion}
	if r.cfg.ConsistencyDetector && e.ResourceVersion != 0 {
		r.state = stateChecking
		env.Hold(r.stream.conn)
		r.sendCheck(env)
		return
	}
	r.streamed(env)
}

// streamed is Replace; the stream goes on as an ordinary watch.
func (r *Informer) streamed(env *sim.Env) {
	r.store, r.temporary = r.temporary, r.store
	r.temporary.Clear(true)
	r.record.Streamed++
	env.Cover(streamedList)
	r.replaced(env, r.check.version)
	r.state = stateWatching
}

// watchListFailed: the stream ended with an error. Some are tried again, the
// others are left to a LIST.
func (r *Informer) watchListFailed(env *sim.Env, err *wire.Error) {
	switch {
	case isRetriable(err):
		r.backOff(env, stateWatchListGap)
	case isExpired(err), isTooLarge(err):
		env.Cover(streamedNewest)
		r.version.unavailable = true
		r.watchList(env)
	default:
		r.fallBack(env)
	}
}

// watchListClosed: the stream ended before its initial events did. It is asked
// for again at once, unless there was nothing on it.
func (r *Informer) watchListClosed(env *sim.Env, short bool) {
	if short {
		r.fallBack(env)
		return
	}
	env.Cover(streamedAgain)
	r.watchList(env)
}

// fallBack lists instead of streaming, whatever the reason.
func (r *Informer) fallBack(env *sim.Env) {
	if env.Noting() {
		env.Say("lists instead of streaming the list")
	}
	r.stream.failed = true
	r.temporary.Clear(true)
	r.list(env)
}
