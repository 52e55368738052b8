package reflector

import (
	"cmp"
	"slices"

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
