package prove_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

var (
	cellVariable = sim.NewCell("reduce test: variable")
	cellProgram  = sim.NewCell("reduce test: program")
	cellStream   = sim.NewCell("reduce test: stream")
)

// verb is what one step of a program does.
type verb int

const (
	read    verb = iota // a variable, into what the program has seen
	write               // a number of the program's own into a variable
	start               // lets another program go on, if it has not ended
	stop                // keeps another program from going on
	arm                 // sets a clock, which writes a variable
	disarm              // stops a clock
	send                // a variable to a peer, on a stream
	call                // a peer with a variable, which answers with one of its own
	hold                // keeps what comes from a peer from coming
	release             // lets it come
	open                // a new stream to a peer, on which nothing is sent yet
	shut                // ends the stream to a peer
	toss                // one of two sides into a variable
	jump                // back to the beginning of the program
	verbs
)

// order is a verb with its object: a program, a variable, a clock or a peer.
type order struct {
	verb verb
	of   int
}

// machine is a node that runs programs, each in a loop of its own. What it receives it writes into a variable.
type machine struct {
	programs [][]order
	waiting  []bool
	peers    []sim.NodeID

	at        []int
	seen      []int // by program, what it has read last
	variables []int
	streams   []sim.Conn // by peer, the one that it opened
	from      []sim.Conn // by peer, the last one on which something came
	broken    int
}

const variables = 2

func (m *machine) Start(env *sim.Env) {
	for p := range m.programs {
		if !m.waiting[p] {
			env.Enable(sim.Task(p))
		}
	}
}

func (*machine) TaskName(t sim.Task) string   { return fmt.Sprint("program ", int(t)) }
func (*machine) TimerName(t sim.Timer) string { return fmt.Sprint("clock ", int(t)) }

func (m *machine) Fire(env *sim.Env, t sim.Timer) {
	env.Writes(cellVariable, int(t))
	m.variables[t] = 100 + 10*m.variables[t]%1000
	env.Arm(t, 1)
}

type number struct {
	n      int
	wanted bool
}

func (x number) Digest(d sim.Digest) sim.Digest { return d.Int(int64(x.n)).Bool(x.wanted) }
func (x number) Label() string                  { return fmt.Sprint(x.n) }

func (m *machine) Receive(env *sim.Env, msg *sim.Message) {
	x, is := msg.Payload.(number)
	i := slices.Index(m.peers, msg.From)
	if !is {
		env.Writes(cellStream, i)
		m.broken++
		return
	}
	env.Writes(cellStream, i)
	m.from[i] = msg.Conn
	env.Writes(cellVariable, x.n%variables)
	m.variables[x.n%variables] = x.n + 1
	if x.wanted {
		env.Reads(cellVariable, 0)
		env.Send(msg.Conn, number{n: m.variables[0]})
	}
}

func (m *machine) Run(env *sim.Env, t sim.Task) {
	p := int(t)
	o := m.programs[p][m.at[p]]
	env.Writes(cellProgram, p)
	m.at[p]++
	variable, peer := o.of%variables, o.of%len(m.peers)
	switch o.verb {
	case read:
		env.Reads(cellVariable, variable)
		m.seen[p] = m.variables[variable]
	case write:
		env.Writes(cellVariable, variable)
		m.variables[variable] = 10*p + m.at[p]
	case toss:
		if env.Choose(2, "side") == 1 {
			env.Writes(cellVariable, variable)
			m.variables[variable] = 1
		}
	case start:
		if q := o.of % len(m.programs); q != p {
			env.Reads(cellProgram, q)
			if m.at[q] < len(m.programs[q]) {
				env.Enable(sim.Task(q))
			}
		}
	case stop:
		if q := o.of % len(m.programs); q != p {
			env.Disable(sim.Task(q))
		}
	case jump:
		m.at[p] = 0
	case arm:
		env.Arm(sim.Timer(variable), 1)
	case disarm:
		env.Disarm(sim.Timer(variable))
	case send:
		env.Reads(cellVariable, variable)
		env.Writes(cellStream, peer)
		if m.streams[peer] == sim.NoConn {
			m.streams[peer] = env.Open(m.peers[peer])
		}
		env.Send(m.streams[peer], number{n: m.variables[variable]})
	case open:
		env.Writes(cellStream, peer)
		m.streams[peer] = env.Open(m.peers[peer])
	case call:
		env.Reads(cellVariable, variable)
		env.Call(m.peers[peer], number{m.variables[variable], true})
	case hold, release:
		env.Reads(cellStream, peer)
		if m.from[peer] != sim.NoConn && o.verb == hold {
			env.Hold(m.from[peer])
		} else if m.from[peer] != sim.NoConn {
			env.Release(m.from[peer])
		}
	case shut:
		env.Writes(cellStream, peer)
		if m.streams[peer] != sim.NoConn {
			env.Close(m.streams[peer])
			m.streams[peer] = sim.NoConn
		}
	}
	if m.at[p] < len(m.programs[p]) {
		env.Enable(t)
	}
}

func (m *machine) Clone() sim.Node {
	c := *m
	c.at, c.variables, c.streams, c.from = slices.Clone(m.at), slices.Clone(m.variables), slices.Clone(m.streams), slices.Clone(m.from)
	c.seen = slices.Clone(m.seen)
	return &c
}

func (m *machine) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Text(fmt.Sprint(m.at, m.seen, m.variables, m.broken))
	// Which connection it is no number says.
	for i := range m.peers {
		d = d.Bool(m.streams[i] != sim.NoConn).Bool(m.from[i] != sim.NoConn)
	}
	return d
}

// client is a machine whose steps are judged: it keeps what it received, and when.
type client struct {
	machine
	record []int
}

func (c *client) Receive(env *sim.Env, msg *sim.Message) {
	if x, is := msg.Payload.(number); is {
		c.record = append(c.record, x.n)
	} else {
		c.record = append(c.record, -1)
	}
	c.machine.Receive(env, msg)
}

func (c *client) Clone() sim.Node {
	return &client{*c.machine.Clone().(*machine), slices.Clone(c.record)}
}

func (c *client) Fingerprint(d sim.Digest) sim.Digest {
	return c.machine.Fingerprint(d).Text(fmt.Sprint(c.record))
}

// exchange is a subject: two machines, and two clients whose records are judged.
type exchange struct {
	prove.NoMemory
	nodes [4]machine
	// wrong is a record that a client must not have.
	wrong string
	// over is how many messages clients receive before the run is over, 0 for any number.
	over      int
	now       [2]*client
	histories map[string]bool
}

const firstClient = 3

func (s *exchange) Build(w *sim.World) {
	for i := range s.nodes {
		m := *s.nodes[i].Clone().(*machine)
		if i+1 < firstClient {
			w.Add(fmt.Sprint("machine-", i), &m)
			continue
		}
		s.now[i+1-firstClient] = &client{machine: m}
		w.Add(fmt.Sprint("client-", i), s.now[i+1-firstClient])
	}
}

func (s *exchange) Adopt(w *sim.World) {
	for i := range s.now {
		s.now[i] = w.Node(sim.NodeID(firstClient + i)).(*client)
	}
}

func (s *exchange) Over(*sim.World) bool {
	return s.over > 0 && len(s.now[0].record)+len(s.now[1].record) >= s.over
}

func (s *exchange) history() string { return fmt.Sprint(s.now[0].record, s.now[1].record) }

func (s *exchange) Options() sim.Options                         { return sim.Options{} }
func (s *exchange) After(*sim.World, sim.Action)                 {}
func (s *exchange) Past(d sim.Digest) sim.Digest                 { return d.Text(s.history()) }
func (s *exchange) PastOf(n sim.NodeID) bool                     { return n >= firstClient }
func (s *exchange) SeesNodes() bool                              { return true }
func (s *exchange) Endless(sim.NodeID) bool                      { return true }
func (s *exchange) Goal() prove.Goal                             { return nil }
func (s *exchange) IsJudged(n sim.NodeID) bool                   { return n >= firstClient }
func (s *exchange) Seen(_ sim.NodeID, _ sim.Node) (d sim.Digest) { return d }
func (s *exchange) Judge(w *sim.World) []explore.Finding         { return s.JudgeStep(w, sim.Action{}) }
func (s *exchange) JudgeStep(_ *sim.World, a sim.Action) []explore.Finding {
	f := explore.Finding{Property: "right", Verdict: model.Holds, Exercised: 1}
	if a.Node >= firstClient {
		s.histories[fmt.Sprint(a.Node, s.history())] = true
	}
	if s.history() == s.wrong {
		f.Verdict, f.Label = model.Violated, "wrong"
	}
	return []explore.Finding{f}
}

// program has a node run programs.
func (s *exchange) program(node int, programs [][]order) {
	m := &s.nodes[node]
	for j := range s.nodes {
		if j != node {
			m.peers = append(m.peers, sim.NodeID(j+1))
		}
	}
	m.programs, m.waiting = programs, make([]bool, len(programs))
	m.at, m.seen, m.variables = make([]int, len(programs)), make([]int, len(programs)), make([]int, variables)
	m.streams, m.from = make([]sim.Conn, len(m.peers)), make([]sim.Conn, len(m.peers))
}

func drawExchange(r *rand.Rand) *exchange {
	s := &exchange{}
	for i := range s.nodes {
		programs := make([][]order, r.IntN(3))
		if i+1 >= firstClient {
			programs = programs[:len(programs)/2]
		}
		for j := range programs {
			programs[j] = drawProgram(r)
		}
		s.program(i, programs)
		for j := range programs {
			s.nodes[i].waiting[j] = r.IntN(4) == 0
		}
	}
	if r.IntN(4) == 0 {
		s.over = 1 + r.IntN(3)
	}
	return s
}

func drawProgram(r *rand.Rand) (p []order) {
	for range 1 + r.IntN(3) {
		p = append(p, order{verb(r.IntN(int(verbs))), r.IntN(6)})
	}
	// All but the last one: it would never come to those behind it.
	for i := range p[:len(p)-1] {
		if p[i].verb == jump {
			p[i].verb = write
		}
	}
	return p
}

func (s *exchange) search(t *testing.T, ample bool, workers, most int) (*prove.Result, []string) {
	histories := map[string]bool{}
	subject := func() prove.Subject {
		c := *s
		c.histories = histories
		return &c
	}
	r, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{Bounds: prove.Bounds{Firings: 1}, Ample: ample, States: most, Workers: workers})
	if err != nil && strings.Contains(err.Error(), "go on differently") {
		// A machine's Fingerprint does not say which of its connections it knows, and sampled states may show it.
		return nil, nil
	}
	require.NoError(t, err)
	return r, slices.Sorted(maps.Keys(histories))
}

// Programs that are drawn, with whatever a step can do to another one: the reduced search comes to each record of both
// clients to which the whole one comes, and to no others.
func TestAmpleSetsOfDrawnPrograms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	states, ofFew, reduced, histories, restarts, drawn, unlike := 0, 0, 0, 0, 0, 0, 0
	for i := range testsize.Of(8_000, 400, 200) {
		s := drawExchange(random)
		const most = 3_000
		all, want := s.search(t, false, 1, most)
		if all == nil {
			unlike++
			continue
		}
		if all.Verdict == prove.Undecided || len(want) < 2 {
			continue
		}
		few, got := s.search(t, true, 1, 0)
		if few == nil {
			unlike++
			continue
		}
		if !slices.Equal(want, got) {
			t.Log(all.States, few.States)
			for _, n := range s.nodes {
				t.Log(n.programs, n.waiting)
			}
		}
		require.Equal(t, want, got, "%d: %+v", i, s)
		drawn++
		states += all.States
		ofFew += few.States
		reduced += few.Reduced.States
		restarts += few.Reduced.Restarts
		histories += len(want)
	}
	t.Logf("%d programs, %d histories: %d states, of %d; %d reduced, %d restarts", drawn, histories, ofFew, states, reduced, restarts)
	require.Greater(t, 2*states, 3*ofFew)
	require.Less(t, 100*unlike, drawn, "programs whose fingerprints say too little")
}

// While a message of a stream that was shut is under way, one on the next stream between the same nodes may overtake it.
// Programs that are drawn do not come to it.
func TestAmpleSetsOfTwoStreams(t *testing.T) {
	s := &exchange{}
	s.program(0, [][]order{{{send, 4}, {shut, 1}, {open, 1}, {start, 1}}, {{write, 0}, {send, 4}}})
	s.nodes[0].waiting[1] = true
	for i := range s.nodes[1:] {
		s.program(1+i, nil)
	}
	all, want := s.search(t, false, 1, 0)
	few, got := s.search(t, true, 1, 0)
	t.Logf("%d states of %d, %d histories", few.States, all.States, len(want))
	require.Equal(t, want, got)
}
