package read

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/memory"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
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

// Numbers are those of the node's tasks and timers that reads use.
type Numbers struct {
	// Accumulate is the timer of reads that share one question for etcd's revision,
	// Kept that of the pages that are kept.
	Accumulate, Kept sim.Timer
	// Read returns the task and the timer of a read.
	Read func(number int) (sim.Task, sim.Timer)
}

// Config is what one delegator is made of.
type Config struct {
	Options
	Limits
	Numbers
	// Prefix that the keys of all objects have, and Fields by which they can be
	// selected.
	Prefix string
	Fields store.Fields
	// KV is the node that takes requests to etcd.
	KV sim.NodeID

	Parts
}

// Delegator is upstream's CacheDelegator: it answers each LIST and GET from the
// cache, or lets etcd answer it.
type Delegator struct {
	cfg Config
	// What the options chose.
	freshness  Freshener
	revision   RevisionRequest
	pagination Paginator

	reads []*Read
	// waiting is the number of reads that wait, woken ones included.
	waiting int

	// What only some designs remember: whether etcd notifies, whether the last consistent read waited long, whether an
	// event waits for a lock, the revisions that etcd answered last, and the rests of lists.
	notified              notified
	slow, stuck           bool
	lastReader, lastWatch int64
	kept                  keptPages

	// revisionRequest is the question for etcd's current revision.
	revisionRequest *wire.RangeRequest
	responses       responses
	limit           memory.Limit
	// key is what the store is searched for.
	key wire.KeyValue
}

// Reset makes the delegator that of a new process, and keeps its memory.
func (d *Delegator) Reset(cfg Config) {
	cfg.setDefaults()
	if d.revisionRequest == nil || d.cfg.CurrentRevision != cfg.CurrentRevision || d.cfg.Prefix != cfg.Prefix {
		d.revision = RevisionRequests.Of(cfg.CurrentRevision)
		d.revisionRequest = d.revision.Make(cfg.Prefix)
	}
	d.cfg, d.freshness, d.pagination = cfg, Freshnesses.Of(cfg.Freshness), Paginations.Of(cfg.Pagination)
	clear(d.kept.rests)
	d.kept.rests = d.kept.rests[:0]
	d.notified, d.slow, d.stuck, d.lastReader, d.lastWatch = notified{}, false, false, 0, 0
	d.limit.Reset(cfg.AnswersLimit, cfg.MeasurePeriod)
	for _, r := range d.reads {
		r.forget()
	}
	d.reads, d.waiting = d.reads[:0], 0
}

// Bypassed reports whether etcd answers every LIST and GET, so that no client
// needs the cache for reads.
func (d *Delegator) Bypassed() bool { return d.freshness.Bypasses }

// Waiting is the number of reads that wait for the cache to be fresh, between two
// steps.
func (d *Delegator) Waiting() int { return d.waiting }

// Unanswered is the number of reads that have a place, between two steps. A watch
// that waits for the cache to be fresh has one.
func (d *Delegator) Unanswered() int {
	n := 0
	for _, r := range d.reads {
		if r.state != free {
			n++
		}
	}
	return n
}

// Requests is the number of LISTs and GETs that are not answered yet, between two steps.
func (d *Delegator) Requests() int {
	n := 0
	for _, r := range d.reads {
		if r.state != free && r.watch == nil {
			n++
		}
	}
	return n
}

// Serves reports whether a LIST or GET that came on a connection is not answered yet.
func (d *Delegator) Serves(env *sim.Env, conn sim.Conn) bool {
	env.LooksAt(cellPlaces, 0)
	return slices.ContainsFunc(d.reads, func(r *Read) bool { return r.state != free && r.conn == conn })
}

// Places is how many reads there are, with those that are free.
func (d *Delegator) Places() int { return len(d.reads) }

// KeptPages is how many rests of lists are kept.
func (d *Delegator) KeptPages() int { return len(d.kept.rests) }

// ObjectPrefix is the prefix of the objects that a LIST or WATCH means.
func (d *Delegator) ObjectPrefix(prefix string) string {
	if d.cfg.OpenPrefixes {
		return prefix
	}
	return store.PreparePrefix(prefix)
}

// Read returns a read by its number.
func (d *Delegator) Read(number int) *Read { return d.reads[number] }

// DeclareWaits declares that the step depends on the reads that wait.
func (d *Delegator) DeclareWaits(env *sim.Env) {
	for _, r := range d.reads {
		if r.countsForProgress {
			env.Reads(cellWait, r.number)
		}
	}
}

// Replaced is called when a new cache takes the place of this one. Upstream lets
// requests come to their end first; here those that are not answered by then are
// refused. What is in memory is forgotten with Reset.
func (d *Delegator) Replaced(env *sim.Env) {
	for _, r := range d.reads {
		env.Disable(r.task)
		env.Disarm(r.timer)
		if r.state == free {
			continue
		}
		env.Close(r.call)
		if r.watch == nil {
			env.Send(r.conn, unavailable)
			d.cfg.Flow.Finished(env, r.conn)
		}
	}
}

func (d *Delegator) resource() request.Resource {
	return request.Resource{Prefix: d.cfg.Prefix, Fields: d.cfg.Fields}
}

// CloneTo copies the delegator to that of another cache, whose parts are given; own is the watch there for one of this
// cache.
func (d *Delegator) CloneTo(c *Delegator, parts Parts, own func(Watch) Watch) {
	*c = *d
	c.cfg.Parts = parts
	c.kept.rests = slices.Clone(d.kept.rests)
	// The blocks that answers come from have one writer only.
	c.responses = responses{}
	c.reads = make([]*Read, len(d.reads))
	block := make([]Read, len(d.reads))
	for i, r := range d.reads {
		block[i] = *r
		block[i].d = c
		if r.watch != nil {
			block[i].watch = own(r.watch)
		}
		c.reads[i] = &block[i]
	}
}
