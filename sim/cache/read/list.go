package read

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
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
	if d.answersExceedMemory(env) {
		env.Send(m.Conn, memoryExhausted)
		return
	}
	r := d.newRead(env, m.From, m.Cause, req)
	r.conn, r.list, r.start = m.Conn, req, start
	r.setVersion(token)
	switch {
	case token > 0 && d.cfg.Pagination == PaginateKept && r.answerKept(env):
	case r.shouldDelegateList(env):
		env.Cover(listDelegated)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env) && req.Limit > 0:
		// shouldDelegateListOnNotReadyCache: etcd can answer it cheaply (KEP-4568).
		env.Cover(listDelegatedUnready)
		r.AskEtcd(env, wire.FromEtcd)
	case !d.cfg.Ready.IsSet(env):
		env.Cover(listRefusedUnready)
		r.finish(env, d.cfg.Ready.Refusal(env))
	case req.Match == wire.MatchMostRecent:
		r.askRevision(env)
	case r.consistent:
		d.freshness.Begin(r, env)
	case r.exact > 0 && d.cfg.ConfirmsFuture && r.exact > d.cfg.Store.ResourceVersion(env):
		env.Cover(futureConfirmed)
		r.askRevision(env)
	case r.exact > 0:
		r.WaitUntilFresh(env, r.exact)
	default:
		r.WaitUntilFresh(env, req.ResourceVersion)
	}
}

func (d *Delegator) resource() request.Resource {
	return request.Resource{Prefix: d.cfg.Prefix, Fields: d.cfg.Fields}
}

// setVersion finds out what state the list is to be of; token is the revision of
// its continue token, 0 if it has none. A negative one stands for the newest
// state.
func (r *Read) setVersion(token int64) {
	req := r.list
	switch {
	case token > 0:
		r.exact = token
	case token < 0 || req.Match == wire.MatchMostRecent:
		r.consistent = true
	case req.Match == wire.MatchExact || isLegacyExact(req):
		r.exact = req.ResourceVersion
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
	return r.d.freshness.NeedsProgress && r.mayNotRelyOnProgress(env) || r.d.cfg.Pagination == PaginateInEtcd && r.list.Limit > 0
}

// mayNotRelyOnProgress: no progress of etcd tells the cache when it is fresh enough for the read.
func (r *Read) mayNotRelyOnProgress(env *sim.Env) bool {
	if r.d.cfg.Guard.ConsistentReadSupported(env) {
		return false
	}
	distrusts.Say(env, r.d.cfg.Guard.Distrust())
	return true
}

// Freshness is the value of the option freshness.
type Freshness uint8

// Freshener says what becomes of a LIST that gives no resourceVersion.
type Freshener struct {
	// Bypasses: etcd answers every LIST and GET.
	Bypasses bool
	// NeedsProgress: the cache may answer only if etcd's progress can be trusted.
	// Such lists count as consistent reads.
	NeedsProgress bool
	// Begin begins a read that was to be consistent and that the cache is to answer.
	Begin func(r *Read, env *sim.Env)
}

// Freshnesses is the seam of what a LIST that gives no resourceVersion relies on.
var Freshnesses = option.NewSeam[Freshness, Freshener]("freshness", "what becomes of a LIST that gives no resourceVersion").
	Shipped("consistent", "the cache asks etcd for its revision and waits until it is there (KEP-2340)",
		Freshener{NeedsProgress: true, Begin: (*Read).ReadConsistently})

var (
	FreshnessNone   = Freshnesses.Register("none", "it is answered at once with what the cache has, like one at resourceVersion 0", Freshener{Begin: (*Read).ReadAtOnce})
	FreshnessDirect = Freshnesses.Register("direct", "etcd answers every LIST and GET", Freshener{Bypasses: true})
)

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

// ReadAtOnce lets the cache answer the read from its present contents, however
// old, and whatever the read's limit.
func (r *Read) ReadAtOnce(env *sim.Env) {
	r.consistent, r.unlimited = false, true
	unasked.Say(env)
	r.WaitUntilFresh(env, r.list.ResourceVersion)
}

// notified is whether etcd sends progress notifications: it is taken to send none if none has come yet, or
// none for Limits.NotifyWithin (the draft of 2019, "Determining if etcd is sending
// progress notify events"). Events do not count, as the draft has it, although
// etcd leaves out the notification of a watch that was sent an event since the last
// one.
type notified struct {
	// heard: etcd has sent progress; last is the time of the last notification.
	heard bool
	last  sim.Time
}

// Notified is called with each progress notification.
func (d *Delegator) Notified(env *sim.Env) {
	if d.cfg.DetectsNotify {
		d.notified.Set(env, notified{true, env.Now()})
	}
}

func (d *Delegator) notifyOverdue(env *sim.Env) bool {
	n := d.notified.Get(env)
	return !n.heard || env.Elapsed(n.last, d.cfg.NotifyWithin)
}

// isSlow reports whether the last consistent read waited long, and another one finds out already whether the next
// would.
func (d *Delegator) isSlow(env *sim.Env) bool { return d.slow.Get(env) && *d.waiting.Look(env) > 0 }

// CurrentRevision is the value of the option current-revision.
type CurrentRevision uint8

const (
	byKey CurrentRevision = iota
	byCount
	byEmptyRange
)

// request is a question for etcd's revision: a range that is not expected to return data. What it costs etcd differs: a
// count has it walk its index over all keys. In the empty range nothing can be, as no object has the bare prefix for
// its key, and a range cannot be without a limit by mistake if it has one.
func (c CurrentRevision) request(prefix string) *wire.RangeRequest {
	switch c {
	case byCount:
		return &wire.RangeRequest{Key: prefix, RangeEnd: wire.PrefixEnd(prefix), CountOnly: true}
	case byEmptyRange:
		return &wire.RangeRequest{Key: prefix, RangeEnd: prefix + "\x00", Limit: 1, AsPage: true}
	}
	return &wire.RangeRequest{Key: prefix}
}

// askRevision asks etcd for its revision on behalf of the read
// (getCurrentResourceVersionFromStorage), at once or together with others.
func (r *Read) askRevision(env *sim.Env) {
	r.wait.Change(env)
	d := r.d
	if !d.cfg.SharesRevision || r.waiter != nil {
		r.state, r.call = asking, d.callRevision(env)
		return
	}
	*d.gathered.Change(env)++
	r.state = gathered
	if !env.Armed(d.cfg.Accumulate) {
		env.Arm(d.cfg.Accumulate, d.cfg.AccumulatePeriod)
	}
}

func (d *Delegator) callRevision(env *sim.Env) sim.Conn {
	env.Cover(revisionAsked[d.cfg.CurrentRevision])
	traffic.CurrentRevision.Asked(env)
	return env.Call(d.cfg.KV, d.revisionRequest)
}

// FireAccumulate is the timer Config.Accumulate going off. Each read that was gathered came before the question, so the
// answer is not older than any.
func (d *Delegator) FireAccumulate(env *sim.Env) {
	sharing := d.gathered.Get(env)
	d.gathered.Set(env, 0)
	call := d.callRevision(env)
	for _, r := range d.reads.All() {
		if r.state == gathered {
			r.wait.Change(env)
			r.state, r.call = asking, call
		}
	}
	if sharing > 1 {
		env.Cover(revisionShared)
	}
}

// revisionKnown is what a read does with etcd's revision.
func (r *Read) revisionKnown(env *sim.Env, revision int64) {
	heard.Say(env, revision)
	d := r.d
	if env.Mode() == sim.Timed {
		env.Record(cacheLag, max(0, revision-d.cfg.Store.Version()))
	}
	switch {
	case r.isWatch() && d.cfg.RevisionOfLastWatch:
		revision = swap(env, &d.lastWatch, revision)
	case !r.isWatch() && d.cfg.RevisionOfLastReader:
		revision = swap(env, &d.lastReader, revision)
	}
	switch {
	case r.waiter != nil:
		if !r.waiter.RevisionKnown(env, revision) {
			r.end(env)
		}
	case r.exact == 0:
		r.WaitUntilFresh(env, revision)
	case r.exact > revision:
		env.Cover(futureUnknown)
		r.finish(env, tooLarge)
	default:
		r.WaitUntilFresh(env, r.exact)
	}
}

// swap keeps the revision that etcd answered to one read for the next one. etcd is asked all the same, so that the
// question takes as long.
func swap(env *sim.Env, last *state.Var[int64], revision int64) int64 {
	kept := last.Get(env)
	last.Set(env, revision)
	if kept == 0 || kept == revision {
		return revision
	}
	otherReader.Say(env, kept)
	return kept
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
		if r.list != nil && r.isCounted() {
			env.Record(consistentReadWait, 0)
		}
		if r.consistent && d.cfg.AvoidsSlowCache {
			d.slow.Set(env, false)
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
		env.Note(waits.Of(wanted, r.from, r.label(), what, d.cfg.Store.Version()))
	}
	r.wait.Change(env)
	r.turn.Change(env).woken = false
	*d.waiting.Change(env)++
	r.state, r.began = waiting, env.Now()
	env.Arm(r.timer, patience)
	if !d.cfg.Guard.ConsistentReadSupported(env) {
		return
	}
	if r.get == nil || !d.cfg.SilentGets {
		r.countsForProgress = true
		d.cfg.Requester.Add(env)
	} else {
		waitsSilently.Say(env, wanted)
	}
}

// isFresh reports whether the cache has got to where the read wants it.
func (r *Read) isFresh(env *sim.Env) bool {
	if r.proof != 0 {
		return r.d.cfg.Requester.Proved(env, r.proof)
	}
	return r.wanted <= r.d.cfg.Store.ResourceVersion(env)
}

// Admit reports whether an event gets the lock, which a WatchList that waits for the cache may hold. One that does not
// get it never will.
func (d *Delegator) Admit(env *sim.Env, e *wire.WatchEvent) bool {
	if !d.cfg.HoldsLock {
		return true
	}
	d.waiting.Look(env)
	if !slices.ContainsFunc(d.reads.All(), func(r *Read) bool { return r.isWatch() && r.Waits() }) {
		return true
	}
	lockedOut.Say(env, e)
	d.stuck.Set(env, true)
	return false
}

// isLocked reports whether an event waits for the lock, and each read behind it.
func (d *Delegator) isLocked(env *sim.Env) bool { return d.cfg.HoldsLock && d.stuck.Get(env) }

// Broadcast wakes every read that waits. Each looks again in a step of its own.
func (d *Delegator) Broadcast(env *sim.Env) {
	if *d.waiting.Look(env) == 0 {
		return
	}
	for _, r := range d.reads.All() {
		if r.state == waiting && !r.woken {
			r.turn.Change(env).woken = true
			env.Enable(r.task)
		}
	}
}

// TimedOut is the goroutine beside the read that sleeps for its time: it does not
// end the read, it makes it look.
func (r *Read) TimedOut(env *sim.Env) {
	r.turn.Change(env).expired = true
	r.d.Broadcast(env)
}

// Run is one turn of the loop around cond.Wait.
func (r *Read) Run(env *sim.Env) {
	env.Under(r.cause)
	r.wait.Read(env)
	r.turn.Look(env)
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
			d.slow.Set(env, env.Elapsed(r.began, d.cfg.FallbackAfter))
		}
		env.Cover(readFreshAfterWait)
		r.serve(env)
	case r.expired:
		r.turn.Read(env)
		r.stopWaiting(env)
		r.timeOut(env)
	default:
		env.Cover(readWokenEarly)
		r.turn.Change(env).woken = false
		d.waiting.Change(env)
	}
}

func (r *Read) stopWaiting(env *sim.Env) {
	r.turn.ChangeItem(env, sim.NoItem).woken = false
	*r.d.waiting.Change(env)--
	r.measureWait(env)
	env.Disarm(r.timer)
	if r.countsForProgress {
		r.countsForProgress = false
		r.d.cfg.Requester.Remove(env)
	}
}

// timeOut is what GetList does with a read that waited in vain.
func (r *Read) timeOut(env *sim.Env) {
	if r.proof != 0 {
		gaveUpProof.Say(env, r.from, r.request, r.d.cfg.Store.Version())
	} else {
		gaveUp.Say(env, r.wanted, r.from, r.request, r.d.cfg.Store.Version())
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
		r.d.slow.Set(env, true)
	}
	Timeouts.Of(r.d.cfg.OnTimeout)(env, r)
}

// OnTimeout is the value of the option on-timeout.
type OnTimeout uint8

// TimeoutRule ends a consistent LIST that the cache could not serve within
// Limits.BlockTimeout.
type TimeoutRule func(env *sim.Env, r *Read)

// Timeouts is the seam of what becomes of a consistent LIST that waited in vain
// (KEP-2340, "What if the watch cache is stale?").
var Timeouts = option.NewSeam[OnTimeout, TimeoutRule]("on-timeout", "what becomes of a consistent LIST when the cache is not fresh after 3 s").
	Shipped("reject", "504 with cause ResourceVersionTooLarge (KEP-2340)", reject)

// The other values of on-timeout.
var (
	OnTimeoutFallback = Timeouts.Register("fallback", "etcd answers: the default since Kubernetes 1.31", func(env *sim.Env, r *Read) {
		env.Cover(consistentFallback)
		r.AskEtcd(env, wire.FromFallback)
	})
	OnTimeoutThrottle = Timeouts.Register("throttle", "429 (the alpha gate ConsistentListFromCacheSkipTimeoutFallback)", func(env *sim.Env, r *Read) {
		env.Cover(consistentThrottled)
		r.Refuse(env, Throttled)
	})
)

func reject(env *sim.Env, r *Read) {
	env.Cover(consistentRejected)
	r.Refuse(env, tooLarge)
}

var (
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
	// tooLargeForEtcd is the same from etcd's own store, which does not say when
	// to come back.
	tooLargeForEtcd = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version for etcd"}
	Throttled       = &wire.Error{Code: wire.TooManyRequests, Message: "Too large resource version: retry after 1 s", RetryAfter: 1}
	unavailable     = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)

// serve answers from the store as it is now, or from the snapshot of the
// resourceVersion that the list is to be of. Before a watch begins upstream
// releases the lock, and takes it again for the interval.
func (r *Read) serve(env *sim.Env) {
	if waiter := r.waiter; waiter != nil {
		r.end(env)
		waiter.Fresh(env)
		return
	}
	if !r.d.cfg.Ready.IsSet(env) {
		env.Cover(servedUnready)
	}
	switch {
	case r.get != nil:
		r.serveGet(env)
	case r.list.Single:
		r.serveSingle(env)
	default:
		r.serveList(env)
	}
}

// answering says that the cache answers: from the snapshot of a resourceVersion, or with the newest state if that is 0.
func (r *Read) answering(at, snapshot int64) sim.Note {
	state := "at resourceVersion " + strconv.FormatInt(at, 10)
	if snapshot != 0 {
		state = "from its snapshot of resourceVersion " + strconv.FormatInt(snapshot, 10)
	}
	return answersRead.Of(at, r.from, r.label(), state)
}

// serveSingle answers a LIST of one object (waitUntilFreshAndGetList): from the newest state,
// of which it looks at this object alone.
func (r *Read) serveSingle(env *sim.Env) {
	d := r.d
	p := page{resourceVersion: d.cfg.Store.ResourceVersion(env), prefix: r.list.Prefix}
	if env.Noting() {
		env.Note(r.answering(p.resourceVersion, 0))
	}
	env.Cover(listSingle)
	if kv := r.object(env, r.list.Prefix); kv != nil {
		env.Add(fetchedAll, 1)
		if d.cfg.Fields.Selects(d.cfg.Shards.OfList(r.list, false), kv) {
			p.items = []*wire.KeyValue{kv}
		}
	}
	r.answer(env, &p)
}

func (r *Read) serveList(env *sim.Env) {
	d := r.d
	view, ok := r.view(env)
	if !ok {
		// It went while the list waited; etcd may still have it.
		env.Cover(snapshotGone)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	prefix := d.ObjectPrefix(r.list.Prefix)
	if env.Noting() {
		env.Note(r.answering(view.ResourceVersion, view.Snapshot))
		if prefix != store.PreparePrefix(prefix) {
			openPrefix.Say(env, prefix)
		}
	}
	limit := r.limit()
	switch d.cfg.Pagination {
	case PaginateKept:
		all := r.collect(env, &view, prefix, 0)
		r.answerAndKeep(env, all, limit)
		return
	case PaginateIgnored:
		if limit > 0 {
			env.Cover(limitIgnored)
		}
		limit = 0
	}
	p := r.collect(env, &view, prefix, limit)
	if d.cfg.Pagination == PaginateIfItFits && p.more && r.consistent {
		env.Cover(listDoesNotFit)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	r.answer(env, &p)
}

// view is the state that the list is answered from. It returns false if that is
// not known any more.
func (r *Read) view(env *sim.Env) (store.View, bool) {
	s := r.d.cfg.Store
	if r.exact == 0 {
		return s.Newest(env), true
	}
	at := r.exact
	if r.d.cfg.PagesOfNewest && r.start != "" {
		at = max(at, s.ResourceVersion(env))
	}
	if at > r.exact {
		otherState.Say(env, at, r.exact)
	}
	view, ok := s.At(env, at)
	if ok {
		env.Cover(listFromSnapshot)
	}
	view.ResourceVersion = r.exact
	return view, ok
}

// limit is how many objects the answer may have, 0 for any number: the cache
// ignores the limit of a resourceVersion "0" list (computeListLimit).
func (r *Read) limit() int64 {
	if r.unlimited || r.list.ResourceVersion == 0 && (r.list.Continue == "" || !r.d.cfg.LimitContinues) {
		return 0
	}
	return max(r.list.Limit, 0)
}

// Pagination is the value of the option pagination: what becomes of a consistent LIST with a limit.
type Pagination uint8

// The values of pagination. As shipped the token lets etcd, or a snapshot, serve the pages after the first.
const (
	PaginateFirst Pagination = iota
	PaginateInEtcd
	PaginateIfItFits
	PaginateKept
	PaginateIgnored
)

// page is the answer to a LIST, or a part of it.
type page struct {
	// resourceVersion of the state that the objects are from, and the prefix that
	// they were listed under.
	resourceVersion int64
	prefix          string
	items           []*wire.KeyValue
	// more: there are objects after these, which a selector need not select.
	more bool
	// remaining is how many, 0 if the list has a selector.
	remaining int64
	// trailed: an object that was looked at and not taken comes after these.
	trailed bool
}

// token is where the list goes on, empty if there are no more objects.
func (p *page) token() string {
	if !p.more {
		return ""
	}
	return request.EncodeContinue(p.resourceVersion, p.prefix, p.items[len(p.items)-1].Key)
}

// collect lists the objects that a list is about: those under a prefix from its start on that
// its selector selects, at most limit of them unless that is 0.
func (r *Read) collect(env *sim.Env, view *store.View, prefix string, limit int64) page {
	l := &r.d.answers.look
	p := page{resourceVersion: view.ResourceVersion, prefix: prefix}
	if r.list.Selector.Empty() {
		room := view.Len()
		if limit > 0 {
			room = min(room, int(limit))
		}
		l.begin(room)
		l.limit, l.ends = limit, view.Counts()
		view.Ascend(prefix, r.start, l.at)
		if p.remaining = l.after; l.ends && l.after > 0 {
			p.remaining = int64(view.Count(prefix, r.start)) - limit
		}
		env.Add(fetchedAll, int64(len(l.taken()))+p.remaining)
	} else {
		l.begin(0)
		l.selects, l.fields, l.selector, l.limit, l.ends = true, r.d.cfg.Fields, r.d.cfg.Shards.OfList(r.list, false), limit, true
		// Behind a page upstream looks into no index: it would not know where to begin
		// (waitUntilFreshAndList).
		if r.start == "" {
			l.field, l.value = view.IndexFor(l.selector)
		}
		if l.field != "" {
			view.AscendIndexed(l.field, l.value, prefix, r.start, l.at)
			env.Cover(listByIndex)
			env.Add(fetchedByIndex, l.looked)
		} else {
			env.Cover(listFiltered)
			view.Ascend(prefix, r.start, l.at)
			env.Add(fetchedAll, l.looked)
		}
	}
	if p.items, p.more, p.trailed = l.taken(), l.after > 0, l.trailed; p.more {
		env.Cover(ListTruncated)
	}
	return p
}

// answer answers the client of a LIST from the cache, and ends the read.
func (r *Read) answer(env *sim.Env, p *page) {
	items := p.items
	if r.list.KeysOnly {
		env.Cover(listKeysOnly)
		items = keysOf(items)
	}
	r.finish(env, r.d.answers.list(wire.ListResponse{
		ResourceVersion: p.resourceVersion, Items: items, Continue: p.token(), RemainingItemCount: p.remaining,
		Shard: r.list.Selector.Shard, Origin: wire.FromCache,
	}))
}

// keysOf are the objects without their values. They share no memory with others that live
// longer.
func keysOf(items []*wire.KeyValue) []*wire.KeyValue {
	bare, all := make([]wire.KeyValue, len(items)), make([]*wire.KeyValue, len(items))
	for i, kv := range items {
		bare[i] = *kv
		bare[i].Value = ""
		all[i] = &bare[i]
	}
	return all
}
