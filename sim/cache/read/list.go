package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/memory"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// GetList is CacheDelegator.GetList up to the point where it first blocks.
func (d *Delegator) GetList(env *sim.Env, m *sim.Message, req *wire.ListRequest) {
	refused := d.resource().ValidateList(req, d.cfg.Lists)
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
	case token > 0 && d.cfg.Pagination == PaginateKept && d.kept.next(env, r):
	case r.shouldDelegateList(env):
		env.Cover(listDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env) && shouldDelegateListOnNotReadyCache(req):
		env.Cover(listDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env):
		env.Cover(listRefusedUnready)
		r.finish(env, d.cfg.Ready.Refusal(env))
	case req.Match == wire.MatchMostRecent:
		r.askRevision(env)
	case r.consistent:
		d.freshness.Begin(r, env)
	case r.exact > 0:
		if d.cfg.ConfirmsFuture && r.exact > d.cfg.Store.ResourceVersion(env) {
			env.Cover(futureConfirmed)
			r.askRevision(env)
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
	return r.d.freshness.NeedsProgress && r.mayNotRelyOnProgress(env) || r.d.pagination.Delegates && r.list.Limit > 0
}

// mayNotRelyOnProgress: no progress of etcd tells the cache when it is fresh enough for the read.
func (r *Read) mayNotRelyOnProgress(env *sim.Env) bool {
	if r.d.cfg.Guard.ConsistentReadSupported(env) {
		return false
	}
	if env.Noting() {
		env.Note(distrusts.Of(r.d.cfg.Guard.Distrust()))
	}
	return true
}

// shouldDelegateListOnNotReadyCache lets lists that etcd can answer cheaply
// through (KEP-4568).
func shouldDelegateListOnNotReadyCache(req *wire.ListRequest) bool { return req.Limit > 0 }

// ReadConsistently begins a read that must not be older than itself: unless there
// is a reason not to rely on the cache now, it finds out what to wait for.
func (r *Read) ReadConsistently(env *sim.Env) {
	d := r.d
	switch {
	case d.cfg.DetectsNotify && d.notifyOverdue(env):
		env.Cover(consistentUnnotified)
		r.AskEtcd(env, wire.FromEtcd)
	case d.cfg.AvoidsSlowCache && d.isSlow(env):
		env.Cover(consistentTooSlow)
		r.AskEtcd(env, wire.FromEtcd)
	default:
		if r.proof = d.cfg.Requester.Proof(env); r.proof != 0 {
			r.WaitUntilFresh(env, 0)
			return
		}
		r.askRevision(env)
	}
}

// ReadAtOnce makes the read one that the cache may answer with what it has,
// however old, and whatever its limit.
func (r *Read) ReadAtOnce(env *sim.Env) {
	r.consistent, r.unlimited = false, true
	if env.Noting() {
		env.Note(unasked.Of())
	}
	r.WaitUntilFresh(env, r.list.ResourceVersion)
}

// askRevision asks etcd for its revision on behalf of the read
// (getCurrentResourceVersionFromStorage), at once or together with others.
func (r *Read) askRevision(env *sim.Env) {
	env.Writes(cellWait, r.number)
	d := r.d
	if !d.cfg.SharesRevision || r.watch != nil {
		r.state, r.call = asking, d.callRevision(env)
		return
	}
	env.Writes(cellGathered, 0)
	r.state = gathered
	if !env.Armed(d.cfg.Accumulate) {
		env.Arm(d.cfg.Accumulate, d.cfg.AccumulatePeriod)
	}
}

func (d *Delegator) callRevision(env *sim.Env) sim.Conn {
	env.Cover(d.revision.Asked)
	traffic.Asked(env, traffic.CurrentRevision)
	return env.Call(d.cfg.KV, d.revisionRequest)
}

// revisionKnown is what a read does with etcd's revision.
func (r *Read) revisionKnown(env *sim.Env, revision int64) {
	if env.Noting() {
		env.Note(heard.At(revision))
	}
	d := r.d
	r.measureLag(env, revision)
	if r.watch != nil {
		if d.cfg.RevisionOfLastWatch {
			revision = swap(env, cellLastWatch, &d.lastWatch, revision)
		}
		if !r.watch.RevisionKnown(env, revision) {
			r.end(env)
		}
		return
	}
	if d.cfg.RevisionOfLastReader {
		revision = swap(env, cellLastReader, &d.lastReader, revision)
	}
	switch {
	case r.exact == 0:
		r.WaitUntilFresh(env, revision)
	case r.exact > revision:
		env.Cover(futureUnknown)
		r.finish(env, tooLarge)
	default:
		r.WaitUntilFresh(env, r.exact)
	}
}

// WaitUntilFresh is waitUntilFreshLocked up to cond.Wait. Unset is below every
// resourceVersion: such a read does not wait.
func (r *Read) WaitUntilFresh(env *sim.Env, wanted int64) {
	r.waitUntilFresh(env, wanted, r.d.cfg.BlockTimeout)
}

func (r *Read) waitUntilFresh(env *sim.Env, wanted int64, patience sim.Duration) {
	d := r.d
	r.wanted = wanted
	if r.isFresh(env) && !d.isLocked(env) {
		env.Cover(readFreshAtOnce)
		r.measureNoWait(env)
		if r.consistent && d.cfg.AvoidsSlowCache {
			d.setSlow(env, false)
		}
		r.serve(env)
		return
	}
	env.Cover(readWaits)
	if env.Noting() {
		what := "resourceVersion " + strconv.FormatInt(wanted, 10)
		if r.proof != 0 {
			what = "the answer to a progress request that is still to be sent"
		}
		env.Note(waits.At(wanted, r.from, r.label(), what, d.cfg.Store.Version()))
	}
	env.Writes(cellWait, r.number)
	env.Writes(cellTurn, r.number)
	env.Writes(cellWaiting, 0)
	r.state, r.began = waiting, env.Now()
	d.waiting++
	env.Arm(r.timer, patience)
	if !d.cfg.Guard.ConsistentReadSupported(env) {
		return
	}
	if r.get == nil || !d.cfg.SilentGets {
		r.countsForProgress = true
		d.cfg.Requester.Add(env)
	} else if env.Noting() {
		env.Note(waitsSilently.At(wanted))
	}
}

// isFresh reports whether the cache has got to where the read wants it.
func (r *Read) isFresh(env *sim.Env) bool {
	if r.proof != 0 {
		return r.d.cfg.Requester.Proved(env, r.proof)
	}
	return r.wanted <= r.d.cfg.Store.ResourceVersion(env)
}

// Broadcast wakes every read that waits. Each looks again in a step of its own.
func (d *Delegator) Broadcast(env *sim.Env) {
	env.LooksAt(cellWaiting, 0)
	if d.waiting == 0 {
		return
	}
	for _, r := range d.reads {
		if r.state == waiting {
			env.Writes(cellTurn, r.number)
			r.state = woken
			env.Enable(r.task)
		}
	}
}

// TimedOut is the goroutine beside the read that sleeps for its time: it does not
// end the read, it makes it look.
func (r *Read) TimedOut(env *sim.Env) {
	env.Writes(cellTurn, r.number)
	r.expired = true
	r.d.Broadcast(env)
}

// Run is one turn of the loop around cond.Wait.
func (r *Read) Run(env *sim.Env) {
	env.Under(r.cause)
	env.Reads(cellWait, r.number)
	env.LooksAt(cellTurn, r.number)
	d := r.d
	switch {
	case d.isLocked(env):
		// Behind the event that waits for the lock.
	case r.isFresh(env):
		if r.expired {
			env.Cover(readFreshAtTheLast)
		}
		r.stopWaiting(env)
		if r.consistent && d.cfg.AvoidsSlowCache {
			d.setSlow(env, env.Elapsed(r.began, d.cfg.FallbackAfter))
		}
		env.Cover(readFreshAfterWait)
		r.serve(env)
	case r.expired:
		env.Reads(cellTurn, r.number)
		r.stopWaiting(env)
		r.timeOut(env)
	default:
		env.Cover(readWokenEarly)
		env.Writes(cellTurn, r.number)
		env.Writes(cellWaiting, 0)
		r.state = waiting
	}
}

func (r *Read) stopWaiting(env *sim.Env) {
	env.WritesItem(cellTurn, r.number, sim.NoItem)
	env.Writes(cellWaiting, 0)
	r.d.waiting--
	r.measureWait(env)
	env.Disarm(r.timer)
	if r.countsForProgress {
		r.countsForProgress = false
		r.d.cfg.Requester.Remove(env)
	}
}

// timeOut is what GetList does with a read that waited in vain.
func (r *Read) timeOut(env *sim.Env) {
	if env.Noting() {
		env.Note(gaveUp.At(r.wanted, r.from, r.label(), r.d.cfg.Store.Version()))
	}
	if !r.consistent {
		env.Cover(readTimedOut)
		r.finish(env, tooLarge)
		return
	}
	if r.list != nil && (r.list.Match == wire.MatchMostRecent || r.list.KeysOnly) {
		// KEP-3157 has the informer ask again, and for Cacher.getKeys there is no fallback.
		reject(env, r)
		return
	}
	if r.d.cfg.AvoidsSlowCache {
		r.d.setSlow(env, true)
	}
	Timeouts.Of(r.d.cfg.OnTimeout)(env, r)
}

// serve answers from the store as it is now, or from the snapshot of the
// resourceVersion that the list is to be of.
func (r *Read) serve(env *sim.Env) {
	if r.watch != nil {
		r.watchFresh(env)
		return
	}
	if !r.d.cfg.Ready.IsSet(env) {
		env.Cover(servedUnready)
	}
	if r.get != nil {
		r.serveGet(env)
	} else {
		r.serveList(env)
	}
}

// serveSingle answers a LIST of one object (waitUntilFreshAndGetList): from the newest state,
// of which it looks at this object alone.
func (r *Read) serveSingle(env *sim.Env) {
	d := r.d
	page := Page{ResourceVersion: d.cfg.Store.ResourceVersion(env), Prefix: r.list.Prefix}
	if env.Noting() {
		env.Note(r.answering(page.ResourceVersion, 0))
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
		env.Note(r.answering(view.ResourceVersion, view.Snapshot))
	}
	prefix := d.ObjectPrefix(r.list.Prefix)
	if env.Noting() && prefix != store.PreparePrefix(prefix) {
		env.Note(openPrefix.Of(prefix))
	}
	d.pagination.Answer(env, r, view, prefix, r.limit())
}

// answering says that the cache answers: from the snapshot of a resourceVersion, or with the newest state if that is 0.
func (r *Read) answering(at, snapshot int64) sim.Note {
	state := "at resourceVersion " + strconv.FormatInt(at, 10)
	if snapshot != 0 {
		state = "from its snapshot of resourceVersion " + strconv.FormatInt(snapshot, 10)
	}
	return answers.At(at, r.from, r.label(), state)
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
		env.Note(otherState.At(at, r.exact))
	}
	view, ok := r.d.cfg.Store.At(env, at)
	if ok {
		env.Cover(listFromSnapshot)
	}
	view.ResourceVersion = r.exact
	return view, ok
}

// limit is how many objects the answer may have, 0 for any number: the cache
// ignores the limit of a resourceVersion "0" list (computeListLimit).
func (r *Read) limit() int64 {
	limit := max(r.list.Limit, 0)
	switch {
	case r.unlimited || r.list.ResourceVersion == 0 && r.list.Continue == "":
		return 0
	case r.list.ResourceVersion == 0 && !r.d.cfg.LimitContinues:
		return 0
	}
	return limit
}
