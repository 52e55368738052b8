package starts

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Initialises judges where all the time of a run has passed. It is exercised by each cache once,
// so that it is for scenarios in which no cache starts anew at the end.
var Initialises = testbed.RegisterProperty(&testbed.Property{
	Name: "initialises", Kind: testbed.Liveness,
	Promise:   "A cache has the state of etcd, and is ready, before the time of the run is over.",
	Violated:  "cache never initialises",
	Labels:    map[string]string{"unready": "cache never initialises"},
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &initialises{s} },
})

type initialises struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*initialises) Reset() {}

// Finding implements testbed.Judge.
func (j *initialises) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, c := range j.system.Caches() {
		switch {
		case c.Ready():
			all.Exercised++
		case over(w, j.system):
			all.Exercised++
			all.Violate("unready", &unready{c.Name, j.system.Params().Clock.Horizon})
		}
	}
	return all.Finding()
}

// unready is a cache that has not become ready in all the time that there was.
type unready struct {
	cache string
	after sim.Duration
}

func (u *unready) String() string {
	return fmt.Sprintf("%s is not ready after %v", u.cache, u.after)
}
