package scenarios

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Compacted is the property that history which etcd has compacted is refused
// with "gone", from cache or not (kubernetes/kubernetes#131011).
//
// What can be promised depends on who answers:
//
//   - etcd refuses from the moment of the compaction on;
//   - a cache refuses what is older than the last compaction that it has heard of;
//   - when timed, it has heard of one after a slack, which follows from how it
//     hears (see slackOf).
//
// Without a clock there is no slack to hold a cache to, and only the first two are
// judged. Watches are not: the history of events is kept whatever etcd compacts
// (KEP-4988, "Watch cache compaction"), and a read of the newest state asks for no
// history.
const Compacted = "compacted"

// compactionPollPeriod is the time between two questions of a cache to its
// compactor, watchRetryPeriod between two watches of the compactors' key.
const (
	compactionPollPeriod = 15 * time.Second
	watchRetryPeriod     = time.Second
)

// slackOf derives how long after a compaction a cache may still serve what is
// older. The key is written before etcd is asked to compact, so that the event is
// under way by then. It goes through the loops of etcd and of the client library
// to each compactor, which may have to begin its watch anew, and from there to
// the caches of its process.
func slackOf(p *Params, o *cache.Options) Bound {
	const messages, loops, loopsPerWrite = 8, 16, 4
	n := loops + loopsPerWrite*(p.Writers*p.Writes+p.OwnReaders*p.Rounds)
	total := messages*p.Network + time.Duration(n)*p.Scheduling + syncInterval + watchRetryPeriod
	text := fmt.Sprintf("%d messages of at most %v, %d turns of a loop of at most %v, a sync interval of %v and %v until a watch of the key begins anew",
		messages, p.Network, n, p.Scheduling, syncInterval, watchRetryPeriod)
	if o.Snapshots.CompactionNotice != cache.CompactionPushed {
		total += compactionPollPeriod
		text += fmt.Sprintf(", and a poll of %v", compactionPollPeriod)
	}
	return Bound{total, text}
}

// compacted notes, for each operation, how far history was compacted when it
// began.
type compacted struct {
	slack Bound
	// done are etcd's compactions, in order.
	done []compaction
	// healed is when the last fault struck at the latest: slack counts from then.
	healed sim.Time
	// floors[i] are those of the operations of worker i.
	floors [][]floor
}

type compaction struct {
	revision int64
	at       sim.Time
}

// floor is the oldest revision that an operation may be served at.
type floor struct {
	etcd, told, overdue int64
}

func (c *compacted) reset(s *System) {
	c.done, c.healed = c.done[:0], 0
	for len(c.floors) < len(s.workers) {
		c.floors = append(c.floors, nil)
	}
	for i := range c.floors {
		c.floors[i] = c.floors[i][:0]
	}
}

func (c *compacted) after(s *System, w *sim.World, a sim.Action) {
	if w.Phase() == sim.Safety {
		c.healed = w.Now()
	}
	if rev := s.server.CompactRevision(); rev > c.newest() {
		c.done = append(c.done, compaction{rev, w.Now()})
	}
	if a.Kind != sim.Fire {
		return
	}
	for i, worker := range s.workers {
		if w.Node(a.Node) == sim.Node(worker) && len(worker.Operations()) > len(c.floors[i]) {
			c.floors[i] = append(c.floors[i], c.floorNow(s, w, worker.Asked()))
		}
	}
}

func (c *compacted) newest() int64 {
	if len(c.done) == 0 {
		return 0
	}
	return c.done[len(c.done)-1].revision
}

func (c *compacted) floorNow(s *System, w *sim.World, asked sim.NodeID) floor {
	f := floor{etcd: s.server.CompactRevision()}
	for _, k := range s.caches {
		if w.Node(asked) == sim.Node(k) {
			f.told = k.CompactRevision()
		}
	}
	if w.Mode() == sim.Timed {
		for _, d := range c.done {
			if w.Now().Sub(max(d.at, c.healed)) > c.slack.Total {
				f.overdue = d.revision
			}
		}
	}
	return f
}

// servedCompacted is a read that should have been refused.
type servedCompacted struct {
	client   string
	op       *model.Operation
	origin   wire.Origin
	floor    int64
	why      string
	timed    bool
	askedFor time.Duration
}

func (r *servedCompacted) String() string {
	when := ""
	if r.timed {
		when = fmt.Sprintf(" at %v", r.askedFor)
	}
	return fmt.Sprintf("%s's LIST at revision %d, asked%s, was served by %v; %s revision %d",
		r.client, r.op.Request.Revision, when, r.origin, r.why, r.floor)
}

func (c *compacted) finding(s *System) explore.Finding {
	f := explore.Finding{Property: Compacted}
	for i, worker := range s.workers {
		ops, spans := worker.Operations(), worker.Spans()
		for j := range ops {
			op := &ops[j]
			if op.Request.Kind != model.List || op.Request.Freshness != model.Exact {
				continue
			}
			at := c.floors[i][j]
			oldest, why := at.told, "the cache had heard of the compaction at"
			switch {
			case spans[j].Origin != wire.FromCache:
				oldest, why = at.etcd, "etcd was compacted at"
			case at.overdue > oldest:
				oldest, why = at.overdue, fmt.Sprintf("for longer than %v (%s) etcd had been compacted at", c.slack.Total, c.slack.Derivation)
			}
			switch {
			case op.Outcome == model.Failed && op.Result.Err == model.Compacted:
				f.Exercised++
			case op.Outcome == model.Done && op.Request.Revision < oldest:
				f.Verdict, f.Label = model.Violated, "served-"+originLabel(spans[j])
				f.Why = &servedCompacted{s.names[i], op, spans[j].Origin, oldest, why, s.params.Mode == sim.Timed, spans[j].Call.Sub(0)}
				return f
			}
		}
	}
	if f.Exercised > 0 {
		f.Verdict = model.Holds
	}
	return f
}

func originLabel(span workload.Span) string {
	if span.Origin == wire.FromCache {
		return "by-cache"
	}
	return "by-etcd"
}
