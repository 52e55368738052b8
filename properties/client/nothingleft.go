package client

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/testbed"
)

// NothingLeft looks at the client library of each API server when nothing more can
// happen. Each of its watches must have a cache that holds the other end, and every call
// must have been answered. It is exercised by each client library once in a run that
// comes to rest.
var NothingLeft = testbed.RegisterProperty(&testbed.Property{
	Name: "client-nothing-left", Kind: testbed.Safety,
	Promise:  "When nothing more can happen, a client library holds the watches that caches have open, and nothing that still waits.",
	Violated: "left behind in the client",
	Labels:   map[string]string{"calls": "calls left in the client", "requests": "requests left in the client", "watches": "watches left in the client", "events": "events left in the client"},
	Past:     testbed.NoPast,
	AtRest:   true,
	New:      func(s *testbed.System) testbed.Judge { return &nothingLeft{s} },
})

type nothingLeft struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*nothingLeft) Reset() {}

// Finding implements testbed.Judge.
func (j *nothingLeft) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if !j.system.IsOver(w) {
		return all.Finding()
	}
	for _, server := range j.system.Topology().APIServers {
		all.Exercised++
		left := &leftInClient{w.NodeName(server.Client), w.Node(server.Client).(*client.Client).Holds(w)}
		switch h := &left.held; {
		case h.Calls > 0:
			all.Violate("calls", left)
		case h.Waiting > 0:
			all.Violate("requests", left)
		case h.Orphans > 0 || h.LibraryWatches != h.Watches:
			all.Violate("watches", left)
		case h.Queued > 0:
			all.Violate("events", left)
		}
	}
	return all.Finding()
}

// leftInClient is what a client library still has.
type leftInClient struct {
	name string
	held client.Held
}

func (l *leftInClient) String() string {
	return fmt.Sprintf("nothing more can happen, and %s holds %d watches, %d of them without a cache and %d in the client library, and %d calls, %d requests and %d events that wait",
		l.name, l.held.Watches, l.held.Orphans, l.held.LibraryWatches, l.held.Calls, l.held.Waiting, l.held.Queued)
}

// Concerns implements explore.Concerned.
func (l *leftInClient) Concerns() explore.Concern { return explore.Concern{Node: l.name} }
