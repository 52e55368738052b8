// Package write (unstable) is how an API server writes: upstream's CacheDelegator, which hands the object
// of the cache on as a suggestion, and the etcd3 store behind it, which tries one optimistic
// transaction after the other.
//
//	Delegator   all writes of one cache
//	Write       one Create, GuaranteedUpdate or Delete
//
// delegator.go has the request, the suggestion that goes with it, and a write that takes the cache's objects in place
// of etcd's (KEP-6404); store.go what the store makes of that: what it takes the object for (objState),
// GuaranteedUpdate, conditionalDelete, Create, and the transaction.
//
// The suggestion may be older than etcd's object: the cache is behind. What a check makes of it
// is not final then. Either etcd is asked for the object and all begins again, or the
// transaction finds another mod revision, and brings the object with it.
//
// # Yield points
//
// The goroutine of a request runs from its arrival to its first question to etcd, and from each
// answer to the next question: getCurrentState is one, the transaction another. The look into
// the cache is part of the first step, since CacheDelegator takes no lock of the cache for it
// and may as well be a moment late.
//
// # Left out
//
// UIDs among the preconditions: what is said of resourceVersions holds for them as well. Leases,
// transformers that find an object stale, objects that cannot be decoded. API Priority and
// Fairness counts no write. An update function is called with nothing but the object: what it
// may have seen of a suggestion in vain does not matter to it.
//
// It must never import sim/cache.
package write

import (
	"strconv"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what one delegator is made of.
type Config struct {
	Options
	// KV is the node that takes requests to etcd.
	KV sim.NodeID
	// OnTimeout is what becomes of a write for which the cache is not fresh in time.
	OnTimeout read.OnTimeout
	Parts
}

// Parts are those of the cache that writes work with.
type Parts struct {
	Store *store.Store
	Reads *read.Delegator
	Guard *guard.Guard
}

// Delegator is upstream's CacheDelegator as far as it writes.
type Delegator struct {
	cfg Config
	// writes are by their numbers. One that is over leaves its number to another.
	writes state.Places[Write] `cell:"cache: numbers of writes"`
}

var layout = state.Of[Delegator]()

// Reset makes the delegator that of a new process, and keeps its memory.
func (d *Delegator) Reset(cfg Config) {
	layout.Name(d, 0)
	layout.Clear(d)
	d.cfg = cfg
}

// Unanswered is the number of writes that are under way, between two steps.
func (d *Delegator) Unanswered() int { return d.writes.Len() }

// Asking visits the writes that are under way: how often each has asked etcd for its object, and how often etcd has
// refused a transaction of it.
func (d *Delegator) Asking(visit func(asked, conflicts int)) {
	for _, w := range d.writes.All() {
		if !w.Free() {
			visit(w.asked, w.conflicts)
		}
	}
}

// Write is the write of a number.
func (d *Delegator) Write(number int) *Write { return d.writes.At(number) }

// CloneTo copies the delegator to that of another cache, whose parts are given.
func (d *Delegator) CloneTo(to *Delegator, parts Parts) {
	layout.CloneTo(to, d)
	to.cfg.Parts = parts
	for _, w := range to.writes.All() {
		w.d = to
	}
}

// Cells visits the cells of the writes.
func (d *Delegator) Cells(visit sim.CellVisitor) { layout.Cells(d, visit) }

// Conns visits the connections of writes, by place.
func (d *Delegator) Conns(visit func(sim.Conn)) { layout.Conns(d, visit) }

// Create is CacheDelegator.Create: the cache has no part in it.
func (d *Delegator) Create(env *sim.Env, m *sim.Message, r *wire.CreateRequest) {
	w := d.begin(env, m, r.Key)
	w.create = r
	w.commit(env, r.Value)
}

// GuaranteedUpdate is CacheDelegator.GuaranteedUpdate.
func (d *Delegator) GuaranteedUpdate(env *sim.Env, m *sim.Message, r *wire.GuaranteedUpdateRequest) {
	w := d.begin(env, m, r.Key)
	w.update = r
	w.start(env)
}

// Delete is CacheDelegator.Delete.
func (d *Delegator) Delete(env *sim.Env, m *sim.Message, r *wire.DeleteRequest) {
	w := d.begin(env, m, r.Key)
	w.remove = r
	w.start(env)
}

// start decides where the write gets its object from (canServeUpdateFromCache, canServeDeleteFromCache).
func (w *Write) start(env *sim.Env) {
	w.cached = w.d.cfg.StatesFromCache && w.d.cfg.Guard.ConsistentReadSupported(env)
	w.suggest(env)
}

// suggest begins with the object that the cache has, whether that is ready or not, or gets the current one
// if it has none (cachedSuggestion, getInitialState). From v0.38.0-beta.0 on an object that the precondition does not
// allow is no suggestion: etcd is asked for the object one way or the other.
func (w *Write) suggest(env *sim.Env) {
	w.objState = objState{object: w.cachedObject(env)}
	if w.object == nil {
		env.Cover(unsuggested)
		w.refresh(env)
		return
	}
	env.Cover(suggested)
	suggests.Say(env, w.object.ModRevision, w.from, w.request)
	w.attempt(env)
}

// begin finds room for a write.
func (d *Delegator) begin(env *sim.Env, m *sim.Message, key string) *Write {
	w := d.writes.Free(env, func(n int) Write { return Write{d: d, number: n} })
	w.job.Change(env)
	w.request, w.key, w.conn, w.from, w.arrived = m.Payload, key, m.Conn, m.From, env.Now()
	return w
}

func (w *Write) Free() bool { return w.state == free }

func (w *Write) cachedObject(env *sim.Env) *wire.KeyValue {
	return w.d.cfg.Store.Get(env, &wire.KeyValue{Key: w.key})
}

// Replaced is called when a new cache takes the place of this one. What is with etcd goes on; what waits for the cache
// is refused, as reads are (read.Delegator.Replaced).
func (d *Delegator) Replaced(env *sim.Env) {
	for _, w := range d.writes.All() {
		if w.state == waiting {
			w.finish(env, unavailable)
		}
	}
}

// Answered takes what etcd said to a write; it returns false if none has asked.
func (d *Delegator) Answered(env *sim.Env, m *sim.Message) bool {
	for _, w := range d.writes.All() {
		if w.state != free && w.call == m.Conn {
			w.job.Read(env)
			w.job.Change(env)
			w.answered(env, m.Payload)
			return true
		}
	}
	return false
}

func (w *Write) answered(env *sim.Env, p sim.Payload) {
	was := w.state
	w.call = sim.NoConn
	switch p := p.(type) {
	case *wire.RangeResponse:
		w.fetched(env, p)
	case *wire.TxnResponse:
		w.committed(env, p)
	case *wire.Error:
		env.Cover(refused)
		w.finish(env, p)
	default:
		if was == committing {
			env.Cover(unknownOutcome)
		}
		w.finish(env, unavailable)
	}
}

var unavailable = &wire.Error{Code: wire.Unavailable, Message: "the connection to etcd broke"}

// Write is one Create, GuaranteedUpdate or Delete.
type Write struct {
	d      *Delegator
	number int
	job
}

// job is what the client asks for, and how far the write has come.
type job struct {
	state.Cell[job] `cell:"cache: a write"`
	state           phase
	// request is the client's request: exactly one of create, update and remove is set.
	request sim.Payload
	create  *wire.CreateRequest           `cell:"-"`
	update  *wire.GuaranteedUpdateRequest `cell:"-"`
	remove  *wire.DeleteRequest           `cell:"-"`
	key     string                        `cell:"-"`
	// conn is the client's, call the one to etcd.
	conn, call sim.Conn
	from       sim.NodeID `cell:"-"`
	// arrived is when the request came; it decides nothing.
	arrived sim.Time `cell:"-"`
	// asked is how often etcd was asked for the object, conflicts how often it refused a transaction: for judges.
	asked, conflicts int `cell:"-"`

	// cached: the cache gives the states that the write works on.
	cached bool
	objState
}

type phase uint8

const (
	free phase = iota
	// waiting: the cache is to give the object, once it is fresh enough.
	waiting
	// fetching: etcd was asked for the object (getCurrentState).
	fetching
	// committing: etcd was asked for the transaction.
	committing
)

// attempt is one turn of the loop of GuaranteedUpdate or conditionalDelete.
func (w *Write) attempt(env *sim.Env) {
	env.Add(attempts, 1)
	if w.update != nil {
		w.attemptUpdate(env)
	} else {
		w.attemptDelete(env)
	}
}

// finish answers the client and ends the write.
func (w *Write) finish(env *sim.Env, answer sim.Payload) {
	if env.Mode() == sim.Timed {
		env.Record(writeDuration, int64(env.Now().Sub(w.arrived)))
	}
	conn := w.conn
	w.d.writes.Forget(env, w)
	env.Send(conn, answer)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

var (
	attempts = metric.NewCounter("write_attempts_total", metric.Counted,
		"turns of the loops of updates and deletions: the checks, then the function of an update")
	writeDuration = metric.New("write_duration_seconds", metric.Nanoseconds,
		"from the arrival of a write at the API server to its answer, refusals included")
)

var (
	suggested      = sim.NewCoveragePoint("cache: write begins with the object of the cache")
	unsuggested    = sim.NewCoveragePoint("cache: write begins without an object of the cache")
	refused        = sim.NewCoveragePoint("cache: etcd refused a write")
	unknownOutcome = sim.NewCoveragePoint("cache: connection to etcd lost during a write")
)

// What follows is upstream's txnDelegator (KEP-6404): the states that a write works on are the cache's, and etcd is
// sent nothing but the transaction, the question for its revision, and the read before an update that changes nothing.

var _ read.Waiter = (*Write)(nil)

func (w *Write) Number() int          { return w.number }
func (w *Write) Request() sim.Payload { return w.request }
func (w *Write) From() sim.NodeID     { return w.from }

// getCurrentState waits for the cache to be as new as etcd is now.
func (w *Write) getCurrentState(env *sim.Env) {
	m := w.d.cfg.Mistake
	if m == refreshUnread && w.doubted || m == missingTrusted && !w.doubted {
		takesUnwaited.Say(env)
		w.takeCached(env)
		return
	}
	w.state = waiting
	asksRevision.Say(env)
	w.d.cfg.Reads.AskRevision(env, w)
}

// awaitChange waits for the cache to have what made the transaction fail, which etcd refused at a revision.
func (w *Write) awaitChange(env *sim.Env, revision int64) {
	env.Cover(awaitsCache)
	w.conflicted = true
	w.state = waiting
	if w.d.cfg.Mistake == conflictUnwaited {
		takesUnwaited.Say(env)
		w.takeCached(env)
		return
	}
	awaitsChange.Say(env, revision)
	w.d.cfg.Reads.LetWait(env, w, revision, 0)
}

func (w *Write) RevisionKnown(env *sim.Env, revision int64) bool {
	w.job.Read(env)
	w.d.cfg.Reads.LetWait(env, w, revision, 0)
	return true
}

// Fresh implements read.Waiter: the cache has got to where the write wants it.
func (w *Write) Fresh(env *sim.Env) {
	w.job.Read(env)
	w.job.Change(env)
	w.takeCached(env)
}

// takeCached goes on with the object that the cache has (getStateNotOlderThan).
func (w *Write) takeCached(env *sim.Env) {
	// failed is the mod revision that a transaction which failed had expected.
	found, conflicted, failed, doubted := w.cachedObject(env), w.conflicted, w.resourceVersion(), w.doubted
	if !w.take(env, found, w.d.cfg.Store.ResourceVersion(env)) {
		return
	}
	switch {
	case conflicted && w.resourceVersion() == failed && (failed != 0 || w.d.cfg.Mistake == unchangedCreation):
		env.Cover(unchanged)
		w.finish(env, &wire.Error{Code: wire.Internal, Message: "watch cache returned unchanged revision " + number(failed) + " after a conflict on " + w.key})
		return
	case conflicted && w.resourceVersion() == failed:
		env.Cover(stillMissing)
	case conflicted:
		changedInCache.Say(env, w.resourceVersion())
	case doubted:
		env.Cover(beginsAgain)
	}
	w.attempt(env)
}

// Refused implements read.Waiter: the cache was not fresh in time, or etcd did not answer with its revision.
func (w *Write) Refused(env *sim.Env, err *wire.Error) {
	w.job.Read(env)
	w.job.Change(env)
	switch o := w.d.cfg.OnTimeout; {
	case err.Code != wire.TooLargeResourceVersion, o != read.OnTimeoutFallback && o != read.OnTimeoutThrottle:
		w.finish(env, err)
	case o == read.OnTimeoutThrottle:
		env.Cover(throttled)
		w.finish(env, read.Throttled)
	default:
		env.Cover(startsOver)
		fellBack.Say(env)
		w.cached = false
		w.suggest(env)
	}
}

var (
	stillMissing = sim.NewCoveragePoint("cache: creation finds no object after its conflict")
	awaitsCache  = sim.NewCoveragePoint("cache: write waits in the cache after a conflict")
	unchanged    = sim.NewCoveragePoint("cache: write finds the object of its conflict unchanged in the cache")
	throttled    = sim.NewCoveragePoint("cache: write throttled, since the cache is not fresh in time")
	startsOver   = sim.NewCoveragePoint("cache: write starts over in etcd, since the cache is not fresh in time")
)
