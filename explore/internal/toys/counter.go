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

// Build implements explore.Subject.
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

// Over implements explore.Subject.
func (s *Counter) Over(*sim.World) bool {
	for i := range s.clients {
		if s.clients[i].done < rounds {
			return false
		}
	}
	return true
}

// Judge implements explore.Subject.
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
