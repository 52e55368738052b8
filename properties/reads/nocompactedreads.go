package reads

import (
	"cmp"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NoCompactedReads is about exact reads of the past (kubernetes/kubernetes#131011).
// What can be promised depends on the node that answers:
//
//   - etcd refuses from the moment of the compaction on;
//   - a cache refuses what is older than the last compaction that it has heard of;
//   - when timed, it has heard of one after a slack, which follows from how it
//     hears (see compactionSlack).
//
// Without a clock there is no slack to hold a cache to, and only the first two are
// judged. Watches are not: the history of events is kept whatever etcd compacts
// (KEP-4988, "Watch cache compaction"), and a read of the newest state asks for no
// history. It is exercised by reads that were refused because of a compaction.
var NoCompactedReads = testbed.RegisterProperty(&testbed.Property{
	Name: "no-compacted-reads", Kind: testbed.Safety,
	Promise:  `A read of history that etcd has compacted is refused with "gone", from cache or not.`,
	Violated: "compacted history served",
	Labels:   map[string]string{"served-by-cache": "compacted history served", "served-by-etcd": "compacted history served"},
	New: testbed.AfterStepsBy(func(s *testbed.System) *noCompactedReads {
		return &noCompactedReads{system: s, slack: compactionSlack(s), timed: s.Params().Clock.Mode == sim.Timed}
	}, (*noCompactedReads).step),
})

// compactionPollPeriod is the time between two questions of a cache to its
// compactor, watchRetryPeriod between two watches of the compactors' key, unless
// compaction-poll and compact-watch-retry say otherwise.
const (
	compactionPollPeriod = 15 * time.Second
	watchRetryPeriod     = time.Second
)

// compactionSlack derives how long after a compaction a cache may still serve what
// is older. The key is written before etcd is asked to compact, so that the event
// is under way by then. It goes through the loops of etcd and of the client
// library to each compactor, which may have to begin its watch anew, and from
// there to the caches of its process.
func compactionSlack(s *testbed.System) testbed.Bound {
	_, retry := testbed.Extremes(s.Caches(), func(of *testbed.Server) time.Duration { return cmp.Or(of.Compactor.WatchRetry, watchRetryPeriod) })
	_, poll := testbed.Extremes(s.Caches(), func(of *testbed.Server) time.Duration {
		return cmp.Or(of.Cache.CompactionPollPeriod, compactionPollPeriod)
	})
	b := s.DeliveryBound().Plus(retry, fmt.Sprintf("%v until a watch of the key begins anew", retry))
	// A cache may ask for compactions, instead of hearing of them.
	if testbed.AnyServer(s.Caches(), func(s *testbed.Server) bool { return s.Cache.Checks.CompactionNotice != check.CompactionPushed }) {
		b = b.Plus(poll, fmt.Sprintf("a poll of %v", poll))
	}
	return b
}

// noCompactedReads notes, for each operation, how far history was compacted when
// it began.
type noCompactedReads struct {
	system *testbed.System
	slack  testbed.Bound
	timed  bool
	// compactions are etcd's, in order.
	compactions []compaction
	// healed is when the last fault struck at the latest: slack counts from then.
	healed sim.Time
	// floors[i] are those of the operations of client i.
	floors [][]floor
}

type compaction struct {
	revision int64
	at       sim.Time
}

// floor is the oldest revision that an operation may be served at: as etcd knows,
// as the cache was told, and as the cache must have been told long ago.
type floor struct {
	etcd, told, overdue int64
}

func (j *noCompactedReads) Reset() {
	j.compactions, j.healed = j.compactions[:0], 0
	for len(j.floors) < len(j.system.Clients()) {
		j.floors = append(j.floors, nil)
	}
	for i := range j.floors {
		j.floors[i] = j.floors[i][:0]
	}
}

// Follows implements testbed.Follower. In a timed run the time that passes counts, too.
func (j *noCompactedReads) Follows(p testbed.Part) bool {
	return j.timed || p == testbed.EtcdMember || p == testbed.HistoryClient || p == testbed.TheWorld
}

func (j *noCompactedReads) step(w *sim.World, a sim.Action, _ *testbed.Tally) {
	if w.Phase() == sim.Safety {
		j.healed = w.Now()
	}
	if rev := j.system.Etcd().CompactRevision(); rev > j.newest() {
		j.compactions = append(j.compactions, compaction{rev, w.Now()})
	}
	role := j.system.Role(a.Node)
	if role.Part != testbed.HistoryClient {
		return
	}
	if c, i := j.system.Clients()[role.Place], role.Place; len(c.Operations()) > len(j.floors[i]) {
		j.floors[i] = append(j.floors[i], j.floorNow(w, c.Asked()))
	}
}

func (j *noCompactedReads) newest() int64 {
	if len(j.compactions) == 0 {
		return 0
	}
	return j.compactions[len(j.compactions)-1].revision
}

func (j *noCompactedReads) floorNow(w *sim.World, asked sim.NodeID) floor {
	f := floor{etcd: j.system.Etcd().CompactRevision()}
	for _, c := range j.system.Caches() {
		if asked == c.ID && c.Compacting != nil {
			f.told = c.Compacting.CompactRevision()
		}
	}
	if j.timed {
		for _, c := range j.compactions {
			if w.Now().Sub(max(c.at, j.healed)) > j.slack.Total {
				f.overdue = c.revision
			}
		}
	}
	return f
}

func (j *noCompactedReads) Conclude(_ *sim.World, all *testbed.Tally) {
	for o := range j.system.Operations() {
		if o.Request.Kind != model.List || o.Request.Freshness != model.Exact {
			continue
		}
		oldest, why, heard := j.oldest(&j.floors[o.Place][o.Number], o.Span.Origin)
		switch {
		case o.Outcome == model.Failed && o.Result.Err == model.Compacted:
			all.Exercised++
		case o.Outcome == model.Done && o.Request.Revision < oldest:
			label, when := "served-by-etcd", ""
			if o.Span.Origin == wire.FromCache {
				label = "served-by-cache"
			}
			if j.timed {
				when = fmt.Sprintf(" at %v", o.Span.Call.Sub(0))
			}
			all.Exercised++
			all.Violatef(label, testbed.Concern{Client: o.Client.Name(), Call: o.Call, Compaction: oldest},
				"%s's LIST at revision %d, asked%s, was served by %v; %s revision %d%s", o.Client.Name(), o.Request.Revision, when, o.Span.Origin, why, oldest, heard)
			return
		}
	}
}

// oldest is the oldest revision that may be served by the node that answered, and what a cache had heard instead.
func (j *noCompactedReads) oldest(at *floor, origin wire.Origin) (revision int64, why, heard string) {
	switch {
	case origin != wire.FromCache:
		return at.etcd, "etcd was compacted at", ""
	case at.overdue > at.told:
		heard = ", and the cache had heard of no compaction"
		if at.told > 0 {
			heard = fmt.Sprintf(", and the cache had heard of the one at revision %d", at.told)
		}
		return at.overdue, fmt.Sprintf("for longer than %v (%s) etcd had been compacted at", j.slack.Total, j.slack.Derivation), heard
	}
	return at.told, "the cache had heard of the compaction at", ""
}
