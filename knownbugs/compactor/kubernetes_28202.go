package compactor

import (
	"github.com/watchbed/watchbed/properties/compactions"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Before there was a key to compete for, each API server compacted by itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-28202", Issue: "kubernetes/kubernetes#28202", FixedIn: "Kubernetes 1.4",
	Summary:  "each API server compacts etcd once an interval, whatever the others do",
	Setting:  "compact-guard=none",
	Scenario: scenarios.CompetingCompactors, Property: compactions.HistoryKept,
	Why: "three servers compact in one interval",
})

var _ = compactor.Guards.Register("none", "always (kubernetes#28202)", func(env *sim.Env, _ int64) []wire.Compare {
	if env.Noting() {
		env.Note(uncontested{})
	}
	return nil
})

// uncontested: the server compares nothing.
type uncontested struct{}

// Text implements sim.Note.
func (uncontested) Text(*sim.World) string { return "is to compact etcd, whatever other servers do" }
