package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList is a turn of the loop of Reflector.watchList: it asks for a stream
// that begins with the present state.
func (r *Informer) watchList(env *sim.Env) {
	env.Under(r.cause)
	env.Reads(cellVersion, 0)
	env.Reads(cellUnavailable, 0)
	env.Writes(cellState, 0)
	env.Writes(cellTemporary, 0)
	env.Writes(cellRecord, 0)
	env.Writes(cellStream, 0)
	r.state = stateWatchList
	r.temporary.Clear(true)
	req := &wire.WatchRequest{
		Prefix: r.cfg.Prefix, ResourceVersion: r.version.request(r.cfg.initialVersion(ByWatchList)),
		Match: wire.MatchNotOlderThan, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true,
	}
	r.record.Requests++
	r.record.Requested = req.ResourceVersion
	r.stream.began = env.Now()
	if r.cfg.StreamPatience > 0 {
		env.Arm(timerStreamPatience, r.cfg.StreamPatience)
	}
	r.ask(env, req)
}

// losePatience lists, if the initial events have not ended yet.
func (r *Informer) losePatience(env *sim.Env) {
	env.LooksAt(cellState, 0)
	if r.state != stateWatchList {
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
		env.WritesItem(cellTemporary, 0, e.ResourceVersion)
		apply(r.temporary, e)
		return
	case !e.InitialEventsEnd:
		env.Cover(bookmarkTooEarly)
		return
	}
	if env.Noting() {
		env.Note(eventTaken{e})
	}
	env.Writes(cellUnavailable, 0)
	env.Writes(cellCheck, 0)
	r.version.unavailable = false
	r.check = check{version: e.ResourceVersion}
	if r.cfg.Check && e.ResourceVersion != 0 {
		env.Writes(cellState, 0)
		r.state = stateChecking
		env.Hold(r.stream.conn)
		r.sendCheck(env)
		return
	}
	r.streamed(env)
}

// streamed is Replace; the stream goes on as an ordinary watch.
func (r *Informer) streamed(env *sim.Env) {
	env.Reads(cellTemporary, 0)
	env.Reads(cellCheck, 0)
	env.Writes(cellState, 0)
	env.Writes(cellTemporary, 0)
	env.Writes(cellRecord, 0)
	objects := r.temporary.Len()
	if r.shared != nil {
		r.shared.Replace(env, all(r.temporary), r.check.version)
	} else {
		env.Writes(cellStore, 0)
		r.store, r.temporary = r.temporary, r.store
	}
	r.temporary.Clear(true)
	r.record.Streamed++
	env.Cover(streamedList)
	r.replaced(env, objects, r.check.version)
	r.measureFollowing(env)
	r.state = stateWatching
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
		env.Writes(cellUnavailable, 0)
		r.version.unavailable = true
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
	if env.Noting() {
		env.Note(listFallback{})
	}
	env.Writes(cellStream, 0)
	env.Writes(cellTemporary, 0)
	r.stream.failed = true
	r.temporary.Clear(true)
	r.list(env)
}
