package caches

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// JustifiedRefusals judges each refusal by what was so between the request and its
// arrival at the client. A refusal is allowed if at some point in between there was
// a reason, so that a reason which had just gone does not make a violation.
//
//   - 410: etcd has compacted the revision that the client asked for. A watch may also
//     be refused if the cache has listed since, if its history may have been full
//     and have lost events (since the newest resourceVersion that the watch was sent), or if the cache compacts its history and has heard of a later
//     compaction than etcd would serve the watch after;
//
//   - 504: the cache was behind the revision that the request needs, in a timed run for
//     as long as a request waits, and not longer;
//
//   - 429: the cache was not ready; or a limit of its design may have been reached, of lists that are with
//     etcd, of objects in answers that are under way, or of seats; or etcd has refused the write because of
//     a fault.
//
//   - 503: something has broken or failed in the run, or the API server has not started.
//
//   - 500: a watch that etcd serves is never refused so if its revision was compacted when it was asked for.
//
// A refusal says when the client may ask again: see comeback. Invalid requests (400) are not judged. It is exercised by
// refusals.
var JustifiedRefusals = testbed.RegisterProperty(&testbed.Property{
	Name: "justified-refusals", Kind: testbed.Safety,
	Promise: "A request is refused with 410 only if what it asks for is gone, with 504 only if the cache is behind for as long as requests wait, " +
		"with 429 only if the cache is not ready or has too much to do, with 503 only if something fails, and a watch of compacted history with nothing but 410; a request that waits is refused in time, and the refusal says when to ask again.",
	Violated: "refused without a reason",
	Labels:   map[string]string{"compacted": "refused as gone, and is there", "late": "refused too late", "internal error": "error in place of a 410", "retry-after": "wrong Retry-After", "too-many-requests": "refused as one request too many", "unavailable": "unavailable where nothing fails"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.RecordedBy(newJustifiedRefusals, (*justifiedRefusals).judge),
})

type justifiedRefusals struct {
	promise
	timed bool
	// steady: no fault makes etcd end a watch or refuse one.
	steady bool
	// grace is how much later than its patience says a refusal may arrive, with the
	// delays of each phase.
	grace [2]time.Duration
	// etcd are the options of an API server without settings of its own, which stand for those of etcd.
	etcd *cache.Options
}

func newJustifiedRefusals(s *testbed.System) *justifiedRefusals {
	nodes, f := s.Nodes(), s.Params().Faults
	steady := f.LeaderLosses+f.StreamEnds+f.WatchRefusals+f.EtcdRestarts+f.Failovers == 0 && f.Downgrade == ""
	return &justifiedRefusals{promiseOf(s), s.Params().Clock.Mode == sim.Timed, steady, graceOf(s), &nodes.Cache}
}

// options are those of an API server, nil for etcd.
func (j *justifiedRefusals) options(of *testbed.Server) *cache.Options {
	if of == nil {
		return j.etcd
	}
	return &of.Cache
}

func (j *justifiedRefusals) judge(w *sim.World, all *testbed.Tally) {
	for o := range j.system.Operations() {
		at := j.evidence.Of(o)
		if wrong := j.late(o, at, w.Now()); wrong != "" {
			o.Violate(all, "late", "%s's %s %s", sentence(o.Request), wrong)
		}
		if o.Outcome != model.Failed || !isJudged(o.Result.Err) {
			continue
		}
		all.Exercised++
		label, wrong := o.Result.Err.String(), j.ofOperation(o, at)
		if wrong == "" {
			label, wrong = "retry-after", j.comebackOf(o.Operation, at).wrong(o.Span.RetryAfter)
		}
		if wrong != "" {
			o.Violate(all, label, unjustified, sentence(o.Request), o.Result.Err, wrong)
		}
	}
	for w := range j.system.Watches() {
		if w.Failed() != nil {
			j.ofWatch(all, j.refused(w))
		}
	}
}

func isJudged(c model.Code) bool {
	switch c {
	case model.Compacted, model.Future, model.TimedOut, model.TooManyRequests, model.Unavailable:
		return true
	}
	return false
}

// unavailable judges a 503.
func (j *justifiedRefusals) unavailable(at *evidence.Call) string {
	if !j.evidence.Untroubled(&at.Answered) || at.Cache >= 0 && !at.WasReady() {
		return ""
	}
	return "nothing had broken or failed in the run"
}

// ofOperation says what is wrong with the refusal of an operation of the history,
// nothing if it is justified.
func (j *justifiedRefusals) ofOperation(op *testbed.Operation, at *evidence.Call) string {
	revision, took := op.Request.Revision, op.Span.Return.Sub(op.Span.Call)
	switch op.Result.Err {
	case model.Compacted:
		if revision == 0 && op.Request.Selection.Values != (model.ValuePattern{}) && op.Request.Limit > 0 {
			// etcd was asked page after page at the revision of its first answer.
			revision = at.Asked.Revision
		}
		// etcd refuses to compact at the same revision twice.
		if gone := revision < at.Answered.Compacted || revision == at.Answered.Compacted && op.Request.Kind == model.Compact; revision == 0 || !gone {
			return fmt.Sprintf("etcd was compacted at revision %d only", at.Answered.Compacted)
		}
	case model.Future:
		if at.Cache >= 0 && !at.Server.Design.SpeaksEtcd {
			return "that is etcd's error, and the API has one of its own for it (504, ResourceVersionTooLarge)"
		}
		if revision <= at.Asked.Revision {
			return fmt.Sprintf("etcd was at revision %d when it was asked", at.Asked.Revision)
		}
	case model.TooManyRequests:
		return j.tooMany(op.Operation, took, at)
	case model.TimedOut:
		return j.behind(op.Operation, took, at)
	case model.Unavailable:
		return j.unavailable(at)
	}
	return ""
}

// tooMany judges a 429.
func (j *justifiedRefusals) tooMany(op *model.Operation, took time.Duration, at *evidence.Call) string {
	switch {
	case at.Cache < 0 && slices.ContainsFunc(j.system.Etcd().Failed(), func(p sim.Payload) bool { return j.evidence.Same(p, at.Request) }):
		return ""
	case at.Cache < 0:
		return "etcd did not have too many requests to apply"
	case !at.WasReady():
		return ""
	case throttles(j.options(at.Server)) && op.Request.Freshness == model.Consistent:
		// One that has not waited too long may be one too many.
		if wrong := j.behind(op, took, at); wrong == "" || !hasLimits(j.options(at.Server)) {
			return wrong
		}
	}
	return j.withinLimits(at)
}

// behind judges a 504 of a cache.
func (j *justifiedRefusals) behind(op *model.Operation, took time.Duration, at *evidence.Call) string {
	r := op.Request
	switch {
	case r.Freshness == model.Any:
		return "it needs no fresh cache"
	case r.Freshness == model.Consistent:
		if at.WasCurrent() && !proves(j.options(at.Server)) {
			return fmt.Sprintf("the cache was as new as etcd, at RV %d, all the time", at.Asked.Cache.Version)
		}
	case r.Revision <= at.Asked.Cache.Version:
		return fmt.Sprintf("the cache was at RV %d when it was asked", at.Asked.Cache.Version)
	}
	long := patience(j.options(at.Server))
	if !j.timed || !j.waits(op, at) {
		return ""
	}
	if took < long {
		return fmt.Sprintf("it came after %v, and a request waits for %v", took, long)
	}
	// The revision that a consistent read needs is read from etcd before it waits, or at the time at which it begins
	// to.
	end := at.Answered.Time
	if since, did := at.CaughtUp(end-sim.Time(long)+1, end-sim.Time(j.grace[sim.Safety])); did && !proves(j.options(at.Server)) && (r.Freshness == model.Consistent || r.Revision <= at.Asked.Revision) {
		return fmt.Sprintf("the cache was as new as etcd %v before, while the request waited", end.Sub(since))
	}
	return ""
}

// waits reports whether a refused read has waited in the cache: etcd's own storage
// refuses at once, and a cache that asks etcd whether the version exists if it does not.
func (j *justifiedRefusals) waits(op *model.Operation, at *evidence.Call) bool {
	if op.Request.Freshness == model.Consistent {
		return true
	}
	server, known := j.server(op, at)
	return known && server == wire.FromCache && at.WasReady() &&
		(!j.options(at.Server).Reads.ConfirmsFuture || op.Request.Revision <= at.Asked.Revision)
}

func sentence(r *model.Request) string {
	switch r.Freshness {
	case model.Exact, model.NotOlderThan:
		return fmt.Sprintf("%v (%v) of revision %d", r.Kind, r.Freshness, r.Revision)
	}
	if r.Kind == model.Compact {
		return fmt.Sprintf("compaction at revision %d", r.Revision)
	}
	return fmt.Sprintf("%v (%v)", r.Kind, r.Freshness)
}

// unjustified is a refusal that there was no reason for.
const unjustified = "%s's %s was refused (%v), but %s"

// Digest is, for each request and each watch that may still be refused, what was so when it was asked
// and has been so since then.
func (j *justifiedRefusals) Digest(d sim.Digest) sim.Digest {
	for i := range j.system.Clients() {
		d = j.open(d, j.evidence.Open(i))
	}
	for _, at := range j.evidence.LastWatches() {
		if !at.Over {
			d = j.open(d, at)
		}
	}
	for i, c := range j.system.Caches() {
		d = d.Int(j.evidence.Listed(i)).Bool(j.foundDifferent(i))
		// A call of which no answer came is beside each later one, and so is an answer under way before it.
		d = j.openBeside(d, &evidence.Call{Cache: i, Server: c.Server(), Asked: evidence.Moment{Step: math.MaxInt}})
	}
	if j.timed {
		d = j.evidence.Times(d)
	}
	return d.Bool(j.evidence.Untroubled(&evidence.Moment{Step: math.MaxInt}))
}

// open mixes in what is known of a call so far.
func (j *justifiedRefusals) open(d sim.Digest, at *evidence.Call) sim.Digest {
	if at == nil {
		return d.Bool(false)
	}
	d = d.Bool(true).Int(at.Asked.Revision).Int(int64(at.Asked.Time))
	if at.Cache < 0 {
		return d
	}
	so := j.evidence.SoFar(at)
	if j.timed {
		d = d.Int(int64(so.Answered.Cache.CurrentFrom)).Int(int64(so.Answered.Cache.CurrentUntil))
	}
	return j.openBeside(d, at).Int(at.Asked.Cache.Version).Int(so.Answered.Cache.Version).Int(so.Answered.Cache.Compacted).Int(so.Answered.Cache.Listed).
		Int(int64(at.Asked.Cache.DownSince)).Int(int64(so.Answered.Cache.DownSince)).
		Bool(so.WasReady()).Bool(so.WasCurrent()).Bool(so.WasAlone()).Bool(so.TrustedEtcd()).Bool(so.DistrustedEtcd())
}

// refusedWatch is a watch that ended with an error.
type refusedWatch struct {
	client string
	// from is the resourceVersion of the request, and needed the resourceVersion that the
	// cache has to reach before it sends initial events; 0 is none.
	from, needed int64
	// after is the resourceVersion of a request for all that comes after it, 0 if it is none: etcd lists for others.
	after int64
	// newest: initial events of the newest state were asked for.
	newest bool
	// present: only what changes from now on was asked for, which begins at a revision
	// of etcd that the cache reads; from is what etcd was at when it was asked.
	present bool
	// delegated: etcd serves the watch.
	delegated bool
	err       *wire.Error
	at        *evidence.Call
}

// sentUpTo is the newest resourceVersion that a client was sent which knew of one before: a watch
// may also end with a 410 when the history loses what comes next.
func sentUpTo(before int64, events []*wire.WatchEvent) int64 {
	for _, e := range events {
		before = max(before, e.ResourceVersion)
	}
	return before
}

// refused is a watch that ended with an error. Informers do not record what they are refused.
func (j *justifiedRefusals) refused(w *testbed.Watch) *refusedWatch {
	r := &refusedWatch{client: w.Client, from: max(w.Request.ResourceVersion, 0), err: w.Failed(), at: j.evidence.OfWatch(w)}
	r.delegated = delegated(&j.options(r.at.Server).Watches, w.Request)
	switch {
	case w.IsList() || asksForInitialEvents(w.Request, r.at):
		r.newest, r.needed = w.Request.ResourceVersion == wire.Unset, r.from
		if r.from = j.begunAt(r); r.from > 0 && w.End >= 0 {
			r.from = sentUpTo(r.from, w.Events[w.End:])
		}
	case w.Request.ResourceVersion == wire.Unset && w.Request.SendInitialEvents == wire.SendInitialEventsFalse:
		r.present, r.from = true, r.at.Asked.Revision
	default:
		r.after = r.from
		if r.from = sentUpTo(r.from, w.Events); r.from == 0 {
			r.from = j.begunAt(r)
		}
	}
	return r
}

// begunAt is the oldest state with which a cache may have begun a watch that ends with a 410 because what comes next is
// gone from its history, as only watches do that catch up; 0 is none.
func (j *justifiedRefusals) begunAt(w *refusedWatch) int64 {
	if w.err.Code != wire.ErrCompacted || !catchesUp(&j.options(w.at.Server).Watches) {
		return 0
	}
	return w.at.Asked.Cache.Version
}

// asksForInitialEvents reports whether an API server takes a watch without a resourceVersion for one with initial
// events, which waits until the cache is fresh: with the gate WatchList Kubernetes does (SetListOptionsDefaults). The
// cache of this module does not, a node of another kind may.
func asksForInitialEvents(r *wire.WatchRequest, at *evidence.Call) bool {
	return at.Server != nil && at.Server.Design.OwnNode() && r.ResourceVersion == wire.Unset && r.SendInitialEvents == wire.SendInitialEventsUnset
}

func (j *justifiedRefusals) ofWatch(all *testbed.Tally, r *refusedWatch) {
	switch r.err.Code {
	case wire.ErrCompacted, wire.TooLargeResourceVersion, wire.TooManyRequests, wire.Unavailable:
	case wire.Internal:
		if !j.steady || !r.delegated {
			return
		}
	default:
		return
	}
	all.Exercised++
	label, wrong := r.err.Code.String(), j.wrongWatch(r)
	if wrong == "" {
		label, wrong = "retry-after", j.comebackOfWatch(r).wrong(r.err.RetryAfter)
	}
	if wrong != "" {
		all.Violatef(label, testbed.Concern{Node: r.client}, unjustified, r.client, r, r.err.Code, wrong)
	}
}

func (r *refusedWatch) String() string {
	switch {
	case r.present:
		return "watch from the present on"
	case r.newest:
		return "watch with initial events of the newest state"
	case r.from == 0:
		return fmt.Sprintf("watch with initial events of RV %d or later", r.needed)
	}
	return fmt.Sprintf("watch after RV %d", r.from)
}

func (j *justifiedRefusals) wrongWatch(r *refusedWatch) string {
	switch r.err.Code {
	case wire.Unavailable:
		return j.unavailable(r.at)
	case wire.TooManyRequests:
		if r.at.WasReady() {
			return j.withinLimits(r.at)
		}
	case wire.TooLargeResourceVersion:
		switch {
		case r.newest && r.at.WasCurrent() && !proves(j.options(r.at.Server)):
			return fmt.Sprintf("the cache was as new as etcd, at RV %d, all the time", r.at.Asked.Cache.Version)
		case !r.newest && r.needed <= r.at.Asked.Cache.Version:
			return fmt.Sprintf("the cache was at RV %d when it was asked", r.at.Asked.Cache.Version)
		}
	case wire.ErrCompacted:
		return j.goneForWatch(r)
	case wire.Internal:
		if r.after > 0 && r.after+1 < r.at.Asked.Compacted {
			return fmt.Sprintf("etcd was compacted at revision %d when it was asked, and what is gone is refused with a 410", r.at.Asked.Compacted)
		}
	}
	return ""
}

// eventFreshDuration is how long events are kept, whatever the capacity of the history was
// (DefaultEventFreshDuration of k8s.io/apiserver's storage/cacher): it doubles instead of losing a younger one,
// up to ringCapacityMax (defaultUpperBoundCapacity). fresh-duration and ring-max may say otherwise.
const (
	eventFreshDuration = 75 * time.Second
	ringCapacityMax    = 100 * 1024
)

// goneForWatch judges a 410 of a watch. A cache has all events since its list, up to
// its capacity, and timed all that are young, up to the greatest capacity.
func (j *justifiedRefusals) goneForWatch(r *refusedWatch) string {
	switch {
	case r.from == 0 && r.delegated:
		// etcd lists, and watches from the revision of the list.
		if r.at.Asked.Revision >= r.at.Answered.Compacted {
			return fmt.Sprintf("etcd was compacted at revision %d only, at which it was when it was asked", r.at.Answered.Compacted)
		}
	case r.from == 0:
		return "initial events need no history"
	case j.system.Etcd().Waits():
		// The member that serves watches may have applied more than the log shows.
	case r.delegated:
		if r.from >= r.at.Answered.Compacted {
			return fmt.Sprintf("etcd was compacted at revision %d only", r.at.Answered.Compacted)
		}
	case j.options(r.at.Server).Store.WatchHistory == store.WatchHistoryUntilCompacted && r.from+1 < r.at.Answered.Cache.Compacted:
		// etcd refuses what begins below the compacted revision, too.
	case r.at.Answered.Cache.MayHaveListed:
	case r.from >= r.at.Answered.Cache.Listed:
		n := changesUnder(j.system.Truth().Log(), j.system.Caches()[r.at.Cache].Prefix(), r.from, r.at.Answered.Newest())
		o := j.options(r.at.Server)
		most, fresh := max(ring(o), cmp.Or(o.RingCapacityMax, ringCapacityMax)), cmp.Or(o.EventFreshDuration, eventFreshDuration)
		if next, ok := j.evidence.Reached(r.from + 1); j.timed && ok && n < most && r.at.Answered.Time.Sub(next) < fresh {
			return fmt.Sprintf("the cache has listed at RV %d, and everything after RV %d is younger than %v", r.at.Answered.Cache.Listed, r.from, fresh)
		}
		if n < ring(o) {
			return fmt.Sprintf("the cache has listed at RV %d, and remembers %d events, of which there were %d since RV %d", r.at.Answered.Cache.Listed, ring(o), n, r.from)
		}
	}
	return ""
}

// changesUnder is how many changes of objects under a prefix there were after a
// revision and up to another.
func changesUnder(log *model.Log, prefix string, after, upTo int64) int {
	n, r := 0, model.WatchRequest{Key: prefix, End: model.PrefixEnd(prefix)}
	for rev := max(after, log.First()) + 1; rev <= min(upTo, log.Revision()); rev++ {
		for _, e := range r.Changes(log, rev) {
			if r.Wants(e.Type, e.Item.Key) {
				n++
			}
		}
	}
	return n
}

// graceOf is how much longer than its wait a request may take, by the phase in which it
// was asked: a message there and one back, and the turns of the cache. Of a node of another kind each goroutine may
// have a turn of its own. Delays are ten times as long in the safety phase.
func graceOf(s *testbed.System) (grace [2]time.Duration) {
	const messages, ofCache, ofGoroutines, wide = 2, 4, 40, 10
	turns := time.Duration(ofCache)
	if slices.ContainsFunc(s.Caches(), func(c *testbed.Cache) bool { return c.Server().Design.OwnNode() }) {
		turns = ofGoroutines
	}
	c := s.Params().Clock
	grace[sim.Liveness] = messages*c.Network + turns*c.Scheduling
	grace[sim.Safety] = wide * grace[sim.Liveness]
	return grace
}

// queueWait is how long a request waits for seats before it executes, unless an option says otherwise.
const queueWait = 15 * time.Second

// late says what is wrong with a request of a version that the cache has to reach, if
// neither an answer nor a refusal comes in time. Nothing keeps the cache from refusing
// such a request: it does not ask etcd about it. A design that does asks etcd whether
// the version exists, and need not wait if it does not.
func (j *justifiedRefusals) late(op *testbed.Operation, at *evidence.Call, now sim.Time) string {
	if !j.timed || at.Cache < 0 || !j.evidence.StayedReady(at) {
		return ""
	}
	if server, known := j.server(op.Operation, at); !known || server != wire.FromCache {
		return ""
	}
	span := op.Span
	o := j.options(at.Server)
	longest := patience(o) + j.grace[span.Phase]
	if o.Flow.Seats > 0 {
		longest += cmp.Or(o.Flow.QueueWait, queueWait)
	}
	switch list, ok := at.Request.(*wire.ListRequest); {
	case op.Request.Freshness == model.Consistent || op.Request.Freshness == model.Any:
		return ""
	case ok && isExact(list) && o.Reads.ConfirmsFuture:
		if span.Phase == sim.Safety || !at.Over || op.Request.Revision <= at.Answered.Revision {
			return ""
		}
		longest = patience(o) - 1
	}
	took := now.Sub(span.Call)
	if span.Answered {
		took = span.Return.Sub(span.Call)
	}
	if took > longest {
		return fmt.Sprintf("took %v, and was to be answered or refused within %v", took, longest)
	}
	return ""
}

// comeback is when a refusal may let the client ask again, in seconds: from least to
// most, or alternative. It is what Retry-After says in Kubernetes:
//
//   - a cache that is behind says 1 (storage/cacher, resourceVersionTooHighRetrySeconds),
//     and etcd's own storage says nothing;
//   - a cache that is not ready says the longer the longer it has been so: e to the
//     power of 0.06 times the seconds, at most 30 (calculateRetryAfterForUnreadyCache);
//   - a limit of requests says 1.
//
// A cache that speaks etcd says nothing.
type comeback struct{ least, most, alternative int }

var (
	anyTime   = comeback{0, math.MaxInt, 0}
	notSaid   = comeback{0, 0, 0}
	oneSecond = comeback{1, 1, 1}
)

// wrong says what is wrong with what a refusal says, nothing if it is right.
func (c comeback) wrong(seconds int) string {
	switch {
	case c.least <= seconds && seconds <= c.most, seconds == c.alternative:
		return ""
	case c.least == c.most:
		return fmt.Sprintf("it lets the client ask again after %d s, and the design says %d s", seconds, c.least)
	}
	return fmt.Sprintf("it lets the client ask again after %d s, and the design says between %d s and %d s", seconds, c.least, c.most)
}

// comebackOf is for a refused LIST or GET.
func (j *justifiedRefusals) comebackOf(op *model.Operation, at *evidence.Call) comeback {
	if at.Cache >= 0 && at.Server.Design.SpeaksEtcd {
		return notSaid
	}
	switch op.Result.Err {
	case model.TooManyRequests:
		switch {
		case at.Cache < 0:
			return notSaid
		case at.WasReady():
			return oneSecond
		}
		down := j.downtime(at)
		if o := j.options(at.Server); hasLimits(o) || throttles(o) {
			down.alternative = 1
		}
		return down
	case model.TimedOut:
		server, known := j.server(op, at)
		switch {
		case !known || !at.WasReady():
			return comeback{0, 1, 0}
		case server == wire.FromCache:
			return oneSecond
		}
		return notSaid
	case model.Compacted, model.Future:
		return notSaid
	}
	return anyTime
}

// comebackOfWatch is for a refused watch.
func (j *justifiedRefusals) comebackOfWatch(r *refusedWatch) comeback {
	if r.at.Server.Design.SpeaksEtcd {
		return notSaid
	}
	switch r.err.Code {
	case wire.Unavailable:
		return anyTime
	case wire.TooManyRequests:
		if r.at.WasReady() {
			return oneSecond
		}
		down := j.downtime(r.at)
		if j.options(r.at.Server).Flow.Seats > 0 {
			down.alternative = 1
		}
		return down
	case wire.TooLargeResourceVersion:
		return oneSecond
	}
	return notSaid
}

// downtime is for a cache that was not ready at some time between the request and the
// arrival of its refusal. A process that starts counts from its start, of which the
// judge knows nothing: with such faults only the longest time is judged. Without a clock
// any timer may fire at any point, and a cache that goes by it believes that any time has passed.
func (j *justifiedRefusals) downtime(at *evidence.Call) comeback {
	if !j.timed {
		return comeback{retryAfter(0), retryAfter(math.MaxInt64), retryAfter(0)}
	}
	shortest := max(0, at.Asked.Time.Sub(at.Answered.Cache.DownSince))
	if f := j.system.Params().Faults; f.Restarts+f.Recreations+f.Replacements > 0 {
		shortest = 0
	}
	longest := at.Answered.Time.Sub(min(at.Asked.Cache.DownSince, at.Answered.Cache.DownSince))
	least, most := retryAfter(shortest-time.Millisecond), retryAfter(longest+time.Millisecond)
	return comeback{least, most, least}
}

// retryAfter is the formula. The callers leave a millisecond for the last bit of it,
// which differs between machines.
func retryAfter(down time.Duration) int {
	return int(min(30, max(1, math.Exp(0.06*down.Seconds()))))
}

// measurePeriod is that of KEP-3157 (Alternatives), unless measure-period says otherwise.
const measurePeriod = 100 * time.Millisecond

// hasLimits reports whether a design answers with 429 above some limit: of lists that are with etcd at a time, of
// objects in answers that are under way, by a measurement that is a period old at most, or of seats, for which a
// request may have to wait for others. Whether it may be refused then is for seats-kept to say.
func hasLimits(o *cache.Options) bool {
	return o.DelegatedLimit > 0 || o.AnswersLimit > 0 || o.Flow.Seats > 0
}

// throttles reports whether 429 stands for 504, proves whether a consistent read waits for a proof, whatever the
// resourceVersion of the cache.
func throttles(o *cache.Options) bool { return o.Reads.OnTimeout == read.OnTimeoutThrottle }
func proves(o *cache.Options) bool    { return o.ProgressRequests == progress.Echo }

// beside is what a cache had to do beside a call: at most so many requests of others at a time, and so many objects
// in answers.
type beside struct{ requests, objects int }

// withinLimits says what is wrong with a 429 of a cache that was ready, nothing if a limit of its design may have
// been reached.
func (j *justifiedRefusals) withinLimits(at *evidence.Call) string {
	o := j.options(at.Server)
	if !hasLimits(o) {
		return "the cache was ready all the time"
	}
	others := j.beside(at)
	_, list := at.Request.(*wire.ListRequest)
	if o.Flow.Seats > 0 && others.requests > 0 || list && o.DelegatedLimit > 0 && others.requests >= o.DelegatedLimit ||
		list && o.AnswersLimit > 0 && others.objects >= o.AnswersLimit {
		return ""
	}
	if list && o.AnswersLimit > 0 {
		return fmt.Sprintf("the cache was ready all the time, and had %d objects in answers", others.objects)
	}
	return fmt.Sprintf("the cache was ready all the time, and had %d requests of others", others.requests)
}

// beside counts what clients of the history have asked a cache for. What others list is not recorded, and may
// be any number of requests. Of an answer that is not there it is not known how many objects it has.
func (j *justifiedRefusals) beside(at *evidence.Call) (all beside) {
	s, period := j.system, cmp.Or(j.options(at.Server).MeasurePeriod, measurePeriod)
	if len(s.Pollers())+len(s.Informers())+len(s.Watchers())+len(s.ListWatchers())+len(s.DrawnWatchers()) > 0 {
		return beside{math.MaxInt, math.MaxInt}
	}
	for o := range s.Operations() {
		other := j.evidence.Of(o)
		if other.Cache != at.Cache || at.Request != nil && o.Place == at.Client && o.Number == at.Number || at.Over && other.Asked.Step > at.Answered.Step {
			continue
		}
		if !other.Over || other.Answered.Step >= at.Asked.Step {
			all.requests++
		}
		switch _, list := other.Request.(*wire.ListRequest); {
		case list && !other.Over:
			all.objects = math.MaxInt / 2
		case o.Outcome != model.Done:
		case !j.timed || other.Answered.Time >= at.Asked.Time-sim.Time(period):
			all.objects += len(o.Result.Items)
		}
	}
	return all
}

// openBeside mixes in what was beside an open call so far, as far as a limit counts it.
func (j *justifiedRefusals) openBeside(d sim.Digest, at *evidence.Call) sim.Digest {
	o := j.options(at.Server)
	if !hasLimits(o) {
		return d
	}
	b := j.beside(at)
	return d.Bool(o.Flow.Seats > 0 && b.requests > 0).Int(int64(min(b.requests, o.DelegatedLimit))).Int(int64(min(b.objects, o.AnswersLimit)))
}
