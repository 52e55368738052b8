package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// guarded is a node with a guard.
type guarded struct {
	guard.Guard
	check guard.VersionCheck
	state []string
}

func (n *guarded) Start(env *sim.Env) {
	n.Reset(guard.Config{Options: guard.Options{VersionCheck: n.check}, KV: env.Self(), Endpoints: 1})
	n.Guard.Start(env)
	n.note(env)
	env.Send(env.Open(env.Self()), &wire.ReadyzRequest{})
}

func (n *guarded) Receive(env *sim.Env, m *sim.Message) {
	if n.Guard.Receive(env, m) {
		n.note(env)
	}
}

func (n *guarded) note(env *sim.Env) {
	switch {
	case n.Refusal(env) != nil:
		n.state = append(n.state, n.Refusal(env).Message)
	case n.ConsistentReadSupported(env):
		n.state = append(n.state, "trusts")
	default:
		n.state = append(n.state, "serves")
	}
}

func (*guarded) Fire(*sim.Env, sim.Timer)   {}
func (*guarded) Run(*sim.Env, sim.Task)     {}
func (*guarded) TaskName(sim.Task) string   { return "" }
func (*guarded) TimerName(sim.Timer) string { return "" }

type first struct{}

func (first) Pick(*sim.World, []sim.Action) int      { return 0 }
func (first) Choose(*sim.World, int, string) (n int) { return 0 }

func states(check guard.VersionCheck) []string {
	w, n := sim.NewWorld(sim.Options{}), &guarded{check: check}
	w.Add("node", n)
	w.Start(first{})
	w.Step(first{})
	return n.state
}

func TestAnotherModuleAddsACheck(t *testing.T) {
	check := guard.Checks.Register("suspicious", "it trusts no etcd", guard.Check{
		Asks: guard.BeforeStart, Needs: guard.Releases{In34: release.Must("9.0.0"), In35: release.Must("9.0.0")},
	})
	require.False(t, guard.Checks.Of(check).Passes(release.Must("3.6.0")))
	require.Equal(t, []string{"the API server waits for the version of etcd before it starts", "trusts"}, states(check), "a version that is unknown")
	require.Equal(t, []string{"trusts"}, states(0), "no check: a message is not the guard's")
}
