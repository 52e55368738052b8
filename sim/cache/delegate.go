package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// shouldDelegateList says which lists are etcd's to answer however ready the
// cache is (ShouldDelegateList; KEP-2340 and KEP-4988, the LIST table). The
// revision is that of the list's continue token, 0 if it has none.
func (c *Cache) shouldDelegateList(env *sim.Env, req *wire.ListRequest, token int64) bool {
	switch {
	case c.cfg.Freshness == FreshnessDirect || req.FromEtcd:
		return true
	case req.Match == wire.MatchExact:
		return c.shouldDelegateExact(env, req.ResourceVersion)
	case token > 0:
		return c.shouldDelegateExact(env, token)
	case token < 0:
		return !c.store.SnapshotsAllowed(env) || c.shouldDelegateConsistentRead(env, req)
	case req.Match == wire.MatchNotOlderThan:
		return false
	case isLegacyExact(req):
		return c.shouldDelegateExact(env, req.ResourceVersion)
	case req.ResourceVersion == wire.Unset:
		return c.shouldDelegateConsistentRead(env, req)
	}
	return false
}

// shouldDelegateExact: the past is etcd's unless there is a snapshot of it. A
// future revision is worth waiting for only if somebody will tell of it.
func (c *Cache) shouldDelegateExact(env *sim.Env, resourceVersion int64) bool {
	if !c.store.SnapshotsAllowed(env) {
		return true
	}
	if resourceVersion > c.store.ResourceVersion(env) {
		return !c.guard.ConsistentReadSupported(env)
	}
	_, ok := c.store.At(env, resourceVersion)
	return !ok
}

func (c *Cache) shouldDelegateConsistentRead(env *sim.Env, req *wire.ListRequest) bool {
	return c.cfg.Freshness == FreshnessConsistent && !c.guard.ConsistentReadSupported(env) ||
		c.cfg.Pagination == PaginateInEtcd && req.Limit > 0
}

// isLegacyExact: a resourceVersion with a limit and without a match is exact,
// for clients older than resourceVersionMatch.
func isLegacyExact(req *wire.ListRequest) bool {
	return req.Match == wire.MatchUnset && req.Limit > 0 && req.ResourceVersion > 0 && req.Continue == ""
}

// shouldDelegateListOnNotReadyCache lets lists that etcd can answer cheaply
// through (KEP-4568).
func shouldDelegateListOnNotReadyCache(req *wire.ListRequest) bool { return req.Limit > 0 }

// computeListLimit: the cache ignores the limit of a resourceVersion "0" list.
func (c *Cache) computeListLimit(env *sim.Env, req *wire.ListRequest) int64 {
	if req.ResourceVersion == 0 && req.Continue == "" {
		return 0
	}
	if c.cfg.Pagination == PaginateIgnored {
		if req.Limit > 0 {
			env.Cover(limitIgnored)
		}
		return 0
	}
	return max(req.Limit, 0)
}
