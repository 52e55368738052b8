package informer

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// pager is Reflector.list with client-go's ListPager below it. It lists in
// pages, and in one piece if the revision of the first page is gone when a later
// one is asked for.
type pager struct {
	// version is what the first page is asked for, pageSize the limit of pages,
	// 0 for none.
	version, pageSize int64
	// items came with earlier pages; listVersion is the first one's.
	items       []*wire.KeyValue
	listVersion int64
	// inPages: there was a second page. whole: the list is asked for in one piece,
	// because a later page was refused. newest: it is the second list, of the
	// newest state.
	inPages, whole, newest bool
	// honoured is Reflector.paginatedResult: a list of any resourceVersion came
	// in pages, so there is no watch cache; from then on all lists do.
	honoured bool
}

// list is Reflector.list up to the first page.
func (r *Informer) list(env *sim.Env) {
	g := r.pager.Change(env)
	*g = pager{
		version: r.request(env, r.cfg.initialVersion(ByListWatch)), pageSize: r.cfg.pageSize(),
		items: g.items[:0], honoured: g.honoured,
	}
	if g.version != wire.Unset && g.version != 0 && !g.honoured {
		// A cache takes a list of a resourceVersion only without a limit.
		g.pageSize = 0
	}
	r.state.Set(env, stateListing)
	r.firstPage(env, g.pageSize)
}

func (r *Informer) firstPage(env *sim.Env, limit int64) {
	g := r.pager.Change(env)
	clear(g.items)
	g.items, g.listVersion = g.items[:0], 0
	req := r.firstList(g.version, limit)
	req.Selector = r.selector(env)
	r.ask(env, req)
}

func (r *Informer) firstList(version, limit int64) *wire.ListRequest {
	req := &wire.ListRequest{Prefix: r.cfg.Prefix, ResourceVersion: version, Limit: limit, Selector: wire.Selector{Shard: r.Shard()}}
	if r.cfg.NotOlder && version != wire.Unset && version != 0 {
		req.Match = wire.MatchNotOlderThan
	}
	if r.cfg.RV == RVMostRecent && version == 0 {
		req.Match = wire.MatchMostRecent
	}
	return req
}

// VisitAsked visits what the informer lists first, and of which node.
func (r *Informer) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) {
	if r.cfg.List == ByWatchList {
		visit(r.cfg.Servers[0], r.firstStream(r.cfg.initialVersion(ByWatchList)))
		return
	}
	visit(r.cfg.Servers[0], r.firstList(r.cfg.initialVersion(ByListWatch), r.cfg.pageSize()))
}

// page takes a page. With the last one the list is complete: Replace, then watch.
func (r *Informer) page(env *sim.Env, p *wire.ListResponse) {
	g := r.pager.Change(env)
	if g.listVersion == 0 {
		g.listVersion = p.ResourceVersion
	}
	g.items = append(g.items, p.Items...)
	if p.Continue != "" && !g.whole {
		env.Cover(listPaged)
		g.inPages = true
		limit := g.pageSize
		if r.cfg.Deviations.ForgetsLimit {
			limit = 0
		}
		r.ask(env, &wire.ListRequest{Prefix: r.cfg.Prefix, ResourceVersion: wire.Unset, Limit: limit, Continue: p.Continue, Selector: r.selector(env)})
		return
	}
	if g.version == 0 && g.inPages {
		g.honoured = true
	}
	r.unavailable.Set(env, false)
	record := r.record.Change(env)
	objects := len(g.items)
	if r.shared != nil {
		r.shared.Replace(env, slices.Clone(g.items), g.listVersion)
	} else {
		store := r.store.Change(env)
		store.Clear()
		for _, kv := range g.items {
			store.Put(kv)
		}
	}
	clear(g.items)
	g.items = g.items[:0]
	record.Listed++
	if r.stream.Look(env).failed {
		r.stream.Read(env)
		env.Cover(fellBack)
		record.Fallbacks++
	}
	r.replaced(env, objects, g.listVersion)
	r.watch(env)
}

// isUnavailable reports whether an error of a list, or of a WatchList, makes the Reflector ask for the newest state.
func (r *Informer) isUnavailable(err *wire.Error) bool {
	return isExpired(err) || err.Code == wire.TooLargeResourceVersion && !r.cfg.Deviations.NewestAfterExpired
}

// listFailed: a page was refused. Two things are tried before the ListAndWatch
// ends: the list in one piece, and the newest list. The newest list has the page
// size of the first one, so after a list of a resourceVersion it comes in one
// piece; KEP-3157's appendix says "in chunks".
func (r *Informer) listFailed(env *sim.Env, err *wire.Error) {
	g := r.pager.Change(env)
	switch {
	case isExpired(err) && g.listVersion != 0 && !g.whole:
		env.Cover(listExpired)
		wholeListed.Say(env, err.Code)
		g.whole = true
		var limit int64
		if r.cfg.Deviations.LimitsWhole {
			limit = r.cfg.pageSize()
		}
		r.firstPage(env, limit)
	case r.isUnavailable(err) && !g.newest:
		env.Cover(listedNewest)
		newestListed.Say(env, err.Code)
		r.unavailable.Set(env, true)
		g.version, g.whole, g.newest = wire.Unset, false, true
		r.firstPage(env, g.pageSize)
	default:
		env.Cover(listFailed)
		listRefused.Say(env, err.Code)
		r.endListAndWatch(env)
	}
}

// replaced: the store holds the state of a resourceVersion, or its queue does.
func (r *Informer) replaced(env *sim.Env, objects int, version int64) {
	v := r.version.Change(env)
	if version < v.last {
		env.Cover(wentBack)
	}
	v.last = version
	if r.shared == nil {
		r.noteVersion(version)
	}
	if !v.synced {
		env.Record(syncDuration, int64(env.Now().Sub(r.began)))
	}
	v.synced = true
	storeReplaced.Say(env, sim.Counted{N: objects, Thing: "object"}, version)
}

// resourceVersion is where the Reflector is.
type resourceVersion struct {
	// last is lastSyncResourceVersion: the resourceVersion of the last list, event
	// or bookmark; wire.Unset before the first list.
	last int64
	// synced: the store has been filled since the process started.
	synced bool
}

// request is relistResourceVersion and rewatchResourceVersion. They differ in
// initial, the resourceVersion of a process's first request.
func (r *Informer) request(env *sim.Env, initial int64) int64 {
	v, unavailable := r.version.Read(env), r.unavailable.Get(env)
	switch {
	case unavailable:
		return wire.Unset
	case v.last == wire.Unset:
		return initial
	}
	return v.last
}

// isExpired: 410.
func isExpired(err *wire.Error) bool { return err.Code == wire.ErrCompacted }

// rest is rest.Request with its withRetry, below the Reflector: a request that a
// server refused with Retry-After is sent again after that time.
type rest struct {
	// call is the LIST under way, or the question whether the server is ready.
	call sim.Conn
	// exchange is the number of that.
	exchange int `cell:"-"`
	// request is the LIST or WATCH that is sent again if it has to be.
	request sim.Payload
	// retries is how often it was.
	retries int
}

// lostRetryAfter is how long a request waits whose connection broke before an
// answer came (retryAfterResponse).
const lostRetryAfter = time.Second

// ask sends a LIST or WATCH for the first time.
func (r *Informer) ask(env *sim.Env, req sim.Payload) {
	r.rest.Set(env, rest{request: req})
	r.send(env)
}

func (r *Informer) send(env *sim.Env) {
	to, q := r.toOf(env), r.rest.Change(env)
	r.asked++
	switch req := q.request.(type) {
	case *wire.ListRequest:
		if req.Continue == "" {
			listSent.Say(env, to, req)
		} else {
			pageSent.Say(env, to, req)
		}
		q.call, q.exchange = env.Call(to, req), r.noteRequest(env, req)
		if r.cfg.ListTimeout > 0 {
			env.Arm(timerListTimeout, r.cfg.ListTimeout)
		}
	case *wire.WatchRequest:
		watchSent.Say(env, to, req)
		r.openWatch(env, req)
	}
}

// sendAgain: the time that the server named has passed.
func (r *Informer) sendAgain(env *sim.Env) {
	r.rest.Read(env)
	env.Under(r.cause)
	r.send(env)
}

// retry waits for as long as a refusal says, and reports whether it does. Only
// 429 and 5xx are worth another try, and only if the server said when.
func (r *Informer) retry(env *sim.Env, err *wire.Error) bool {
	status := err.Code.Status()
	if err.RetryAfter == 0 || status != 429 && status < 500 {
		return false
	}
	return r.retryAfter(env, sim.Duration(err.RetryAfter)*time.Second)
}

// maxRetries is rest.Request.maxRetries.
const maxRetries = 10

func (r *Informer) retryAfter(env *sim.Env, d sim.Duration) bool {
	if r.rest.Value().retries >= maxRetries && !r.cfg.Deviations.RetriesForever {
		env.Cover(retriesExhausted)
		return false
	}
	env.Cover(retriedAfter)
	r.rest.Change(env).retries++
	env.Arm(timerRetryAfter, d)
	return true
}

// listAnswered takes the answer to a LIST of the pager or of the detector.
func (r *Informer) listAnswered(env *sim.Env, p sim.Payload) {
	q := r.rest.Change(env)
	q.call = sim.NoConn
	if r.cfg.ListTimeout > 0 {
		env.Disarm(timerListTimeout)
	}
	switch p := p.(type) {
	case *wire.ListResponse:
		r.listed(env, p)
		p = r.ofShard(env, p)
		if *r.state.Value() == stateChecking {
			r.compare(env, p)
		} else {
			r.page(env, p)
		}
		return
	case *wire.Error:
		r.refused(env, q.exchange, p)
		if r.retry(env, p) {
			return
		}
		r.listRefused(env, p)
	default:
		env.Cover(connectionLost)
		r.hangsUp(env, q.exchange, p)
		if h, ok := p.(*sim.Hangup); ok && h.Broken {
			r.move(env)
		}
		if !r.retryAfter(env, lostRetryAfter) {
			r.listRefused(env, lost)
		}
	}
}

// listTimedOut: the API server has ended the LIST. What had come of the answer is of no
// use.
func (r *Informer) listTimedOut(env *sim.Env) {
	if r.rest.Look(env).call == sim.NoConn {
		return
	}
	env.Cover(listTimedOut)
	q := r.rest.Change(env)
	env.Close(q.call)
	q.call = sim.NoConn
	r.refused(env, q.exchange, ended)
	r.listRefused(env, ended)
}

func (r *Informer) listRefused(env *sim.Env, err *wire.Error) {
	if *r.state.Value() == stateChecking {
		r.checkFailed(env)
	} else {
		r.listFailed(env, err)
	}
}

var lost = &wire.Error{Code: wire.Unavailable, Message: "connection lost"}

// ended is what client-go makes of half an answer.
var ended = &wire.Error{Code: wire.Internal, Message: "stream error: the server ended the answer"}

var readyz wire.ReadyzRequest

// awaitReady waits for the API server to be ready, as behind a load balancer
// that asks /readyz and sends no client to a server that is not ready.
func (r *Informer) awaitReady(env *sim.Env) {
	r.state.Set(env, stateAwaiting)
	q := r.rest.Change(env)
	q.call, q.exchange = env.Call(r.toOf(env), &readyz), r.noteRequest(env, &readyz)
}

// readyAnswered: the API server is ready, or its process has ended.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	q := r.rest.Change(env)
	q.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.ends(env, q.exchange, Answered)
		r.begin(env)
		return
	}
	if err, refused := p.(*wire.Error); refused {
		r.refused(env, q.exchange, err)
	} else {
		r.hangsUp(env, q.exchange, p)
	}
	r.move(env)
	r.awaitReady(env)
}

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
