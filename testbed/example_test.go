package testbed_test

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// FromCache is a property of one's own: a file like this is all that it takes.
var FromCache = testbed.RegisterProperty(&testbed.Property{
	Name: "reads-from-cache", Kind: testbed.Safety,
	Promise:  "Every answered read comes from the cache.",
	Violated: "read sent to etcd",
	New: testbed.Recorded(func(s *testbed.System, _ *sim.World, all *testbed.Tally) {
		for _, c := range s.Clients() {
			for i, span := range c.Spans() {
				if op := &c.Operations()[i]; !op.Request.IsWrite() && span.Answered {
					all.Exercised++
					if span.Origin != wire.FromCache {
						all.Violate("from-etcd", testbed.Wrong(explore.Concern{Client: c.Name(), Call: op.Call}, "%s was answered by etcd", c.Name()))
					}
				}
			}
		}
	}),
})

// Quiet is a scenario of one's own that claims it.
var Quiet = testbed.RegisterScenario(&testbed.Scenario{
	Name: "quiet-readers", Summary: "two clients list while one writes",
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 2, Readers: 2, Reads: 2, Read: "consistent", Keys: 1, AwaitReady: true},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{FromCache},
})

// A property and a scenario of one's own, found by name like all others.
func ExampleRegisterProperty() {
	scenario, err := testbed.FindScenario("quiet-readers")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, design := range []string{"kep-2340", "direct"} {
		p := scenario.Params
		p.Cache = design
		system, err := scenario.New(p)
		if err != nil {
			fmt.Println(err)
			return
		}
		runner := explore.NewRunner(system, p.Clock.Steps)
		chooser := strategy.Default().For(runner)
		chooser.Begin(1)
		for _, f := range runner.Run(chooser).Findings {
			fmt.Println(design, f.Property, f.Verdict, f.Exercised)
			if f.Why != nil {
				fmt.Println(f.Why)
			}
		}
	}
	// Output:
	// kep-2340 reads-from-cache holds 4
	// direct reads-from-cache violated 4
	// reader-1 was answered by etcd
}
