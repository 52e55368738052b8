package scenarios

import (
	"strings"

	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// versionCheck is the guard that the parameters come to.
func versionCheck(p *testbed.Params) string { return optionOf(p, "version-check") }

// checkTrusts reports whether a version check that could ask a member of this
// version trusts it. The KEP asks for the fix of etcd-io/etcd#15220 only, what
// was shipped for that of #17507 too.
func checkTrusts(check, version string) bool {
	switch check {
	case "kep-beta", "kep-ga":
		return etcd.FixedIn("progress", "control-queue").Includes(release.Must(version))
	case "shipped":
		return etcd.FixedIn("progress", "deferred").Includes(release.Must(version))
	}
	return true
}

// Distrusts reports whether the version check finds etcd too old, and nothing else
// than that etcd ever serves.
func Distrusts(p *testbed.Params) bool {
	return !p.ChangesMember() && !checkTrusts(versionCheck(p), p.Etcd)
}

var GuardOldEtcd = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	Expected: func(p *testbed.Params) []*testbed.Property {
		if versionCheck(p) == "none" {
			return Issue15220.Expected(p)
		}
		return trustsNothing(p, reads.Linearizable, reads.LinearizableData)
	},
})

var GuardMixed = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	Expected: func(p *testbed.Params) []*testbed.Property {
		if hasBug(p, "issue-15220") && p.Cache != "draft-2019" && !strings.HasPrefix(versionCheck(p), "kep-") {
			return trustsProgress(p, reads.Linearizable, reads.LinearizableData)
		}
		return trustsNothing(p, reads.Linearizable, reads.LinearizableData)
	},
})

var GuardUnasked = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims:   []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	Expected: expectLater,
})

var GuardDowngrade = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims:   []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	Expected: expectLater,
})

var GuardQuietRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-quiet-range",
	Summary: "the version check of the KEP asks for one fix, not for the next: consistent LISTs hang all the same",
	Doc: `issue-17507 behind the version check of KEP-2340, which passes every etcd with the fix of etcd-io/etcd#15220: 3.4.25
and 3.5.8 on, whose fix brought #17507. What was shipped asks for 3.4.31 and 3.5.13
(kubernetes/kubernetes#123192): with --set version-check=shipped etcd answers, and in time.`,
	Params: func() testbed.Params {
		p := Issue17507.Params
		p.Settings = option.Settings("version-check=kep-beta")
		return p
	}(),
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable},
	Expected: func(p *testbed.Params) []*testbed.Property {
		if checkTrusts(versionCheck(p), p.Etcd) {
			return Issue17507.Expected(p)
		}
		return trustsNothing(p, reads.Linearizable)
	},
	Possible: Issue17507.Possible,
})

// expectLater expects #15220 of a member that takes over later, if the one that
// could be asked was trusted.
func expectLater(p *testbed.Params) []*testbed.Property {
	if checkTrusts(versionCheck(p), p.Etcd) && asksForProgress(p) {
		return trustsProgress(p, reads.Linearizable, reads.LinearizableData)
	}
	return trustsNothing(p, reads.Linearizable, reads.LinearizableData)
}
