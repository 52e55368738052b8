package load

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// WithinSeats judges what seats are for: what an API server has etcd do at a time. KEP-2340
// ("Per-request override") is against a fallback because "cost of request would change
// after the APF decision increasing the risk of overload". It is exercised by each request
// that comes to a cache that has seats. No answer is wrong, so it counts as liveness.
var WithinSeats = testbed.RegisterProperty(&testbed.Property{
	Name: "etcd-within-seats", Kind: testbed.Liveness,
	Promise:  "The LISTs that an API server has with etcd cost no more seats together than it has, each taken as what it is and not as what was estimated when it was admitted.",
	Violated: "more work at etcd than seats",
	Weight:   10,
	New: func(s *testbed.System) testbed.Judge {
		return &withinSeats{system: s, arrivals: make([]int, len(s.Caches()))}
	},
})

type withinSeats struct {
	system *testbed.System
	// arrivals is how many requests had come to each cache after its last step.
	arrivals []int
	tally    testbed.Tally
}

// Reset implements testbed.Judge.
func (j *withinSeats) Reset() {
	clear(j.arrivals)
	j.tally = testbed.Tally{}
}

// Follows implements testbed.Follower.
func (*withinSeats) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *withinSeats) AfterStep(_ *sim.World, a sim.Action) {
	at, l := levelAt(j.system, a.Node)
	if l == nil {
		return
	}
	lists, seats, admitted := 0, 0, 0
	for k := range l.Executing() {
		if r := &l.Executing()[k]; r.AtEtcd > 0 {
			lists++
			seats += seatsAtEtcd(l.Options(), r.List(), r.About.Objects)
			admitted += r.Seats
		}
	}
	j.tally.Exercised += max(0, l.Arrivals()-j.arrivals[at])
	j.arrivals[at] = l.Arrivals()
	if limit := l.Options().Seats; seats > limit {
		j.tally.Violate("", &tooMuchAtEtcd{cache: j.system.Caches()[at].Name, lists: lists, seats: seats, admitted: admitted, limit: limit})
	}
}

// Finding implements testbed.Judge.
func (j *withinSeats) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// tooMuchAtEtcd is an API server that has too much work with etcd.
type tooMuchAtEtcd struct {
	cache                         string
	lists, seats, admitted, limit int
}

func (m *tooMuchAtEtcd) String() string {
	return fmt.Sprintf("%s has %d LISTs with etcd that cost %d seats, of %d; they were admitted with %d", m.cache, m.lists, m.seats, m.limit, m.admitted)
}

// Concerns implements explore.Concerned.
func (m *tooMuchAtEtcd) Concerns() explore.Concern { return explore.Concern{Node: m.cache} }
