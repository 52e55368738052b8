package main

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/follower"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// otherNode is the name of a design whose node is another one than that of sim/cache, as
// other modules register theirs. It answers every LIST at once, and has few of the
// capabilities that judges ask for.
const otherNode = "killer-follower"

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{Name: otherNode, Doc: "answers every LIST from what it has", Settings: option.Settings("snapshots=on")},
		New: func(c cache.Config) sim.Node {
			return follower.New(c, func(f *follower.Follower, _ *sim.Env, l *wire.ListRequest) sim.Payload {
				return f.Contents(l.Prefix)
			})
		},
	})
}

// otherNodes are scenarios of a node of another module: what it holds is right, its answers
// are stale, and where the judges of caches know nothing of a node they say nothing.
var otherNodes = []*testbed.Scenario{
	ofOtherNode("other-node-past", workload.Options{Readers: 2, Reads: 4, Read: "past"}, caches.ServedAsPromised),
	ofOtherNode("other-node-any-requests", workload.Options{Drawn: workload.DrawnOptions{OfCache: 2, Requests: 4}}, caches.InvalidRequests),
}

func ofOtherNode(name string, o workload.Options, claim *testbed.Property) *testbed.Scenario {
	o.Writers, o.Writes, o.Deletes, o.AwaitReady, o.Keys, o.Items, o.History = 2, 4, true, true, 3, 2, 1
	return &testbed.Scenario{
		Name: name,
		Params: testbed.Params{
			Etcd: "3.6.16", Cache: otherNode,
			Topology: topology.Options{Servers: 1}, Workload: o, Faults: faults.Options{Breaks: 1}, Clock: testbed.Clock{Steps: 20_000},
		},
		Claims: []*testbed.Property{caches.MatchEtcd, claim, caches.TimersOwned, reads.LinearizableData},
		Known: known.When().Violates(reads.LinearizableData).
			Because("the node answers at once, and writes that are under way to it are missing"),
	}
}
