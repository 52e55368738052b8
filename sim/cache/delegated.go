package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// askEtcd puts the client's question to etcd, as the etcd3 store does.
func (c *Cache) askEtcd(env *sim.Env, i int, origin wire.Origin) {
	r := &c.reads[i]
	r.state, r.origin = readDelegated, origin
	if r.get != nil {
		r.call = env.Call(c.cfg.KV, &wire.RangeRequest{Key: r.get.Key})
		return
	}
	prefix := preparePrefix(r.list.Prefix)
	req := &wire.RangeRequest{Key: prefix, RangeEnd: rangeEnd(prefix), Limit: r.list.Limit}
	if r.list.Continue != "" {
		rv, key, ok := decodeContinue(r.list.Continue, prefix)
		if !ok {
			env.Cover(listInvalid)
			c.finish(env, i, badContinue)
			return
		}
		req.Key, req.Revision = key, max(rv, 0)
	} else if r.list.Match == wire.MatchExact || isLegacyExact(r.list) {
		req.Revision = r.list.ResourceVersion
	}
	r.wanted = req.Revision
	r.call = env.Call(c.cfg.KV, req)
}

// relay turns etcd's answer into the client's.
func (c *Cache) relay(env *sim.Env, i int, p *wire.RangeResponse) {
	r := &c.reads[i]
	if min := r.minimumResourceVersion(); min > p.Revision {
		// validateMinimumResourceVersion: not older than a future revision.
		env.Cover(etcdTooOld)
		c.finish(env, i, tooLarge)
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
	// A list at a revision carries that one; etcd's header always has the
	// newest.
	at := p.Revision
	if r.wanted > 0 {
		at = r.wanted
	}
	token := ""
	if p.More && len(p.Kvs) > 0 {
		token = encodeContinue(at, p.Kvs[len(p.Kvs)-1].Key)
	}
	c.finish(env, i, c.answers.list(at, p.Kvs, token, r.origin))
}

// minimumResourceVersion is what a read that is not exact asked for.
func (r *read) minimumResourceVersion() int64 {
	switch {
	case r.get != nil:
		return r.get.ResourceVersion
	case r.wanted > 0:
		return 0
	}
	return r.list.ResourceVersion
}

// interpretError is how the storage layer words etcd's refusals.
func interpretError(err *wire.Error) *wire.Error {
	if err.Code == wire.ErrFutureRev {
		return tooLarge
	}
	return err
}
