package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// askEtcd puts the client's question to etcd, as the etcd3 store does.
func (c *Cache) askEtcd(env *sim.Env, i int, origin wire.Origin) {
	if !c.mayAskEtcd(env, i) {
		return
	}
	r := &c.reads[i]
	r.state, r.origin = readDelegated, origin
	traffic.Asked(env, r.operation())
	if r.get != nil {
		r.call = env.Call(c.cfg.KV, &wire.RangeRequest{Key: r.get.Key})
		return
	}
	prefix := store.PreparePrefix(r.list.Prefix)
	req := &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), Limit: max(r.list.Limit, 0)}
	if r.list.Continue != "" {
		req.Key = r.start
	}
	req.Revision = r.exact
	r.call = env.Call(c.cfg.KV, req)
}

// relay turns etcd's answer into the client's.
func (c *Cache) relay(env *sim.Env, i int, p *wire.RangeResponse) {
	r := &c.reads[i]
	if min := r.minimumResourceVersion(); min > p.Revision {
		// validateMinimumResourceVersion: not older than a future revision.
		env.Cover(etcdTooOld)
		c.finish(env, i, tooLargeForEtcd)
		return
	}
	if r.get != nil {
		var item *wire.KeyValue
		if len(p.Kvs) > 0 {
			item = p.Kvs[0]
		}
		c.finish(env, i, c.answers.get(item, r.origin))
		return
	}
	lastKey := ""
	if !r.list.Selector.Empty() {
		if p, lastKey = c.selectFrom(env, i, p); p == nil {
			return
		}
	} else if len(p.Kvs) > 0 {
		lastKey = p.Kvs[len(p.Kvs)-1].Key
	}
	// A list at a revision carries that one; etcd's header always has the
	// newest.
	at := p.Revision
	if r.exact > 0 {
		at = r.exact
	}
	token := ""
	if p.More && lastKey != "" {
		token = encodeContinue(at, store.PreparePrefix(r.list.Prefix), lastKey)
	}
	c.finish(env, i, c.answers.list(at, p.Kvs, token, r.origin))
}

// minimumResourceVersion is what a read that is not exact asked for.
func (r *read) minimumResourceVersion() int64 {
	switch {
	case r.get != nil:
		return r.get.ResourceVersion
	case r.exact > 0:
		return 0
	}
	return r.list.ResourceVersion
}

// interpretError is how the storage layer words etcd's refusals.
func interpretError(err *wire.Error) *wire.Error {
	if err.Code == wire.ErrFutureRev {
		return tooLargeForEtcd
	}
	return err
}
