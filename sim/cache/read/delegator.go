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
