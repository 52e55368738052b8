package toys

import (
	"strconv"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Tasks is a subject of independent tasks with a number of steps each, the
// simplest world in which strategies differ.
type Tasks struct {
	Idle
	nodes []*task
	names []string
	at    func(task, step int) bool
	reset func()
	hit   bool
	found [1]explore.Finding
}

type task struct {
	sim.Idle
	owner       *Tasks
	index       int
	steps, done int
}

func (t *task) Start(env *sim.Env)       { env.Enable(0) }
func (t *task) TaskName(sim.Task) string { return "step " + strconv.Itoa(t.done) }
func (t *task) Run(env *sim.Env, _ sim.Task) {
	t.owner.hit = t.owner.at(t.index, t.done) || t.owner.hit
	t.done++
	if t.done < t.steps {
		env.Enable(0)
	}
}

// NewTasks returns tasks with so many steps each. at is called for each step and
// returns true if the bug was hit; reset begins a run.
func NewTasks(at func(task, step int) bool, reset func(), steps ...int) *Tasks {
	s := &Tasks{at: at, reset: reset}
	for i, n := range steps {
		s.nodes = append(s.nodes, &task{owner: s, index: i, steps: n})
		s.names = append(s.names, string(rune('a'+i)))
	}
	return s
}

// Build implements explore.Subject.
func (s *Tasks) Build(w *sim.World) {
	s.hit = false
	s.reset()
	for i, n := range s.nodes {
		n.done = 0
		w.Add(s.names[i], n)
	}
}

// Judge implements explore.Subject.
func (s *Tasks) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "safe", Verdict: model.Holds, Exercised: 1}
	if s.hit {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "bug"
	}
	return s.found[:]
}

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
