package read

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Parts are those of the cache that reads work with.
type Parts struct {
	Ready     *Ready
	Guard     *guard.Guard
	Flow      *flowcontrol.Level
	Store     *store.Store
	Requester *progress.Requester
	Checks    *check.Housekeeping
}

// Config is what one delegator is made of.
type Config struct {
	Options
	Limits
	// Accumulate is the timer of reads that share one question for etcd's revision,
	// Kept that of the pages that are kept.
	Accumulate, Kept sim.Timer
	// Numbers returns the task and the timer of a read.
	Numbers func(read int) (sim.Task, sim.Timer)
	// Prefix that the keys of all objects have, and Fields by which they can be
	// selected.
	Prefix string
	Fields store.Fields
	Shards request.Shards
	// KV is the node that takes requests to etcd.
	KV sim.NodeID

	Parts
}

// Delegator is upstream's CacheDelegator: it answers each LIST and GET from the
// cache, or lets etcd answer it.
type Delegator struct {
	cfg       Config
	freshness Freshener
	// reads are by their numbers.
	reads state.Places[Read] `cell:"cache: numbers of reads"`
	remembered

	// revisionRequest is the question for etcd's current revision.
	revisionRequest *wire.RangeRequest
	answers         answers
	// key is what the store is searched for.
	key wire.KeyValue
}

// remembered is what the delegator knows beside its reads. But for the first it is for some designs only.
type remembered struct {
	// waiting is the number of reads that wait, woken ones included.
	waiting  state.Var[int]      `cell:"cache: waiting reads"`
	notified state.Var[notified] `cell:"cache: last progress notification"`
	// slow: the last consistent read waited long.
	slow state.Var[bool] `cell:"cache: slow"`
	// lastReader and lastWatch are the revisions that etcd answered last.
	lastReader state.Var[int64] `cell:"cache: revision of the last reader"`
	lastWatch  state.Var[int64] `cell:"cache: revision of the last watch"`
	// delegated is how many lists are with etcd, gathered how many reads are to share the next question.
	delegated state.Var[int] `cell:"cache: lists with etcd"`
	gathered  state.Var[int] `cell:"cache: gathered reads"`
	// stuck: an event waits for the lock.
	stuck state.Var[bool] `cell:"cache: lock"`
	// kept are the rests of lists, the oldest first.
	kept     state.Var[[]rest]   `cell:"cache: kept pages"`
	measured state.Var[measured] `cell:"cache: measured memory"`
}

var layout = state.Of[Delegator]()

// Reset makes the delegator that of a new process, and keeps its memory.
func (d *Delegator) Reset(cfg Config) {
	if d.revisionRequest == nil || d.cfg.CurrentRevision != cfg.CurrentRevision || d.cfg.Prefix != cfg.Prefix {
		d.revisionRequest = cfg.CurrentRevision.request(cfg.Prefix)
	}
	d.cfg, d.freshness = cfg, Freshnesses.Of(cfg.Freshness)
	layout.Name(d, 0)
	layout.Clear(d)
}

// Bypassed reports whether etcd answers every LIST and GET, so that no client
// needs the cache for reads.
func (d *Delegator) Bypassed() bool { return d.freshness.Bypasses }

// Waiting is the number of reads that wait for the cache to be fresh, between two
// steps.
func (d *Delegator) Waiting() int { return *d.waiting.Value() }

// Unanswered is the number of reads that have a place, between two steps. A watch
// or write that waits for the cache to be fresh has one.
func (d *Delegator) Unanswered() int { return d.reads.Len() }

// Left is a read that has a place: the client and its request.
type Left struct {
	From    sim.NodeID
	Request sim.Payload
}

// FirstLeft is the first of the reads that Unanswered counts, between two steps; zero if there is none.
func (d *Delegator) FirstLeft() Left {
	for r := range d.reads.Used() {
		return Left{r.from, r.request}
	}
	return Left{}
}

// Requests is the number of LISTs and GETs that are not answered yet, between two steps.
func (d *Delegator) Requests() int {
	return arena.Count(d.reads.All(), func(r *Read) bool { return r.list != nil || r.get != nil })
}

// Serves reports whether a LIST or GET that came on a connection is not answered yet.
func (d *Delegator) Serves(env *sim.Env, conn sim.Conn) bool {
	return slices.ContainsFunc(d.reads.Look(env), func(r *Read) bool { return r.state != free && r.conn == conn })
}

// Places is the number of places for reads, with the free ones.
func (d *Delegator) Places() int { return len(d.reads.All()) }

// KeptPages is how many rests of lists are kept.
func (d *Delegator) KeptPages() int { return len(*d.kept.Value()) }

// ObjectPrefix is the prefix of the objects that a LIST or WATCH means.
func (d *Delegator) ObjectPrefix(prefix string) string {
	if d.cfg.OpenPrefixes {
		return prefix
	}
	return store.PreparePrefix(prefix)
}

// Read returns a read by its number.
func (d *Delegator) Read(number int) *Read { return d.reads.At(number) }

// DeclareWaits declares that the step depends on the reads that wait.
func (d *Delegator) DeclareWaits(env *sim.Env) {
	for _, r := range d.reads.All() {
		if r.countsForProgress {
			r.wait.Read(env)
		}
	}
}

// Readyz answers a ReadyzRequest, now or later. Where no read needs the cache, the
// API server is ready without it.
func (d *Delegator) Readyz(env *sim.Env, conn sim.Conn) {
	if d.cfg.Ready.IsSet(env) || d.Bypassed() {
		env.Send(conn, &readyzOK)
		return
	}
	d.cfg.Ready.Ask(env, conn)
}

// Replaced is called when a new cache takes the place of this one. Upstream lets
// requests come to their end first; here the unanswered requests are
// refused. What is in memory is forgotten with Reset.
func (d *Delegator) Replaced(env *sim.Env) {
	for _, r := range d.reads.All() {
		env.Disable(r.task)
		env.Disarm(r.timer)
		if r.state == free {
			continue
		}
		env.Close(r.call)
		if r.waiter == nil {
			env.Send(r.conn, unavailable)
			d.cfg.Flow.Finished(env, r.conn)
		}
	}
}

// CloneTo copies the delegator to that of another cache, whose parts are given; own is the waiter there for one of
// this cache.
func (d *Delegator) CloneTo(c *Delegator, parts Parts, own func(Waiter) Waiter) {
	layout.CloneTo(c, d)
	c.cfg.Parts = parts
	// The blocks that answers come from have one writer only.
	c.answers = answers{}
	for _, r := range c.reads.All() {
		r.d = c
		if r.waiter != nil {
			r.waiter = own(r.waiter)
		}
	}
}

// Cells visits the cells of the reads.
func (d *Delegator) Cells(visit sim.CellVisitor) { layout.Cells(d, visit) }

// Conns visits the connections of reads, by place.
func (d *Delegator) Conns(visit func(sim.Conn)) { layout.Conns(d, visit) }

// Relate adds to a fingerprint what depends on reads and on the requester: how far
// the proofs are from coming.
func (d *Delegator) Relate(h sim.Digest) sim.Digest {
	for r := range d.reads.Used() {
		if r.proof != 0 {
			h = h.Int(int64(r.number)).Int(d.cfg.Requester.Distance(r.proof))
		}
	}
	return h
}

// Show shows the reads that wait for the cache to get as far as etcd was.
func (d *Delegator) Show(visit sim.PartVisitor) {
	var waits []sim.Entry
	for _, r := range d.reads.All() {
		if r.Waits() {
			waits = append(waits, sim.Entry{Text: r.label() + " for " + strconv.FormatInt(r.wanted, 10)})
		}
	}
	visit("waiting reads", waits...)
}

// Ready says whether the cache may be used: from the first Replace of a
// ListAndWatch until that ListAndWatch ends.
type Ready struct {
	now state.Var[readiness] `cell:"cache: ready"`
	// asking are the clients that wait to hear that the cache is ready.
	asking state.Var[[]sim.Conn] `cell:"cache: questions for readyz"`
}

type readiness struct {
	ok      bool
	changed sim.Time
	// generation counts how often the cache became ready: what began in one
	// generation must not end in the next.
	generation int `cell:"-"`
}

var readyLayout = state.Of[Ready]()

// Reset makes it that of a new cache, which began at a time. With a new process the clients that wait have gone.
func (r *Ready) Reset(at sim.Time, process bool) {
	asking := *r.asking.Value()
	if process {
		asking = asking[:0]
	}
	readyLayout.Reset(r, 0, Ready{})
	r.now.Value().changed, *r.asking.Value() = at, asking
}

// IsSet reports whether the cache may be used.
func (r *Ready) IsSet(env *sim.Env) bool { return r.now.Read(env).ok }

// IsIn reports whether the cache may be used, and is in a generation.
func (r *Ready) IsIn(env *sim.Env, generation int) bool {
	return r.IsSet(env) && r.Generation() == generation
}

// OK is IsSet, between two steps; Generation that of now, and Asking the number of clients that wait.
func (r *Ready) OK() bool        { return r.now.Value().ok }
func (r *Ready) Generation() int { return r.now.Value().generation }
func (r *Ready) Asking() int     { return len(*r.asking.Value()) }

// Set says that the cache may be used, and answers the clients that have asked.
func (r *Ready) Set(env *sim.Env) {
	*r.now.Change(env) = readiness{true, env.Now(), r.Generation() + 1}
	asking := r.asking.Change(env)
	for _, conn := range *asking {
		env.Send(conn, &readyzOK)
	}
	*asking = (*asking)[:0]
}

// End says that it may not be used any more.
func (r *Ready) End(env *sim.Env) {
	if now := r.now.Change(env); now.ok {
		now.ok, now.changed = false, env.Now()
	}
}

// Ask answers a question for readyz when the cache is ready.
func (r *Ready) Ask(env *sim.Env, conn sim.Conn) {
	asking := r.asking.Change(env)
	*asking = append(*asking, conn)
}

var readyzOK wire.ReadyzResponse

// Refusal is the 429 of a cache that is not ready. The client shall come back
// after e^(0.06 * seconds of downtime) seconds, at most 30 (KEP-4568).
func (r *Ready) Refusal(env *sim.Env) *wire.Error {
	down := env.Now().Sub(r.now.Read(env).changed).Milliseconds()
	i := 0
	for i < len(retryAfterSteps) && down >= retryAfterSteps[i] {
		i++
	}
	return notReady[i]
}

// Clone returns a copy that goes its own way.
func (r *Ready) Clone() Ready { return *readyLayout.Clone(r) }

// Cells visits the cells.
func (r *Ready) Cells(visit sim.CellVisitor) { readyLayout.Cells(r, visit) }

// retryAfterSteps[i] is the downtime, in milliseconds, from which on the answer
// is i+2 seconds: ln(i+2)/0.06. A table, because math.Exp is not the same to
// the last bit on every machine, and a run must be.
var retryAfterSteps = [29]int64{
	11553, 18311, 23105, 26824, 29863, 32432, 34658, 36621, 38377, 39965,
	41416, 42750, 43985, 45135, 46210, 47221, 48173, 49074, 49929, 50743,
	51518, 52259, 52968, 53648, 54302, 54931, 55537, 56122, 56687,
}

var notReady = func() (all [len(retryAfterSteps) + 1]*wire.Error) {
	for i := range all {
		all[i] = &wire.Error{
			Code: wire.TooManyRequests, RetryAfter: i + 1,
			Message: "storage is (re)initializing: retry after " + strconv.Itoa(i+1) + " s",
		}
	}
	return all
}()

// measured is the last measurement of the memory of answers (KEP-3157, "Alternatives", 2): the objects in answers that
// clients are still being sent, and when it was. To measure is expensive (runtime.ReadMemStats stops the world), so it
// is done once in Limits.MeasurePeriod at most, and what is answered meanwhile is not seen.
type measured struct {
	objects int
	at      sim.Time
	begun   bool
}

// answersExceedMemory reports whether a LIST has to be refused now. A measurement depends on what the world has
// delivered, which no cell of a node says.
func (d *Delegator) answersExceedMemory(env *sim.Env) bool {
	if d.cfg.AnswersLimit == 0 {
		return false
	}
	m := d.measured.Read(env)
	if !m.begun || env.Elapsed(m.at, d.cfg.MeasurePeriod) {
		env.TouchesAll()
		env.Cover(memoryMeasured)
		*m = measured{0, env.Now(), true}
		env.UnderWay(func(first *sim.Message, _ int) {
			if answer, ok := first.Payload.(*wire.ListResponse); ok {
				m.objects += len(answer.Items)
			}
		})
	}
	if m.objects < d.cfg.AnswersLimit {
		return false
	}
	env.Cover(memoryExceeded)
	return true
}

var memoryExhausted = &wire.Error{Code: wire.TooManyRequests, Message: "too much memory is in use for answers: retry after 1 s", RetryAfter: 1}

var (
	memoryMeasured = sim.NewCoveragePoint("cache: memory of answers measured")
	memoryExceeded = sim.NewCoveragePoint("cache: list refused because the memory of answers is above its limit")
)
