package client

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/testbed"
)

// Bounded looks at the client library of an API server after each of its steps.
// Kubernetes' watcher keeps at most incomingBufSize events of a watch, and lets the rest
// wait in etcd's client. It is exercised by each step after which a buffer is full.
var Bounded = testbed.RegisterProperty(&testbed.Property{
	Name: "client-bounded", Kind: testbed.Safety,
	Promise:   "A watch keeps no more events for its cache than its buffer holds.",
	Violated:  "buffer holds more than its size",
	Labels:    map[string]string{"events": "buffer holds more than its size"},
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &bounded{system: s} },
})

type bounded struct {
	system *testbed.System
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *bounded) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*bounded) Follows(p testbed.Part) bool { return p == testbed.ClientLibrary }

// AfterStep implements testbed.StepObserver.
func (j *bounded) AfterStep(w *sim.World, a sim.Action) {
	for i := range j.system.Topology().APIServers {
		id := j.system.Topology().APIServers[i].Client
		if a.Node != id {
			continue
		}
		queued, size := w.Node(id).(*client.Client).LongestQueue()
		if queued >= size {
			j.tally.Exercised++
		}
		if queued > size {
			j.tally.Violate("events", &overfull{w.NodeName(id), queued, size})
		}
	}
}

// Finding implements testbed.Judge.
func (j *bounded) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// overfull is a buffer that holds more than its size.
type overfull struct {
	name         string
	queued, size int
}

func (o *overfull) String() string {
	return fmt.Sprintf("%s keeps %d events of a watch in a buffer of %d", o.name, o.queued, o.size)
}

// Concerns implements explore.Concerned.
func (o *overfull) Concerns() explore.Concern { return explore.Concern{Node: o.name} }
