package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/memory"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// GetList is CacheDelegator.GetList up to the point where it first blocks.
func (d *Delegator) GetList(env *sim.Env, m *sim.Message, req *wire.ListRequest) {
	refused := d.resource().ValidateList(req, d.rules.list)
	var token int64
	var start string
	if refused == nil && req.Continue != "" && !req.Single {
		token, start, refused = request.DecodeContinue(req.Continue, store.PreparePrefix(req.Prefix))
	}
	if refused != nil {
		env.Cover(listInvalid)
		env.Send(m.Conn, refused)
		return
	}
	if d.limit.Exceeded(env) {
		env.Send(m.Conn, memory.Refusal)
		return
	}
	r := d.newRead(env)
	r.conn, r.from, r.cause = m.Conn, m.From, m.Cause
	r.list, r.start = req, start
	r.setVersion(token)
	switch {
	case token > 0 && d.rules.pagination.Continue(env, r):
	case r.shouldDelegateList(env):
		env.Cover(listDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Surroundings.Ready(env) && shouldDelegateListOnNotReadyCache(req):
		env.Cover(listDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Surroundings.Ready(env):
		env.Cover(listRefusedUnready)
		r.finish(env, d.cfg.Surroundings.Refusal(env))
	case req.Match == wire.MatchMostRecent:
		d.Share(env, r)
	case r.consistent:
		d.rules.freshness.Begin(env, r)
	case r.exact > 0:
		if d.cfg.ConfirmsFuture && r.exact > d.cfg.Store.ResourceVersion(env) {
			env.Cover(futureConfirmed)
			d.Share(env, r)
			return
		}
		r.WaitUntilFresh(env, r.exact)
	default:
		r.WaitUntilFresh(env, req.ResourceVersion)
	}
}

// setVersion finds out what state the list is to be of; token is the revision of
// its continue token, 0 if it has none. A negative one stands for the newest
// state.
func (r *Read) setVersion(token int64) {
	req := r.list
	switch {
	case token > 0:
		r.exact = token
	case token < 0:
		r.consistent = true
	case req.Match == wire.MatchExact || isLegacyExact(req):
		r.exact = req.ResourceVersion
	case req.Match == wire.MatchMostRecent:
		r.consistent = true
	default:
		r.consistent = req.ResourceVersion == wire.Unset || req.ResourceVersion == 0 && r.d.cfg.ZeroIsConsistent
	}
}

// isLegacyExact: a resourceVersion with a limit and without a match is exact,
// for clients older than resourceVersionMatch.
func isLegacyExact(req *wire.ListRequest) bool {
	return req.Match == wire.MatchUnset && req.Limit > 0 && req.ResourceVersion > 0 && req.Continue == ""
}

// ReadConsistently begins a read that must not be older than itself: unless there
// is a reason not to rely on the cache now, it finds out what to wait for.
func (r *Read) ReadConsistently(env *sim.Env) {
	d := r.d
	switch {
	case d.rules.notifyDetection.Overdue(env):
		env.Cover(consistentUnnotified)
		r.AskEtcd(env, wire.FromEtcd)
	case d.rules.fallback.Avoids(env, d):
		env.Cover(consistentTooSlow)
		r.AskEtcd(env, wire.FromEtcd)
	default:
		if r.proof = d.cfg.Requester.Proof(env); r.proof != 0 {
			r.WaitUntilFresh(env, 0)
			return
		}
		d.Share(env, r)
	}
}

// Share asks etcd for its revision on behalf of a read, at once or together with
// others.
func (d *Delegator) Share(env *sim.Env, r *Read) { d.rules.sharing.Ask(env, r) }

// ReadAtOnce makes the read one that the cache may answer with what it has,
// however old, and whatever its limit.
func (r *Read) ReadAtOnce(env *sim.Env) {
	r.consistent, r.unlimited = false, true
	if env.Noting() {
		env.Note(unasked{})
	}
	r.WaitUntilFresh(env, r.list.ResourceVersion)
}

// shouldDelegateList says which lists are etcd's to answer however ready the
// cache is (ShouldDelegateList; KEP-2340 and KEP-4988, the LIST table).
func (r *Read) shouldDelegateList(env *sim.Env) bool {
	switch {
	case r.d.Bypassed() || r.list.FromEtcd:
		return true
	case r.list.Single && (r.exact > 0 || r.list.Continue != ""):
		// The cache has no snapshots of one object (ShouldDelegateExactRV).
		return true
	case r.exact > 0:
		return r.shouldDelegateExact(env)
	case r.list.Continue != "":
		return !r.d.cfg.Store.SnapshotsAllowed(env) || r.shouldDelegateConsistent(env)
	case r.list.ResourceVersion == wire.Unset:
		return r.shouldDelegateConsistent(env)
	}
	return false
}

// shouldDelegateExact: the past is etcd's unless there is a snapshot of it. A
// future revision is worth waiting for only if etcd is asked for progress.
func (r *Read) shouldDelegateExact(env *sim.Env) bool {
	s := r.d.cfg.Store
	if !s.SnapshotsAllowed(env) {
		return true
	}
	if r.exact > s.ResourceVersion(env) {
		return r.mayNotRelyOnProgress(env)
	}
	_, ok := s.At(env, r.exact)
	return !ok
}

func (r *Read) shouldDelegateConsistent(env *sim.Env) bool {
	rules := &r.d.rules
	return rules.freshness.NeedsProgress() && r.mayNotRelyOnProgress(env) || rules.pagination.Delegates(r.list)
}

// mayNotRelyOnProgress: no progress of etcd tells the cache when it is fresh enough for the read.
func (r *Read) mayNotRelyOnProgress(env *sim.Env) bool {
	if r.d.cfg.Surroundings.ConsistentReadSupported(env) {
		return false
	}
	if env.Noting() {
		env.Note(distrusts{r.d.cfg.Surroundings.Distrust()})
	}
	return true
}

// shouldDelegateListOnNotReadyCache lets lists that etcd can answer cheaply
// through (KEP-4568).
func shouldDelegateListOnNotReadyCache(req *wire.ListRequest) bool { return req.Limit > 0 }
