package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// breaks panics when it starts.
type breaks struct {
	sim.Idle
	with any
}

func (n *breaks) Start(*sim.Env) { panic(n.with) }

func (n *breaks) Build(w *sim.World)                 { w.Add("a", n) }
func (n *breaks) Options() sim.Options               { return sim.Options{} }
func (n *breaks) After(*sim.World, sim.Action)       {}
func (n *breaks) Over(*sim.World) bool               { return true }
func (n *breaks) Judge(*sim.World) []explore.Finding { return nil }

// ofMember is the panic of a program.
type ofMember struct{}

func (ofMember) Error() string   { return "member-1 panics: no entry, in wal.Open" }
func (ofMember) Message() string { return "no entry" }

// TestPanicOfAProgram: a program that panics in the simulation is told from what simulates it.
func TestPanicOfAProgram(t *testing.T) {
	first := func(c *breaks) explore.Finding {
		r := explore.NewRunner(c, 0)
		res := r.Run(nil)
		require.Len(t, res.Findings, 1)
		require.Equal(t, model.Violated, res.Findings[0].Verdict)
		return res.Findings[0]
	}
	of := first(&breaks{with: ofMember{}})
	require.True(t, explore.OfProgram(of.Why))
	require.Equal(t, "no entry", of.Label)
	require.Equal(t, "member-1 panics: no entry, in wal.Open", of.Why.String())
	own := first(&breaks{with: "nil map"})
	require.False(t, explore.OfProgram(own.Why))
	require.Regexp(t, `^simulated code panicked: nil map \(explore_test.*`, own.Why.String())
}
