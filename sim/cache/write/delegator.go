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

// Free implements state.Placed.
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
