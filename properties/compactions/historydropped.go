package compactions

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
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
	New:      func(s *testbed.System) testbed.Judge { return &historyDropped{s, logOf(s)} },
})

// turn is far more than the requests of two turns take together.
const turn = 10 * time.Second

type historyDropped struct {
	system *testbed.System
	log    *log
}

// Reset implements testbed.Judge.
func (*historyDropped) Reset() {}

// Finding implements testbed.Judge.
func (j *historyDropped) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if w.Mode() != sim.Timed || !j.system.Topology().Compactors {
		return all.Finding()
	}
	last := int64(0)
	for i := range j.log.requests {
		if r := &j.log.requests[i]; r.kind == compacted {
			j.judge(&all, r.at, last)
			last = max(last, r.compacts)
		}
	}
	j.judge(&all, w.Now(), last)
	return all.Finding()
}

// judge holds the last compaction against what etcd came to long ago.
func (j *historyDropped) judge(all *testbed.Tally, now sim.Time, last int64) {
	_, longest := intervals(j.system)
	long := sim.Time(2*longest + turn)
	if now < j.log.failed+long {
		return
	}
	all.Exercised++
	if old := j.log.newestAt(now - long); last < old {
		all.Violate("late", &late{now, now - long, old, last})
	}
}

// late is history that should have been compacted.
type late struct {
	at, since sim.Time
	old, last int64
}

func (l *late) String() string {
	return fmt.Sprintf("at %v etcd is compacted at revision %d; it was at revision %d two intervals before, at %v, and nothing has failed since",
		l.at.Sub(0), l.last, l.old, l.since.Sub(0))
}

// Concerns implements explore.Concerned.
func (l *late) Concerns() explore.Concern { return explore.Concern{Revision: l.old} }
