package compactions

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

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
	New:      func(s *testbed.System) testbed.Judge { return newHistoryKept(s) },
})

type historyKept struct {
	system *testbed.System
	log    *log
	// interval is the shortest of any server: one that waits longer compacts later.
	interval sim.Duration
}

func newHistoryKept(s *testbed.System) *historyKept {
	shortest, _ := intervals(s)
	return &historyKept{s, logOf(s), shortest}
}

// Reset implements testbed.Judge.
func (*historyKept) Reset() {}

// Finding implements testbed.Judge.
func (j *historyKept) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for i := range j.log.requests {
		switch r := &j.log.requests[i]; r.kind {
		case compacted:
			all.Exercised++
			if held := j.heldLong(w, i); r.compacts > held {
				all.Violate("young", &young{w.NodeName(r.by), r.compacts, held, r.at})
			}
		case won:
			if first := j.log.before(i, 0, won); first != nil && w.Mode() == sim.Timed {
				all.Exercised++
				if least := j.interval; r.at.Sub(first.at) < least {
					all.Violate("often", &often{w.NodeName(first.by), w.NodeName(r.by), first.at, r.at, least, r.revision})
				}
			}
		}
	}
	return all.Finding()
}

// heldLong is the revision that etcd had an interval before a compaction: at the try
// before the one that led to it, and when timed also by the clock.
func (j *historyKept) heldLong(w *sim.World, i int) int64 {
	r := &j.log.requests[i]
	held := j.log.newestAt(0)
	for k := i - 1; k >= 0; k-- {
		if at := &j.log.requests[k]; at.by == r.by && at.kind == won {
			if previous := j.log.before(k, r.by, won, lost); previous != nil {
				held = previous.revision
			}
			break
		}
	}
	if w.Mode() == sim.Timed {
		held = min(held, j.log.newestAt(r.at-sim.Time(j.interval)))
	}
	return held
}

// young is a compaction of what etcd has come to within the interval.
type young struct {
	server         string
	compacts, held int64
	at             sim.Time
}

func (y *young) String() string {
	return fmt.Sprintf("%s compacts etcd at revision %d; an interval before that etcd was at revision %d", y.server, y.compacts, y.held)
}

// Concerns implements explore.Concerned.
func (y *young) Concerns() explore.Concern {
	return explore.Concern{Node: y.server, Compaction: y.compacts}
}

// often are two servers, or one, that may compact within one interval.
type often struct {
	first, second string
	at, again     sim.Time
	interval      sim.Duration
	revision      int64
}

func (o *often) String() string {
	return fmt.Sprintf("%s may compact etcd at %v, and %s at %v: less than %v later", o.first, o.at.Sub(0), o.second, o.again.Sub(0), o.interval)
}

// Concerns implements explore.Concerned.
func (o *often) Concerns() explore.Concern {
	return explore.Concern{Node: o.second, Revision: o.revision}
}
