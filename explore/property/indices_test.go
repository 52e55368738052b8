package property

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/sim"
)

// fourLoops has four loops that run once each, and keeps their order.
type fourLoops struct {
	toys.Idle
	order []sim.Task
}

func (n *fourLoops) Start(env *sim.Env) {
	n.order = n.order[:0]
	for t := range sim.Task(4) {
		env.Enable(t)
	}
}
func (n *fourLoops) Run(_ *sim.Env, t sim.Task) { n.order = append(n.order, t) }
func (n *fourLoops) Build(w *sim.World)         { w.Add("n", n) }

func TestIndicesCountFromTheDefaultChoice(t *testing.T) {
	for _, c := range []struct {
		list []uint16
		want []sim.Task
		used int
	}{
		{nil, []sim.Task{0, 1, 2, 3}, 0},
		{[]uint16{7, 2}, []sim.Task{3, 2, 0, 1}, 2},
		// The fourth pick has one option and takes no number.
		{[]uint16{1, 1, 1, 1, 1, 1, 1}, []sim.Task{1, 2, 3, 0}, 3},
	} {
		n := &fourLoops{}
		chooser := &indices{list: c.list}
		explore.NewRunner(n, 0).Run(chooser)
		require.Equal(t, c.want, n.order, c.list)
		require.Equal(t, c.used, chooser.used, c.list)
	}
}
