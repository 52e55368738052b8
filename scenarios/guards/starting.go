package guards

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var LockedGate = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-locked-gate",
	Summary: "a gate that is locked to true is set to false on the command line: the API server does not start, however new etcd is",
	Doc: `With KEP-2340 at GA the gate ConsistentListFromCache cannot be switched off any more. An API server that is told to do so
ends before it asks etcd anything. Its clients get no answer, and no refusal that would let them wait.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("version-check=kep-ga", "consistent-list-from-cache=disabled"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 2, Readers: 2, Reads: 2, Read: "consistent", Keys: 2},
		Faults:   faults.Options{Restarts: 1},
		Clock:    testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{caches.StartsAsChecked},
})

var Insists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-insists",
	Summary: "etcd is too old and the gate was enabled on the command line: the API server does not start",
	Doc: `With KEP-2340 at Beta an old member of etcd switches consistent reads from the cache off, with a warning, unless the gate
ConsistentListFromCache was enabled explicitly. Then the API server ends before it serves. With an etcd that has the fix of
etcd-io/etcd#15220 it starts.`,
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Settings: option.Settings("version-check=kep-beta", "consistent-list-from-cache=enabled"),
		Topology: topology.Options{Members: "3.5.13", Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 2, Readers: 2, Reads: 2, Read: "consistent", Keys: 2},
		Faults:   faults.Options{Restarts: 1},
		Clock:    testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{caches.StartsAsChecked},
})

var Upgrade = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-upgrade",
	Summary: "etcd is upgraded under an API server that found it too old: consistent LISTs are etcd's until the API server restarts",
	Doc: `The version check of KEP-2340 finds etcd 3.5.7 and switches consistent reads from the cache off. Then the cluster comes back
as 3.5.13. The process that runs does not ask again; one that starts after that must serve consistent LISTs from the cache, and
must remember nothing of the time before.`,
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Settings: option.Settings("version-check=kep-beta"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Faults:   faults.Options{Downgrade: "3.5.13", Restarts: 2},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{caches.StartsAsChecked, reads.Linearizable, reads.LinearizableData},
	Known:  known.StaleReads(reads.Linearizable, reads.LinearizableData),
})

var SlowMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-slow-member",
	Summary: "etcd takes longer to say its version than the API server waits: it starts with a warning, after two seconds",
	Doc: `Messages take up to 1.5 s until the cache is ready. KEP-2340 has the API server warn and go on if a member does not say its
version; what it hears after that changes nothing.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("version-check=kep-beta"),
		Topology: topology.Options{Members: "3.5.13,3.6.16", Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2, Items: 1, Think: time.Second,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 150 * time.Millisecond, Scheduling: time.Millisecond, Horizon: 30 * time.Second, Steps: 100_000,
		},
	},
	Claims: []*testbed.Property{caches.StartsAsChecked, reads.Linearizable},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents, known.WaitsUntilFresh, known.RequestsProgress).RarelyViolates(reads.Linearizable).
			Because("a member that does not say its version in time is trusted, however old it is (etcd-io/etcd#15220)"),
		known.StaleReads(reads.Linearizable),
	),
})
