package schedules_test

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

var (
	cellVariable = sim.NewCell("programs: variable")
	cellLog      = sim.NewCell("programs: log")
)

// verb is what one step of a program does.
type verb int

const (
	read    verb = iota // the variable, into the program's log
	write               // the program's number into the variable
	throw               // one of two sides into the variable
	start               // lets program v begin, if it has not ended
	stop                // keeps program v from going on
	restart             // arms the clock of program v anew
	verbs
)

type order struct {
	verb verb
	v    int
}

func (o order) String() string {
	return fmt.Sprint([]string{"read", "write", "throw", "start", "stop", "arm"}[o.verb], " ", o.v)
}

// machine is one node that runs programs over shared variables, each a loop of its own. Its
// clocks, as many as programs, write the variable of their number when they fire.
type machine struct {
	sim.Idle
	programs  [][]order
	waiting   []bool // programs that something has to start
	variables []int
	at        []int
	logs      [][]int
}

func (m *machine) Start(env *sim.Env) {
	for p := range m.programs {
		if !m.waiting[p] {
			env.Enable(sim.Task(p))
		}
	}
}
func (m *machine) TaskName(t sim.Task) string   { return fmt.Sprint("program ", int(t)) }
func (m *machine) TimerName(t sim.Timer) string { return fmt.Sprint("clock ", int(t)) }

func (m *machine) Fire(env *sim.Env, t sim.Timer) {
	env.Write(cellVariable, int(t))
	m.variables[t] = 100 + int(t)
	env.Arm(t, 1)
}

func (m *machine) Run(env *sim.Env, t sim.Task) {
	p := int(t)
	o := m.programs[p][m.at[p]]
	env.Write(cellLog, p)
	m.at[p]++
	switch o.verb {
	case read:
		env.Read(cellVariable, o.v)
		m.logs[p] = append(m.logs[p], m.variables[o.v])
	case write:
		env.Write(cellVariable, o.v)
		m.variables[o.v] = 10*p + m.at[p]
	case throw:
		side := env.Choose(2, "side")
		if side == 1 {
			env.Write(cellVariable, o.v)
			m.variables[o.v] = -1
		}
	case start:
		env.Read(cellLog, o.v)
		if o.v != p && m.at[o.v] < len(m.programs[o.v]) {
			env.Enable(sim.Task(o.v))
		}
	case stop:
		if o.v != p {
			env.Disable(sim.Task(o.v))
		}
	case restart:
		env.Arm(sim.Timer(o.v), 1)
	}
	if m.at[p] < len(m.programs[p]) {
		env.Enable(t)
	}
}

func (m *machine) Clone() sim.Node {
	c := *m
	c.variables, c.at = append([]int(nil), m.variables...), append([]int(nil), m.at...)
	c.logs = append([][]int(nil), m.logs...)
	for i := range c.logs {
		c.logs[i] = append([]int(nil), m.logs[i]...)
	}
	return &c
}

func (m *machine) Fingerprint(d sim.Digest) sim.Digest { return d.Text(m.history()) }

// history is what each program has read, and what is left behind.
func (m *machine) history() string { return fmt.Sprint(m.logs, m.variables, m.at) }

// programs is the subject. wrong says which histories violate it.
type programs struct {
	toys.Proved
	first machine
	wrong func(history string) bool
	now   *machine
}

func newPrograms(n int, text ...[]order) *programs {
	m := machine{programs: text, waiting: make([]bool, len(text))}
	m.variables, m.at, m.logs = make([]int, n), make([]int, len(text)), make([][]int, len(text))
	return &programs{first: m}
}

func (s *programs) Build(w *sim.World) {
	s.now = s.first.Clone().(*machine)
	w.Add("machine", s.now)
}

func (s *programs) Liveness() prove.Liveness { return nil }
func (s *programs) Adopt(w *sim.World)       { s.now = w.Node(1).(*machine) }
func (s *programs) Judge(*sim.World) []explore.Finding {
	f := explore.Finding{Property: "right", Verdict: model.Holds, Exercised: 1}
	if s.wrong != nil && s.wrong(s.now.history()) {
		f.Verdict, f.Label = model.Violated, "there"
	}
	return []explore.Finding{f}
}
func (s *programs) JudgeStep(w *sim.World, _ sim.Action) []explore.Finding { return s.Judge(w) }

var _ prove.Subject = (*programs)(nil)

// drawPrograms draws some short ones.
func drawPrograms(r *rand.Rand) *programs {
	const variables = 2
	var text [][]order
	n := 2 + r.Intn(3)
	for range n {
		var p []order
		for range 1 + r.Intn(4-n/2) {
			o := order{verb: verb(r.Intn(int(verbs))), v: r.Intn(variables)}
			p = append(p, o)
		}
		text = append(text, p)
	}
	s := newPrograms(variables, text...)
	for p := range text {
		s.first.waiting[p] = p > 0 && r.Intn(4) == 0
	}
	return s
}

func (s *programs) String() string {
	var lines []string
	for i, p := range s.first.programs {
		lines = append(lines, fmt.Sprint(i, s.first.waiting[i], p))
	}
	return strings.Join(lines, "; ")
}
