// Package toys has small subjects with which the packages of explore are tested:
// Counter, with messages, timers, questions and a fault, loses an update if two
// clients interleave; Tasks, with nothing but loops, has a planted bug of each kind
// that strategies differ in.
//
// It must never be imported by anything but tests of explore.
package toys

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// BothRead is covered when an update is lost.
var BothRead = sim.NewCoveragePoint("counter: two clients hold the same value")

// Counter is a subject of messages, timers, choices and a fault: clients ask a
// server for its value and write it back plus one. Two that interleave lose an
// update. Each has its own stream, and further clients only ask.
type Counter struct {
	options sim.Options
	// Deferred makes the server answer reads in a step of its own, as if its code
	// had changed since a recording.
	Deferred bool
	server   counterServer
	clients  []counterClient
	faults   []sim.BreakStream
	found    [2]explore.Finding
}

const (
	serverID = 1
	rounds   = 4
)

// NewCounter returns an untimed counter.
func NewCounter() *Counter { return newCounter(sim.Options{}) }

// NewTimedCounter returns a counter whose messages take up to 40 ms.
func NewTimedCounter() *Counter {
	d := sim.Delay{Max: 40 * time.Millisecond, Steps: 8}
	return newCounter(sim.Options{Mode: sim.Timed, Safety: sim.Bounds{Network: d}, Liveness: sim.Bounds{Network: d}})
}

func newCounter(o sim.Options) *Counter {
	s := &Counter{options: o, clients: make([]counterClient, 5), faults: make([]sim.BreakStream, 1)}
	s.faults[0] = sim.BreakStream{From: []sim.NodeID{serverID + 5}, To: serverID, Label: "e>server"}
	return s
}

func (s *Counter) Build(w *sim.World) {
	s.server = counterServer{deferred: s.Deferred}
	w.Add("server", &s.server)
	for i := range s.clients {
		s.clients[i] = counterClient{server: &s.server, writes: i < 2}
		w.Add("abcde"[i:i+1], &s.clients[i])
	}
	w.AddFault(&s.faults[0], sim.Budget{Times: 1, Within: 100 * time.Millisecond})
}

func (s *Counter) Options() sim.Options         { return s.options }
func (s *Counter) After(*sim.World, sim.Action) {}

func (s *Counter) Over(*sim.World) bool {
	for i := range s.clients {
		if s.clients[i].done < rounds {
			return false
		}
	}
	return true
}

func (s *Counter) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "counts", Verdict: model.Holds, Exercised: s.server.writes}
	if s.server.lost > 0 {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "lost update"
		s.found[0].Why = lostUpdates(s.server.lost)
	}
	s.found[1] = explore.Finding{Property: "answers", Verdict: model.Holds, Exercised: s.server.reads}
	return s.found[:]
}

type lostUpdates int

func (n lostUpdates) String() string { return strconv.Itoa(int(n)) + " updates lost" }

type counterServer struct {
	Idle
	value, reads, writes, lost int
	// deferred makes the server answer reads in a step of its own.
	deferred bool
	asking   []asking
}

type asking struct {
	conn  sim.Conn
	cause sim.Cause
}

func (s *counterServer) Run(env *sim.Env, _ sim.Task) {
	env.Choose(3, "jitter")
	a := s.asking[0]
	s.asking = s.asking[1:]
	env.Under(a.cause)
	env.Send(a.conn, valueResponse(s.value))
	if len(s.asking) > 0 {
		env.Enable(0)
	}
}

func (s *counterServer) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case readRequest:
		s.reads++
		if s.deferred {
			s.asking = append(s.asking, asking{m.Conn, env.Cause()})
			env.Enable(0)
			return
		}
		env.Send(m.Conn, valueResponse(s.value))
	case writeRequest:
		s.writes++
		if int(p) != s.value+1 {
			s.lost++
			env.Cover(BothRead)
		}
		s.value = int(p)
		env.Send(m.Conn, Text("written"))
	}
}

type counterClient struct {
	Idle
	server *counterServer
	writes bool
	done   int
	stream sim.Conn
}

type (
	readRequest   struct{}
	valueResponse int
	writeRequest  int
)

func (readRequest) Digest(d sim.Digest) sim.Digest     { return d.Word(1) }
func (readRequest) Label() string                      { return "read" }
func (v valueResponse) Digest(d sim.Digest) sim.Digest { return d.Int(int64(v)) }
func (v valueResponse) Label() string                  { return "value " + strconv.Itoa(int(v)) }
func (v writeRequest) Digest(d sim.Digest) sim.Digest  { return d.Int(int64(v)) }
func (v writeRequest) Label() string                   { return "write " + strconv.Itoa(int(v)) }

func (c *counterClient) Start(env *sim.Env) {
	c.stream = env.Open(serverID)
	c.plan(env)
}

func (c *counterClient) plan(env *sim.Env) {
	env.Arm(0, time.Duration(env.Choose(5, "think"))*10*time.Millisecond)
}

func (c *counterClient) Fire(env *sim.Env, _ sim.Timer) {
	env.Begin("round", c.done)
	env.Send(c.stream, readRequest{})
}

func (c *counterClient) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case valueResponse:
		if c.writes {
			env.Send(c.stream, writeRequest(p+1))
			return
		}
		c.finish(env)
	case *sim.Hangup:
		env.Disarm(0)
		c.done = rounds
	default:
		c.finish(env)
	}
}

func (c *counterClient) finish(env *sim.Env) {
	c.done++
	if c.done < rounds {
		c.plan(env)
	}
}

func (c *counterClient) TimerName(sim.Timer) string { return "round " + strconv.Itoa(c.done) }

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

func (s *Tasks) Build(w *sim.World) {
	s.hit = false
	s.reset()
	for i, n := range s.nodes {
		n.done = 0
		w.Add(s.names[i], n)
	}
}

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

func (s *Turns) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "safe", Verdict: model.Holds, Exercised: 1}
	if !s.node.again && s.node.done == [2]int{loopSteps, loopSteps} {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "bug"
	}
	return s.found[:]
}

// Text is the simplest payload.
type Text string

func (t Text) Digest(d sim.Digest) sim.Digest { return d.Text(string(t)) }
func (t Text) Label() string                  { return string(t) }

// Idle is a subject and a node that does nothing. Others embed it and say only
// what they do.
type Idle struct{ sim.Idle }

func (Idle) Options() sim.Options               { return sim.Options{} }
func (Idle) After(*sim.World, sim.Action)       {}
func (Idle) Over(*sim.World) bool               { return false }
func (Idle) Judge(*sim.World) []explore.Finding { return nil }

// Proved is the part of a prove.Subject that says nothing: it has no past and no memory. Others
// embed it, build, adopt and judge, and say what their goal is.
type Proved struct{}

func (Proved) Options() sim.Options                     { return sim.Options{} }
func (Proved) After(*sim.World, sim.Action)             {}
func (Proved) Over(*sim.World) bool                     { return false }
func (Proved) Monitors(d sim.Digest) sim.Digest         { return d }
func (Proved) IsMonitored(sim.NodeID) bool              { return false }
func (Proved) SeesNodes() bool                          { return false }
func (Proved) Endless(sim.NodeID) bool                  { return true }
func (Proved) Remembers() bool                          { return false }
func (Proved) Remembered(*sim.World) any                { return nil }
func (Proved) Recall(any)                               {}
func (Proved) Remember(any, *sim.World, sim.Action) any { return nil }

// Bug is a toy bug, most of them of Tasks a, b, c, ... with some steps each.
type Bug struct {
	Name string
	New  func() explore.Subject
}

// Bugs are toy bugs that strategies differ in.
var Bugs = []Bug{
	{"short task last", shortTaskLast},
	{"atomicity, noise", atomicityWithNoise},
	{"lost event", lostEvent},
	{"starvation", starvation},
	{"two windows", twoWindows},
	{"taking turns", func() explore.Subject { return &Turns{} }},
}

// shortTaskLast: the one step of a comes after all fifty of b.
func shortTaskLast() explore.Subject {
	bDone := false
	return NewTasks(func(task, step int) bool {
		bDone = bDone || task == 1 && step == 49
		return task == 0 && bDone
	}, func() { bDone = false }, 1, 50)
}

// atomicityWithNoise: a and b read in their fifth step and write in their
// sixth; both read before either writes, while c and d make noise.
func atomicityWithNoise() explore.Subject {
	reading, lost := 0, false
	return NewTasks(func(task, step int) bool {
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
	return NewTasks(func(task, step int) bool {
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
	return NewTasks(func(task, _ int) bool {
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
	return NewTasks(func(task, step int) bool {
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
