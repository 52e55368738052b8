package informer

import (
	"slices"

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

// Asks visits what the informer lists first, and of which node.
func (r *Informer) Asks(visit func(to sim.NodeID, p sim.Payload)) {
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
