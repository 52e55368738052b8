package reflector

import (
	"cmp"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// list is a list that comes in pages, or as initial events. An item of its cell is the number of an initial event.
type list struct {
	// items are the items that came so far.
	items []*wire.KeyValue
	// initial is what the etcd that answered began with, nil if it is not known.
	initial *wire.Initial `cell:"-"`
	// revision is that of all pages: the first one fixed it. 0 before.
	revision int64
}

func (l *list) reset() {
	clear(l.items)
	*l = list{items: l.items[:0]}
}

// add puts an initial event into the temporary store, which has one object of each key: they
// come in the order of their keys, unless one comes again.
func (l *list) add(item *wire.KeyValue) {
	last := len(l.items) - 1
	if last < 0 || l.items[last].Key < item.Key {
		l.items = append(l.items, item)
		return
	}
	at, known := slices.BinarySearchFunc(l.items, item.Key, func(kv *wire.KeyValue, key string) int { return cmp.Compare(kv.Key, key) })
	if known {
		l.items[at] = item
	} else {
		l.items = slices.Insert(l.items, at, item)
	}
}

func firstPage(cfg *Config) *wire.RangeRequest {
	return &wire.RangeRequest{Key: cfg.Prefix, RangeEnd: wire.PrefixEnd(cfg.Prefix), Limit: int64(cfg.PageSize)}
}

// listFrom asks for the first page.
func (r *Reflector) listFrom(env *sim.Env, first *wire.RangeRequest) {
	r.list.Change(env).reset()
	r.turn.Change(env).at = listing
	r.ask(env, first)
}

func (r *Reflector) ask(env *sim.Env, page *wire.RangeRequest) {
	traffic.ListForReflector.Asked(env)
	r.turn.Value().page = env.Call(r.cfg.KV, page)
}

func (r *Reflector) listAnswered(env *sim.Env, p sim.Payload) {
	r.turn.Change(env).page = sim.NoConn
	switch p := p.(type) {
	case *wire.RangeResponse:
		traffic.ListForReflector.Answered(env, p)
		r.page(env, p)
	case *wire.Error:
		r.listFailed(env, p.Code)
	default:
		r.listFailed(env, wire.Unavailable)
	}
}

// page takes a page. The list is complete, replaced and watched from in one step:
// no other goroutine sees the reflector between the last page and the lock.
func (r *Reflector) page(env *sim.Env, p *wire.RangeResponse) {
	r.list.Read(env)
	l := r.list.Change(env)
	if l.revision == 0 {
		l.revision = p.Revision
	}
	l.items, l.initial = append(l.items, p.Kvs...), p.Initial()
	switch {
	case p.More && len(p.Kvs) == 0:
		// Nothing says where the next page starts; upstream fails too.
		r.listFailed(env, wire.Unavailable)
	case p.More:
		env.Cover(listPaged)
		next := *r.first
		next.Key = p.Kvs[len(p.Kvs)-1].Key + "\x00"
		next.Revision = l.revision
		r.ask(env, &next)
	default:
		r.sink.Replace(env, l.items, l.initial, l.revision)
		r.synced(env, l.revision)
		r.startWatch(env)
	}
}

// listFailed: compaction between two pages makes the pager list again in one
// piece, at the newest revision; everything else ends the ListAndWatch.
func (r *Reflector) listFailed(env *sim.Env, code wire.Code) {
	if began := r.list.Read(env).revision > 0; began && code == wire.ErrCompacted {
		env.Cover(listExpired)
		whole := *r.first
		whole.Limit = 0
		r.listFrom(env, &whole)
		return
	}
	env.Cover(listFailed)
	r.endListAndWatch(env)
}

// watchList watches with initial events instead of listing. After a first success
// it asks for nothing older than its last state.
func (r *Reflector) watchList(env *sim.Env) {
	env.Cover(watchListStarted)
	at := r.position.Get(env)
	r.list.Change(env).reset()
	start := &wire.WatchStart{Revision: at.resourceVersion, SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true}
	if at.unavailable {
		start.Revision = 0
	}
	asksForInitialEvents.Say(env)
	r.open(env, streaming, start)
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
		r.sink.Replace(env, r.list.Read(env).items, nil, e.ResourceVersion)
		r.synced(env, e.ResourceVersion)
		r.turn.Change(env).at = watching
		r.begin(env)
		return
	case e.Type == wire.Added:
		r.list.ChangeItem(env, int64(len(r.list.Value().items)+1)).add(e.Item)
	}
	r.watch.Change(env).eventful = true
}

// watchListFailed: a resourceVersion that etcd refuses is given up for the newest
// state; anything else makes the reflector list.
func (r *Reflector) watchListFailed(env *sim.Env, err *wire.Error) {
	env.Close(r.turn.Value().watch)
	if err.Code == wire.ErrCompacted || err.Code == wire.TooLargeResourceVersion {
		env.Cover(watchListAgain)
		r.position.Change(env).unavailable = true
		r.watchList(env)
		return
	}
	r.fallBackToList(env)
}

// watchListClosed: the watch ended before the end of the initial events, without
// an error.
func (r *Reflector) watchListClosed(env *sim.Env) {
	if r.watch.Read(env).wasVeryShort(env) {
		env.Cover(watchVeryShort)
		r.fallBackToList(env)
		return
	}
	env.Cover(watchListAgain)
	r.watchList(env)
}

func (r *Reflector) fallBackToList(env *sim.Env) {
	env.Cover(watchListFallsBack)
	fallsBackToList.Say(env)
	r.turn.Value().watch = sim.NoConn
	r.listFrom(env, r.first)
}

// position is lastSyncResourceVersion: where a watch starts. It is of no use
// for a watch with initial events while unavailable: etcd has refused it
// (isLastSyncResourceVersionUnavailable).
type position struct {
	resourceVersion int64
	unavailable     bool
}

// watch is how the present watch has gone so far: began and eventful distinguish a watch that ended at once from a
// watch that worked.
type watch struct {
	began    sim.Time
	eventful bool
	retry    retryWithDeadline
	// reached is the resourceVersion of the list, event or bookmark that came last.
	reached int64
}

// veryShortWatch: a watch that ended earlier, without an event, is taken for a
// failure (client-go's VeryShortWatchError).
const veryShortWatch = time.Second

func (w *watch) wasVeryShort(env *sim.Env) bool {
	return !w.eventful && !env.Elapsed(w.began, veryShortWatch)
}

// synced: the sink has the contents of a list.
func (r *Reflector) synced(env *sim.Env, resourceVersion int64) {
	r.position.Set(env, position{resourceVersion: resourceVersion})
	w := r.watch.Change(env)
	w.retry, w.reached = retryWithDeadline{}, resourceVersion
	r.failed, r.resumes = false, false
}

// startWatch watches from the position on.
func (r *Reflector) startWatch(env *sim.Env) {
	from := r.position.Get(env).resourceVersion
	watches.Say(env, from)
	r.noteStart(from)
	r.open(env, watching, &wire.WatchStart{Revision: from})
}

func (r *Reflector) open(env *sim.Env, at phase, start *wire.WatchStart) {
	t := r.turn.Change(env)
	t.at = at
	r.begin(env)
	start.Prefix, start.ProgressNotify, start.Metadata, start.Announce = r.cfg.Prefix, true, r.cfg.Metadata, r.cfg.Announce
	start.WithoutPrevKV = r.cfg.WithoutPrevKV
	t.watch = env.Open(r.cfg.Watch)
	env.Send(t.watch, start)
}

func (r *Reflector) begin(env *sim.Env) {
	w := r.watch.Change(env)
	w.began, w.eventful = env.Now(), false
	r.events = 0
}

// event is one turn of handleAnyWatch.
func (r *Reflector) event(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	env.Hold(r.turn.Value().watch)
	if !r.sink.Event(env, e) {
		return
	}
	r.events++
	r.position.Change(env).resourceVersion = e.ResourceVersion
	w := r.watch.Change(env)
	w.eventful, w.reached = true, e.ResourceVersion
	r.turn.Change(env).at = storing
}

// Next takes the next event from the watch: the sink is ready for it.
func (r *Reflector) Next(env *sim.Env) {
	t := r.turn.Change(env)
	t.at = watching
	env.Release(t.watch)
}

// watchFailed: an ERROR event ended the watch.
func (r *Reflector) watchFailed(env *sim.Env, err *wire.Error) {
	env.Close(r.turn.Value().watch)
	r.ended(env, r.watch.Value(), err)
	if err.Code != wire.ErrCompacted && !r.cfg.RelistsOnError {
		r.watch.Read(env)
		if r.watch.Change(env).retry.again(env) {
			env.Cover(watchRetried)
			r.startWatch(env)
			return
		}
	}
	if err.Code == wire.ErrCompacted {
		env.Cover(watchExpired)
	}
	r.endListAndWatch(env)
}

// watchClosed: the watch ended without an error.
func (r *Reflector) watchClosed(env *sim.Env) {
	if r.turn.Value().at == streaming {
		r.watchListClosed(env)
		return
	}
	r.ended(env, r.watch.Value(), nil)
	if r.watch.Read(env).wasVeryShort(env) {
		env.Cover(watchVeryShort)
		r.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	r.startWatch(env)
}

// maxInternalErrorRetry is how long the reflector watches again after internal
// errors before it lists again (Reflector.MaxInternalErrorRetryDuration, which
// the cacher sets so that an etcd election does not end all watches).
const maxInternalErrorRetry = 30 * time.Second

// retryWithDeadline is client-go's: internal errors are retried until they have
// gone on for maxInternalErrorRetry; a quiet minute makes them new ones.
type retryWithDeadline struct {
	failed      bool
	first, last sim.Time
}

// again reports whether to watch again after an error.
func (r *retryWithDeadline) again(env *sim.Env) bool {
	now := env.Now()
	if !r.failed || env.Elapsed(r.last, time.Minute) {
		*r = retryWithDeadline{failed: true, first: now, last: now}
		return true
	}
	r.last = now
	// Exactly 30 s are still within.
	if env.Elapsed(r.first, maxInternalErrorRetry+1) {
		*r = retryWithDeadline{}
		return false
	}
	return true
}
