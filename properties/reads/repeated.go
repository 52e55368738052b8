package reads

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Repeated counts the attempts of a client library at a read. It is exercised by each
// read that etcd has answered with an error at least once. Of what connections break it
// knows nothing, so that it is for scenarios in which etcd keeps those of calls.
var Repeated = testbed.RegisterProperty(&testbed.Property{
	Name: "reads-repeated", Kind: testbed.Safety,
	Promise:   "A client library repeats a read while etcd is unavailable, and gives it up after as many attempts as it may make.",
	Violated:  "read given up too soon",
	Labels:    map[string]string{"given-up": "read given up too soon"},
	Past:      testbed.NoPast,
	Remembers: true,
	New:       testbed.RecordedBy(func(s *testbed.System) *repeated { return &repeated{s, moments.Of(s)} }, (*repeated).judge),
})

type repeated struct {
	system  *testbed.System
	moments *moments.Recorder
}

func (j *repeated) judge(_ *sim.World, all *testbed.Tally) {
	failed := j.system.Etcd().Failed()
	if len(failed) == 0 || !j.system.Params().Topology.ClientWrites {
		return
	}
	limit := attemptsOf(j.system)
	for _, c := range j.system.Clients() {
		operations, requests, spans := c.Operations(), c.Requests(), c.Spans()
		for i := range operations {
			if _, isRange := requests[i].(*wire.RangeRequest); !isRange {
				continue
			}
			attempts := j.timesFailed(failed, requests[i])
			if attempts > 0 {
				all.Exercised++
			}
			if spans[i].Unavailable && attempts < limit {
				all.Violate("given-up", testbed.Wrong(explore.Concern{Client: c.Name(), Call: operations[i].Call},
					"%s asked for %s, and its client library gave up after attempt %d of %d", c.Name(), requests[i].Label(), attempts, limit))
			}
		}
	}
}

// attemptsOf is how often each client library tries at least.
func attemptsOf(s *testbed.System) int {
	nodes := s.Nodes()
	limit := nodes.Client.Library.Attempts()
	for _, c := range s.Caches() {
		for _, of := range c.Servers() {
			limit = min(limit, of.Client.Library.Attempts())
		}
	}
	return limit
}

// timesFailed is how often etcd answered a request with an error. Each request of a client
// is a message of its own, which every attempt at it carries.
func (j *repeated) timesFailed(failed []sim.Payload, request sim.Payload) int {
	n := 0
	for _, p := range failed {
		if j.moments.Same(p, request) {
			n++
		}
	}
	return n
}
