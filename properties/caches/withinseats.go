package caches

import (
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
	New:      testbed.EachCache(withinSeats),
})

// withinSeats judges a cache to which so many requests had come before the step.
func withinSeats(_ *testbed.System, _ *sim.World, c *testbed.Cache, arrivals *int, all *testbed.Tally) {
	l := level(c)
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
	all.Exercised += max(0, l.Arrivals()-*arrivals)
	*arrivals = l.Arrivals()
	if limit := l.Options().Seats; seats > limit {
		all.Violate("", testbed.Wrong(explore.Concern{Node: c.Name},
			"%s has %d LISTs with etcd that cost %d seats, of %d; they were admitted with %d",
			c.Name, lists, seats, limit, admitted))
	}
}
