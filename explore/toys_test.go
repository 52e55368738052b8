package explore_test

import (
	"strconv"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// tasks is a subject of independent tasks with a number of steps each, the
// simplest world in which strategies differ.
type tasks struct {
	nodes []*task
	names []string
	// at is told of each step; it returns true if the bug was hit.
	at    func(task, step int) bool
	reset func()
	hit   bool
	found [1]explore.Finding
}

type task struct {
	owner       *tasks
	index       int
	steps, done int
}

func (t *task) Start(env *sim.Env)             { env.Enable(0) }
func (t *task) Receive(*sim.Env, *sim.Message) {}
func (t *task) Fire(*sim.Env, sim.Timer)       {}
func (t *task) TaskName(sim.Task) string       { return "step " + strconv.Itoa(t.done) }
func (t *task) TimerName(sim.Timer) string     { return "" }
func (t *task) Run(env *sim.Env, _ sim.Task) {
	t.owner.hit = t.owner.at(t.index, t.done) || t.owner.hit
	t.done++
	if t.done < t.steps {
		env.Enable(0)
	}
}

func newTasks(at func(task, step int) bool, reset func(), steps ...int) *tasks {
	s := &tasks{at: at, reset: reset}
	for i, n := range steps {
		s.nodes = append(s.nodes, &task{owner: s, index: i, steps: n})
		s.names = append(s.names, string(rune('a'+i)))
	}
	return s
}

func (s *tasks) Build(w *sim.World) {
	s.hit = false
	s.reset()
	for i, n := range s.nodes {
		n.done = 0
		w.Add(s.names[i], n)
	}
}

func (s *tasks) Options() sim.Options         { return sim.Options{} }
func (s *tasks) After(*sim.World, sim.Action) {}
func (s *tasks) Over(*sim.World) bool         { return false }
func (s *tasks) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "safe", Verdict: model.Holds, Exercised: 1}
	if s.hit {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "bug"
	}
	return s.found[:]
}

// The five toy bugs. Tasks are a, b, c, ... with some steps each.

// shortTaskLast: the one step of a comes after all fifty of b.
func shortTaskLast() explore.Subject {
	bDone := false
	return newTasks(func(task, step int) bool {
		bDone = bDone || task == 1 && step == 49
		return task == 0 && bDone
	}, func() { bDone = false }, 1, 50)
}

// atomicityWithNoise: a and b read in their fifth step and write in their
// sixth; both read before either writes, while c and d make noise.
func atomicityWithNoise() explore.Subject {
	reading, lost := 0, false
	return newTasks(func(task, step int) bool {
		switch {
		case task > 1:
		case step == 4:
			reading++
			lost = lost || reading == 2
		case step == 5:
			reading--
		}
		return lost
	}, func() { reading, lost = 0, false }, 10, 10, 20, 20)
}

// lostEvent: a lists and watches, b writes, c compacts, in the order list,
// write, compact, watch, while d makes noise.
func lostEvent() explore.Subject {
	at := 0
	return newTasks(func(task, step int) bool {
		order := [4][2]int{{0, 0}, {1, 3}, {2, 3}, {0, 1}}
		if at < 4 && order[at] == [2]int{task, step} {
			at++
			return at == 4
		}
		return false
	}, func() { at = 0 }, 2, 4, 4, 20)
}

// starvation: b takes forty steps between the first and the second of a.
func starvation() explore.Subject {
	began, steps := false, 0
	return newTasks(func(task, _ int) bool {
		switch {
		case task == 1 && began:
			steps++
		case task == 0 && !began:
			began = true
		case task == 0:
			return steps >= 40
		}
		return false
	}, func() { began, steps = false, 0 }, 2, 60)
}

// twoWindows: b hits a's window, and d hits c's.
func twoWindows() explore.Subject {
	var open, hits [2]bool
	return newTasks(func(task, step int) bool {
		w := task / 2
		switch {
		case task%2 == 0:
			open[w] = step == 4
		case step == 4 && open[w]:
			hits[w] = true
		}
		return hits[0] && hits[1]
	}, func() { open, hits = [2]bool{}, [2]bool{} }, 10, 10, 10, 10)
}
