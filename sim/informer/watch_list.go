package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList is a turn of the loop of Reflector.watchList: it asks for a stream
// that begins with the present state.
func (r *Informer) watchList(env *sim.Env) {
	env.Under(r.cause)
	r.state.Set(env, stateWatchList)
	r.temporary.Change(env).Clear()
	req := r.firstStream(r.request(env, r.cfg.initialVersion(ByWatchList)))
	req.Selector = r.selector(env)
	record := r.record.Change(env)
	record.Requests++
	record.Requested = req.ResourceVersion
	r.stream.Change(env).began = env.Now()
	if r.cfg.StreamPatience > 0 {
		env.Arm(timerStreamPatience, r.cfg.StreamPatience)
	}
	r.ask(env, req)
}

func (r *Informer) firstStream(version int64) *wire.WatchRequest {
	return &wire.WatchRequest{
		Prefix: r.cfg.Prefix, ResourceVersion: version,
		Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true, Selector: wire.Selector{Shard: r.Shard()},
	}
}

// losePatience lists, if the initial events have not ended yet.
func (r *Informer) losePatience(env *sim.Env) {
	if *r.state.Look(env) != stateWatchList {
		return
	}
	env.Cover(patienceLost)
	env.Disarm(timerRetryAfter)
	r.leave(env)
	r.fallBack(env)
}

// collect takes an event into the temporary store. The bookmark that marks the
// end of the initial events has the resourceVersion of its contents.
func (r *Informer) collect(env *sim.Env, e *wire.WatchEvent) {
	switch {
	case e.Type != wire.Bookmark:
		if e.Type != wire.Added {
			env.Cover(changedMeanwhile)
		}
		apply(r.temporary.ChangeItem(env, e.ResourceVersion), e)
		return
	case !e.InitialEventsEnd:
		env.Cover(bookmarkTooEarly)
		return
	}
	eventTaken.Say(env, event{e})
	r.unavailable.Set(env, false)
	r.check.Set(env, e.ResourceVersion)
	if r.cfg.Check && e.ResourceVersion != 0 {
		r.state.Set(env, stateChecking)
		env.Hold(r.stream.Value().conn)
		r.sendCheck(env)
		return
	}
	r.streamed(env)
}

// streamed is Replace; the stream goes on as an ordinary watch.
func (r *Informer) streamed(env *sim.Env) {
	r.temporary.Read(env)
	version, temporary := r.check.Get(env), r.temporary.Change(env)
	objects := temporary.Len()
	if r.shared != nil {
		r.shared.Replace(env, all(temporary), version)
	} else {
		store := r.store.Change(env)
		*store, *temporary = *temporary, *store
	}
	temporary.Clear()
	r.record.Change(env).Streamed++
	env.Cover(streamedList)
	r.replaced(env, objects, version)
	r.measureFollowing(env)
	r.state.Set(env, stateWatching)
}

// watchListFailed: the stream ended with an error. After some errors the informer
// streams again, after the others it lists.
func (r *Informer) watchListFailed(env *sim.Env, err *wire.Error) {
	switch {
	case r.isRetriable(err):
		r.backOff(env, stateWatchListGap)
	case r.cfg.TooLarge == TooLargeLists && err.Code == wire.TooLargeResourceVersion:
		r.fallBack(env)
	case r.isUnavailable(err):
		env.Cover(streamedNewest)
		r.unavailable.Set(env, true)
		r.watchList(env)
	default:
		r.fallBack(env)
	}
}

// watchListClosed: the stream ended before its initial events did. It is requested
// again at once, unless it ended at once without an event.
func (r *Informer) watchListClosed(env *sim.Env, short bool) {
	if short {
		r.fallBack(env)
		return
	}
	env.Cover(streamedAgain)
	r.watchList(env)
}

// fallBack lists instead of streaming.
func (r *Informer) fallBack(env *sim.Env) {
	listFallback.Say(env)
	r.stream.Change(env).failed = true
	r.temporary.Change(env).Clear()
	r.list(env)
}
