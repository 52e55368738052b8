package guards

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var OldEtcd = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-old-etcd",
	Summary: "etcd is too old from the start: the version check sends consistent LISTs to etcd, and none of them lacks a write",
	Doc: `issue-15220 behind the version check that was shipped (kubernetes/kubernetes#123192). Until the first member of etcd
has said its version, and for good once one said a version without the fixes, every consistent LIST is etcd's. With
--set version-check=none it is issue-15220 again. With version-check=kep-ga an API server in front of an etcd without the fix
does not start at all: nothing is exercised, and the verdict is vacuous.`,
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Settings: option.Settings("version-check=shipped"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Clock:    testbed.Clock{AtRest: true, Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var Mixed = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-mixed-members",
	Summary: "two members of etcd, one too old: between their two answers the version check trusts the cluster",
	Doc: `The member that all clients are connected to is too old, another one is not. The version check that was shipped asks each
by itself: the first good answer turns consistent reads from the cache on, the first bad one turns them off for good. A LIST
that comes in between is answered from a cache whose watch the old member serves, and may lack a completed write
(etcd-io/etcd#15220). The KEP's policies wait for all members before they start, and are safe here: try
--set version-check=kep-beta.`,
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Settings: option.Settings("version-check=shipped"),
		Topology: topology.Options{Members: "3.5.13", Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.When(known.ProgressOvertakesEvents, known.WaitsUntilFresh, known.RequestsProgress, testbed.Unless(known.ChecksAllMembers), testbed.Unless(known.FollowsStreams)).
			RarelyViolates(reads.Linearizable, reads.LinearizableData).
			Because("the member that serves is too old, and the cache trusts it until that member says so (etcd-io/etcd#15220)"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

// oldMemberLater is etcd-io/etcd#15220 of an etcd that serves later.
var oldMemberLater = slices.Concat(
	known.When(known.OldMemberComes, known.WaitsUntilFresh, known.RequestsProgress, known.TrustsEtcd, testbed.Unless(known.FollowsStreams)).
		Violates(reads.Linearizable, reads.LinearizableData).
		Because("the cache trusts the etcd that it could ask, and an older one serves later (etcd-io/etcd#15220)"),
	known.StaleReads(reads.Linearizable, reads.LinearizableData),
)

var Unasked = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-unasked-member",
	Summary: "a member too old to be trusted was down when the API server started, and then takes over",
	Doc: `The version check hears from the member that serves, and nothing from one that is down. The check that was shipped goes
on asking, after up to 15 s; the KEP warns and goes on. When the member that was down takes over, requested progress
overtakes events (etcd-io/etcd#15220), and the cache still trusts it: until the next attempt in what was shipped, for good
with the KEP's policies.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("version-check=shipped"),
		Topology: topology.Options{Members: "3.5.7!", Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Faults:   faults.Options{Failovers: 1},
		Clock:    testbed.Clock{AtRest: true, Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known:  oldMemberLater,
})

var Downgrade = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-downgrade",
	Summary: "etcd is downgraded after the version check has passed: a consistent LIST lacks a completed write",
	Doc: `KEP-2340 checks the version when the API server starts, because "we generally don't expect etcd clusters to
downgrade". This scenario breaks that assumption: the cluster comes back as 3.5.7 under an API server that has seen a newer one, requested
progress overtakes events again (etcd-io/etcd#15220), and the version is not asked for a second time.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("version-check=shipped"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Faults:   faults.Options{Downgrade: "3.5.7"},
		Clock:    testbed.Clock{AtRest: true, Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known:  oldMemberLater,
})
