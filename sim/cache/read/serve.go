package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// serve answers from the store as it is now, or from the snapshot of the
// resourceVersion that the list is to be of.
func (r *Read) serve(env *sim.Env) {
	if r.watch != nil {
		r.watchFresh(env)
		return
	}
	if !r.d.cfg.Surroundings.Ready(env) {
		env.Cover(servedUnready)
	}
	if r.get != nil {
		r.serveGet(env)
	} else {
		r.serveList(env)
	}
}

func (r *Read) serveGet(env *sim.Env) {
	d := r.d
	if env.Noting() {
		env.Note(answers{from: r.from, what: r.label(), at: d.cfg.Store.Version()})
	}
	r.finish(env, d.responses.Get(r.object(env, r.get.Key), d.cfg.Store.ResourceVersion(env), wire.FromCache))
}

// object is that of a key as it is now, nil if there is none.
func (r *Read) object(env *sim.Env, key string) *wire.KeyValue {
	d := r.d
	d.key.Key = key
	return d.cfg.Store.Get(env, &d.key)
}

// serveSingle answers a LIST of one object (waitUntilFreshAndGetList): from the newest state,
// of which it looks at this object alone.
func (r *Read) serveSingle(env *sim.Env) {
	d := r.d
	page := Page{ResourceVersion: d.cfg.Store.ResourceVersion(env), Prefix: r.list.Prefix}
	if env.Noting() {
		env.Note(answers{from: r.from, what: r.label(), at: page.ResourceVersion})
	}
	env.Cover(listSingle)
	if kv := r.object(env, r.list.Prefix); kv != nil {
		env.Add(fetchedAll, 1)
		if d.cfg.Fields.Selects(r.list.Selector, kv) {
			page.Items = []*wire.KeyValue{kv}
		}
	}
	r.Answer(env, &page)
}

func (r *Read) serveList(env *sim.Env) {
	if r.list.Single {
		r.serveSingle(env)
		return
	}
	d := r.d
	view, ok := r.view(env)
	if !ok {
		// It went while the list waited; etcd may still have it.
		env.Cover(snapshotGone)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	if env.Noting() {
		env.Note(answers{from: r.from, what: r.label(), at: view.ResourceVersion, snapshot: view.Snapshot})
	}
	prefix := d.ObjectPrefix(r.list.Prefix)
	if env.Noting() && prefix != store.PreparePrefix(prefix) {
		env.Note(openPrefix{prefix})
	}
	d.rules.pagination.Answer(env, r, view, prefix, r.limit())
}

// view is the state that the list is answered from. It returns false if that is
// not known any more.
func (r *Read) view(env *sim.Env) (store.View, bool) {
	if r.exact == 0 {
		return r.d.cfg.Store.Newest(env), true
	}
	at := r.exact
	if r.d.cfg.PagesOfNewest && r.start != "" {
		at = max(at, r.d.cfg.Store.ResourceVersion(env))
	}
	if at > r.exact && env.Noting() {
		env.Note(otherState{r.exact, at})
	}
	view, ok := r.d.cfg.Store.At(env, at)
	if ok {
		env.Cover(listFromSnapshot)
	}
	view.ResourceVersion = r.exact
	return view, ok
}
