package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// getList is CacheDelegator.GetList up to the point where it first blocks.
func (c *Cache) getList(env *sim.Env, m *sim.Message, req *wire.ListRequest) {
	var token int64
	var start string
	refused := c.validateList(req)
	if refused == nil && req.Continue != "" {
		token, start, refused = decodeContinue(req.Continue, store.PreparePrefix(req.Prefix))
	}
	if refused != nil {
		env.Cover(listInvalid)
		env.Send(m.Conn, refused)
		return
	}
	i := c.newRead(env, m)
	r := &c.reads[i]
	r.list, r.start = req, start
	switch {
	case token > 0:
		r.exact = token
	case token < 0:
		r.consistent = true
	case req.Match == wire.MatchExact || isLegacyExact(req):
		r.exact = req.ResourceVersion
	default:
		r.consistent = req.ResourceVersion == wire.Unset ||
			req.ResourceVersion == 0 && c.cfg.Defects.ZeroRV == ZeroRVConsistent
	}
	switch {
	case token > 0 && c.serveKept(env, i):
	case c.shouldDelegateList(env, req, token):
		env.Cover(listDelegated)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.isSet(env) && shouldDelegateListOnNotReadyCache(req):
		env.Cover(listDelegatedUnready)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.isSet(env):
		env.Cover(listRefusedUnready)
		c.finish(env, i, c.ready.refusal(env))
	case r.consistent && c.cfg.Freshness == FreshnessConsistent:
		c.consistentRead(env, i)
	case r.exact > c.store.ResourceVersion(env) && c.cfg.Snapshots.FutureRV == FutureRVConfirm:
		env.Cover(futureConfirmed)
		c.getCurrentRevision(env, i)
	case r.exact > 0:
		c.waitUntilFresh(env, i, r.exact)
	default:
		// Unset is below every resourceVersion: FreshnessNone does not wait.
		c.waitUntilFresh(env, i, req.ResourceVersion)
	}
}

// consistentRead begins a read that must not be older than itself.
func (c *Cache) consistentRead(env *sim.Env, i int) {
	switch {
	case c.notifyOverdue(env):
		env.Cover(consistentUnnotified)
		c.askEtcd(env, i, wire.FromEtcd)
	case c.slow && c.waiting > 0:
		// One read at a time finds out whether the cache keeps up again.
		env.Cover(consistentTooSlow)
		c.askEtcd(env, i, wire.FromEtcd)
	case c.cfg.ProgressRequests == ProgressEcho:
		c.reads[i].echo = c.requester.nextEcho()
		c.waitUntilFresh(env, i, 0)
	default:
		c.getCurrentRevision(env, i)
	}
}

// getObject is CacheDelegator.Get. A GET that gives no resourceVersion is
// etcd's in every design.
func (c *Cache) getObject(env *sim.Env, m *sim.Message, req *wire.GetRequest) {
	if refused := c.validateGet(req); refused != nil {
		env.Cover(getInvalid)
		env.Send(m.Conn, refused)
		return
	}
	i := c.newRead(env, m)
	c.reads[i].get = req
	switch {
	case req.ResourceVersion == wire.Unset || c.cfg.Freshness == FreshnessDirect:
		env.Cover(getDelegated)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.isSet(env):
		env.Cover(getDelegatedUnready)
		c.askEtcd(env, i, wire.FromEtcd)
	default:
		c.waitUntilFresh(env, i, req.ResourceVersion)
	}
}
