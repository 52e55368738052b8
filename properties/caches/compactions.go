package caches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// HistoryDropped looks at the time after the last fault, timed. A compaction comes every
// interval, and goes back by one: so etcd never keeps more than two intervals of history
// and what the requests of a turn take. The first two intervals after a fault are left
// out: an API server that has just started compacts at its second try. It is exercised
// by each compaction after that, and by the end of the run.
var HistoryDropped = testbed.RegisterProperty(&testbed.Property{
	Name: "history-dropped", Kind: testbed.Liveness,
	Promise:  "When nothing has failed for two intervals, API servers have compacted what etcd came to before that.",
	Violated: "etcd not compacted",
	Labels:   map[string]string{"late": "etcd compacted too late"},
	New:      testbed.RecordedBy(compactionLogOf, historyDropped),
})

// turn is far more than the requests of two turns take together.
const turn = 10 * time.Second

func historyDropped(l *compactionLog, w *sim.World, all *testbed.Tally) {
	if w.Mode() != sim.Timed || !l.system.Topology().Compactors {
		return
	}
	last := int64(0)
	for i := range l.requests {
		if r := &l.requests[i]; r.kind == compacted {
			l.holdsLittle(w, all, r.at, last)
			last = max(last, r.compacts)
		}
	}
	l.holdsLittle(w, all, w.Now(), last)
}

// holdsLittle holds the last compaction against what etcd came to long ago.
func (l *compactionLog) holdsLittle(w *sim.World, all *testbed.Tally, now sim.Time, last int64) {
	long := sim.Time(2*l.longest + turn)
	if now < l.failed+long {
		return
	}
	all.Exercised++
	if old := l.newestAt(now - long); last < old {
		all.Violatef("late", testbed.Concern{Revision: old},
			"at %v etcd is compacted at revision %d; it was at revision %d two intervals before, at %v, and nothing has failed since; %s",
			now.Sub(0), last, old, (now - long).Sub(0), l.lastTry(w))
	}
}

// lastTry names the server that was the last to try to become the one compactor.
func (l *compactionLog) lastTry(w *sim.World) string {
	for i := len(l.requests) - 1; i >= 0; i-- {
		if r := &l.requests[i]; r.kind != compacted {
			return fmt.Sprintf("the last try to compact was that of %s, at %v", w.NodeName(r.by), r.at.Sub(0))
		}
	}
	return "no server has tried to compact"
}

// HistoryKept looks at what API servers compact. A server compacts the revision that
// etcd had at the server's previous try, which is an interval ago, and only if no other
// server has compacted since: that is what --etcd-compaction-interval means to a client
// with a continue token. It is exercised by each compaction, and by each server that
// may compact after another one.
var HistoryKept = testbed.RegisterProperty(&testbed.Property{
	Name: "history-kept", Kind: testbed.Safety,
	Promise:  "API servers together compact etcd once an interval at most, and never a revision that etcd came to within the interval.",
	Violated: "etcd compacted too soon",
	Labels:   map[string]string{"young": "recent history compacted", "often": "compacted twice in an interval"},
	New:      testbed.RecordedBy(compactionLogOf, historyKept),
})

func historyKept(l *compactionLog, w *sim.World, all *testbed.Tally) {
	for i := range l.requests {
		switch r := &l.requests[i]; r.kind {
		case compacted:
			all.Exercised++
			if held := l.heldLong(w, i); r.compacts > held {
				all.Violatef("young", testbed.Concern{Node: w.NodeName(r.by), Compaction: r.compacts},
					"%s compacts etcd at revision %d; an interval before that etcd was at revision %d", w.NodeName(r.by), r.compacts, held)
			}
		case won:
			first := l.before(i, 0, won)
			if first == nil || w.Mode() != sim.Timed {
				continue
			}
			all.Exercised++
			if r.at.Sub(first.at) < l.shortest {
				all.Violatef("often", testbed.Concern{Node: w.NodeName(r.by), Revision: r.revision}, "%s may compact etcd at %v, and %s at %v: less than %v later",
					w.NodeName(first.by), first.at.Sub(0), w.NodeName(r.by), r.at.Sub(0), l.shortest)
			}
		}
	}
}

// heldLong is the revision that etcd had an interval before a compaction: at the try
// before the try that led to it, and when timed also by the clock.
func (l *compactionLog) heldLong(w *sim.World, i int) int64 {
	r := &l.requests[i]
	held := l.newestAt(0)
	for k := i - 1; k >= 0; k-- {
		if at := &l.requests[k]; at.by == r.by && at.kind == won {
			if previous := l.before(k, r.by, won, lost); previous != nil {
				held = previous.revision
			}
			break
		}
	}
	if w.Mode() == sim.Timed {
		held = min(held, l.newestAt(r.at-sim.Time(l.shortest)))
	}
	return held
}

// defaultInterval is DefaultCompactInterval of storagebackend/config.go.
const defaultInterval = 5 * time.Minute

// compactionLog is what the API servers have done to etcd's history so far, as the commits of
// etcd have it. It is kept once for all properties. Time is that of a run with a clock: without one an
// interval has no length, and only the order of compactions is judged.
type compactionLog struct {
	system *testbed.System
	// shortest and longest are the times between two tries of an API server. One that waits longer compacts later.
	shortest, longest sim.Duration
	// commits are all of etcd's, requests those among them that are about history.
	commits  []compactionCommit
	requests []compactionRequest
	// failed is when the last fault was over, errors how many requests etcd has answered with an error of its own by
	// then.
	failed sim.Time
	errors int
}

// compactionCommit is the revision of etcd from some time on.
type compactionCommit struct {
	at       sim.Time
	revision int64
}

// compactionRequest is a request of an API server: a try to become the one compactor, or a compaction.
type compactionRequest struct {
	compactionCommit
	// by is the compactor of the server.
	by   sim.NodeID
	kind compactionKind
	// compacts is the revision of a compaction.
	compacts int64
}

type compactionKind uint8

const (
	// lost: another server has written compact_rev_key since this one saw it last.
	lost compactionKind = iota
	// won: the server has written the key, and may compact.
	won
	compacted
)

func compactionLogOf(s *testbed.System) *compactionLog {
	return testbed.Shared(s, func(s *testbed.System) *compactionLog {
		shortest, longest := testbed.Extremes(s.Caches(), func(of *testbed.Server) sim.Duration { return cmp.Or(of.Compactor.Interval, defaultInterval) })
		return &compactionLog{system: s, shortest: shortest, longest: longest}
	})
}

func (l *compactionLog) Reset() {
	l.commits, l.requests, l.failed, l.errors = l.commits[:0], l.requests[:0], 0, 0
}

func (*compactionLog) Follows(p testbed.Part) bool {
	return p == testbed.EtcdMember || p == testbed.TheWorld
}

func (l *compactionLog) AfterStep(w *sim.World, a sim.Action) {
	if errors := len(l.system.Etcd().Failed()); errors > l.errors {
		// It was due since the fault.
		l.failed, l.errors = w.Now(), errors
	}
	if a.Kind == sim.Inject {
		l.failed = w.Now()
		if o := l.system.Params().Faults; o.Clog {
			l.failed = max(l.failed, sim.Time(o.For))
		}
	}
	all := l.system.Etcd().Committed()
	for _, c := range all[len(l.commits):] {
		now := compactionCommit{w.Now(), c.Revision}
		before := l.newest()
		l.commits = append(l.commits, now)
		by := l.compactor(c.From)
		if by == 0 {
			continue
		}
		switch p := c.Request.(type) {
		case *wire.TxnRequest:
			r := compactionRequest{compactionCommit: now, by: by}
			if now.revision > before {
				r.kind = won
			}
			l.requests = append(l.requests, r)
		case *wire.CompactionRequest:
			l.requests = append(l.requests, compactionRequest{now, by, compacted, p.Revision})
		}
	}
}

// compactor is the compactor that calls etcd from a node, itself or through the client library
// of its process; 0 if none does.
func (l *compactionLog) compactor(from sim.NodeID) sim.NodeID {
	for _, server := range l.system.Topology().APIServers {
		if from == server.Client || from == server.Compactor {
			return server.Compactor
		}
	}
	return 0
}

// newest is the revision of etcd now.
func (l *compactionLog) newest() int64 {
	if n := len(l.commits); n > 0 {
		return l.commits[n-1].revision
	}
	return l.system.Truth().Log().First()
}

// newestAt is the revision of etcd at a time.
func (l *compactionLog) newestAt(t sim.Time) int64 {
	i, _ := slices.BinarySearchFunc(l.commits, t, func(c compactionCommit, t sim.Time) int {
		if c.at <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return l.system.Truth().Log().First()
	}
	return l.commits[i-1].revision
}

// before is the last request of a kind before the i-th one, nil if there is none. by
// is the compactor that sent it, 0 for any.
func (l *compactionLog) before(i int, by sim.NodeID, kinds ...compactionKind) *compactionRequest {
	for i--; i >= 0; i-- {
		if r := &l.requests[i]; (by == 0 || r.by == by) && slices.Contains(kinds, r.kind) {
			return r
		}
	}
	return nil
}

// NoCompactedWatches is about watches that begin in the past. etcd refuses a watch whose
// first revision is below that of a compaction; the compacted revision itself it still has.
// A cache that keeps its history of events whatever etcd compacts serves it, so that a
// client sees whether there is a cache ("Supporting compaction is required to ensure
// consistent behavior regardless of whether the watch cache is enabled or disabled",
// KEP-4988, which leaves watches for the future). A cache is held to the compaction that it
// had heard of when it was asked, etcd to its last one. It is exercised by watches from
// before that.
var NoCompactedWatches = testbed.RegisterProperty(&testbed.Property{
	Name: "no-compacted-watches", Kind: testbed.Safety,
	Promise:  "A watch from before a compaction that its server had heard of sends no event, from cache or not.",
	Violated: "compacted history watched",
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: compactedWhenAsked},
	New:      evidence.Recorded(noCompactedWatches),
})

func noCompactedWatches(r *evidence.Recorder, _ *sim.World, all *testbed.Tally) {
	s := r.System()
	for w := range s.Watches(testbed.WatcherNode, testbed.DrawnWatcherNode) {
		at, after := r.OfWatch(w), w.Request.ResourceVersion
		if w.IsList() || after <= 0 || at.Cache < 0 || len(w.Events) == 0 {
			continue
		}
		compacted := at.Asked.Cache.Compacted
		if delegated(&at.Server.Cache.Watches, w.Request) {
			if s.Etcd().Waits() {
				// The member that serves watches may not have applied the compaction.
				continue
			}
			compacted = at.Asked.Etcd.Compacted
		}
		if after+1 >= compacted {
			continue
		}
		all.Exercised++
		if first := w.Events[0]; first.Type != wire.Failed {
			all.Violatef("", testbed.Concern{Client: w.Client, Revision: first.ResourceVersion, Compaction: compacted},
				"%s's watch after RV %d is sent revision %d; its server had heard of the compaction at revision %d before it was asked",
				w.Client, after, first.ResourceVersion, compacted)
		}
	}
}

// compactedWhenAsked is, for each watch, what its cache and etcd had compacted when it was asked for.
func compactedWhenAsked(s *testbed.System, d sim.Digest) sim.Digest {
	for _, at := range evidence.Of(s).LastWatches() {
		d = d.Int(at.Asked.Cache.Compacted).Int(at.Asked.Etcd.Compacted)
	}
	return d
}
