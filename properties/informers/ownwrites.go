package informers

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// OwnWrites is KEP-5647's promise. It is exercised by each update of a controller about an object that the same process has
// updated before.
var OwnWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-reads-own-writes", Kind: testbed.Safety,
	Promise:  "A controller never acts on a state of an object that is older than its own last write about it, of which its process had an answer.",
	Violated: "controller acts on an old state",
	Labels:   map[string]string{"older": "controller acts on an old state"},
	Weight:   2,
	Past:     testbed.NoPast, TimedPast: testbed.NoPast,
	New: testbed.EachInformer(ownWrites),
})

// ownWrites judges the last update of a controller, which had sent so many before the step.
func ownWrites(_ *testbed.System, _ *sim.World, n *testbed.Informer, acts *int, all *testbed.Tally) {
	c := n.Controller()
	if c == nil {
		return
	}
	acted := c.Acts() > *acts
	*acts = c.Acts()
	last := c.Last()
	if !acted || last.Wrote == 0 {
		return
	}
	all.Exercised++
	if kv := last.Read; kv.ModRevision < last.Wrote {
		all.Violate("older", testbed.Wrong(explore.Concern{Node: n.Name, Key: kv.Key, Revision: last.Wrote},
			"the controller of %s marks %s because of revision %d, and has written revision %d of it itself", n.Name, kv.Key, kv.ModRevision, last.Wrote))
	}
}
