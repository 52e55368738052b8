package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// serve answers from the store as it is now, or from the snapshot of the
// resourceVersion that the list is to be of.
func (c *Cache) serve(env *sim.Env, i int) {
	r := &c.reads[i]
	if r.watcher != nil {
		c.watchFresh(env, i)
		return
	}
	if !c.ready.isSet(env) {
		env.Cover(servedUnready)
	}
	if env.Noting() {
		env.Say("answers " + env.NodeName(r.from) + "'s " + r.label() + " at resourceVersion " + number(c.store.ResourceVersion(env)))
	}
	if r.get != nil {
		c.key.Key = r.get.Key
		item := c.store.Get(env, &c.key)
		c.finish(env, i, c.answers.get(item, wire.FromCache))
		return
	}
	limit := c.computeListLimit(env, r.list)
	var view store.View
	switch {
	case r.exact > 0:
		var ok bool
		if view, ok = c.store.At(env, c.snapshotOf(env, r)); !ok {
			// It went while the list waited; etcd may still have it.
			env.Cover(snapshotGone)
			c.askEtcd(env, i, wire.FromEtcd)
			return
		}
		env.Cover(listFromSnapshot)
		view.ResourceVersion = r.exact
	default:
		view = c.store.Newest(env)
		if c.cfg.Freshness == FreshnessNone && r.consistent {
			limit = 0
		}
	}
	prefix := c.listPrefix(r.list.Prefix)
	if c.cfg.Pagination == PaginateKept && limit > 0 {
		c.serveAndKeep(env, i, &view, prefix, int(limit))
		return
	}
	items, more := c.collect(env, r.list, &view, prefix, r.start, limit)
	token := ""
	if more {
		env.Cover(listTruncated)
		if c.cfg.Pagination == PaginateIfItFits && r.consistent {
			env.Cover(listDoesNotFit)
			c.askEtcd(env, i, wire.FromEtcd)
			return
		}
		token = encodeContinue(view.ResourceVersion, prefix, items[len(items)-1].Key)
	}
	c.finish(env, i, c.answers.list(view.ResourceVersion, items, token, wire.FromCache))
}

// finish answers the client and ends the read.
func (c *Cache) finish(env *sim.Env, i int, answer sim.Payload) {
	r := c.reads[i]
	c.measureRead(env, &r, answer)
	c.reads[i] = read{}
	if r.watcher != nil {
		r.watcher.Refused(env, answer.(*wire.Error))
		return
	}
	conn := r.conn
	env.Send(conn, answer)
	if r.list != nil {
		c.checks.Detector.Compare(env, r.list, answer, &c.checks.Log)
	}
}
