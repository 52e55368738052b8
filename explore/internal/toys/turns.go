package toys

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Turns is a subject of one node with two loops of a few steps each. It is violated if the loops take
// turns from beginning to end. Each step of one loop races with the next of the other one,
// which has been possible since before it.
type Turns struct {
	Idle
	node  turning
	found [1]explore.Finding
}

// loopSteps is how many steps each loop has.
const loopSteps = 4

type turning struct {
	sim.Idle
	done  [2]int
	last  sim.Task
	again bool
}

func (n *turning) Start(env *sim.Env) {
	*n = turning{last: -1}
	env.Enable(0)
	env.Enable(1)
}

func (n *turning) TaskName(t sim.Task) string { return string(rune('a' + t)) }

func (n *turning) Run(env *sim.Env, t sim.Task) {
	n.again = n.again || n.last == t
	n.last = t
	if n.done[t]++; n.done[t] < loopSteps {
		env.Enable(t)
	}
}

func (s *Turns) Build(w *sim.World) { w.Add("loops", &s.node) }

// Judge implements explore.Subject.
func (s *Turns) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "safe", Verdict: model.Holds, Exercised: 1}
	if !s.node.again && s.node.done == [2]int{loopSteps, loopSteps} {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "bug"
	}
	return s.found[:]
}
