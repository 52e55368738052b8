package checks

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/testbed"
)

// Apart looks at how often a cache lists all of etcd for KEP-4988's consistency
// check, timed (ConsistencyCheckPeriod of the delegator: five minutes, and a jitter that
// only adds to it). Without a clock nothing is judged. A process that starts again waits for as long. It is exercised by
// each check.
var Apart = testbed.RegisterProperty(&testbed.Property{
	Name: "checks-apart", Kind: testbed.Safety,
	Promise:   "From one consistency check of a cache to the next it takes the period of these checks at least, and the first one comes no sooner.",
	Violated:  "consistency checks too often",
	Labels:    map[string]string{"often": "consistency checks too often"},
	TimedPast: func(s *testbed.System) testbed.Past { return apartPast{testbed.JudgeOf[*checksApart](s)} },
	Remembers: true,
	New: func(s *testbed.System) testbed.Judge {
		return &checksApart{system: s, last: make([]sim.Time, len(s.Caches())), seen: make([]int, len(s.Caches()))}
	},
})

// checkPeriod is upstream's ConsistencyCheckPeriod.
const checkPeriod = 5 * time.Minute

type checksApart struct {
	system *testbed.System
	// last is when the last check of each cache began, seen how many comparisons it
	// had begun by then.
	last  []sim.Time
	seen  []int
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *checksApart) Reset() {
	clear(j.last)
	clear(j.seen)
	j.tally = testbed.Tally{}
}

// Follows implements testbed.Follower.
func (*checksApart) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *checksApart) AfterStep(w *sim.World, a sim.Action) {
	if w.Mode() != sim.Timed {
		return
	}
	for i, c := range j.system.Caches() {
		if a.Node != c.ID || c.Detecting == nil {
			continue
		}
		for all := c.Detecting.Detections(); j.seen[i] < len(all); j.seen[i]++ {
			if all[j.seen[i]].By == check.ConsistencyCheck {
				j.judge(w, i)
			}
		}
	}
}

func (j *checksApart) judge(w *sim.World, i int) {
	period := j.system.Caches()[i].Server().Cache.ConsistencyCheckPeriod
	if period == 0 {
		period = checkPeriod
	}
	j.tally.Exercised++
	if w.Now().Sub(j.last[i]) < period {
		j.tally.Violate("often", &hasty{j.system.Caches()[i].Name, j.last[i], w.Now(), period})
	}
	j.last[i] = w.Now()
}

// apartMemory is what is remembered of a run.
type apartMemory struct {
	last  []sim.Time
	seen  []int
	tally testbed.Tally
}

// Memory implements testbed.Remembering.
func (j *checksApart) Memory() any {
	return apartMemory{slices.Clone(j.last), slices.Clone(j.seen), j.tally}
}

// Recall implements testbed.Remembering.
func (j *checksApart) Recall(memory any) {
	m := memory.(apartMemory)
	copy(j.last, m.last)
	copy(j.seen, m.seen)
	j.tally = m.tally
}

// apartPast is when the last check of each cache began.
type apartPast struct{ *checksApart }

// Digest implements testbed.Past.
func (p apartPast) Digest(d sim.Digest) sim.Digest {
	for _, at := range p.last {
		d = d.Int(int64(at))
	}
	return d
}

// Finding implements testbed.Judge.
func (j *checksApart) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// hasty is a check that comes too soon.
type hasty struct {
	cache    string
	last, at sim.Time
	period   time.Duration
}

func (h *hasty) String() string {
	return fmt.Sprintf("%s is compared with etcd at %v and at %v: less than %v later", h.cache, h.last.Sub(0), h.at.Sub(0), h.period)
}

// Concerns implements explore.Concerned.
func (h *hasty) Concerns() explore.Concern { return explore.Concern{Node: h.cache} }
