package sim_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// text is the simplest payload.
type text string

func (t text) Digest(d sim.Digest) sim.Digest { return d.Text(string(t)) }
func (t text) Label() string                  { return string(t) }

// script answers picks by action name and choices by a fixed list, then with
// the first option.
type script struct {
	picks   []string
	choices []int
}

func (s *script) Pick(w *sim.World, enabled []sim.Action) int {
	if len(s.picks) == 0 {
		return 0
	}
	want := s.picks[0]
	for i, a := range enabled {
		if w.Name(a) == want {
			s.picks = s.picks[1:]
			return i
		}
	}
	return 0
}

func (s *script) Choose(_ *sim.World, n int, _ string) int {
	if len(s.choices) == 0 {
		return 0
	}
	v := s.choices[0]
	s.choices = s.choices[1:]
	return v % n
}

// probe is a node whose behaviour a test writes down as functions.
type probe struct {
	start    func(*sim.Env)
	receive  func(*sim.Env, *sim.Message)
	fire     func(*sim.Env, sim.Timer)
	run      func(*sim.Env, sim.Task)
	drained  func(*sim.Env, sim.Conn)
	restart  func(*sim.Env)
	received []string
}

func (p *probe) Start(env *sim.Env) {
	if p.start != nil {
		p.start(env)
	}
}

func (p *probe) Receive(env *sim.Env, m *sim.Message) {
	p.received = append(p.received, m.Payload.Label())
	if p.receive != nil {
		p.receive(env, m)
	}
}

func (p *probe) Fire(env *sim.Env, t sim.Timer) { p.fire(env, t) }
func (p *probe) Run(env *sim.Env, t sim.Task)   { p.run(env, t) }
func (p *probe) TaskName(t sim.Task) string     { return "task" + strconv.Itoa(int(t)) }
func (p *probe) TimerName(t sim.Timer) string   { return "timer" + strconv.Itoa(int(t)) }
func (p *probe) Restart(env *sim.Env)           { p.restart(env) }
func (p *probe) Drained(env *sim.Env, c sim.Conn) {
	if p.drained != nil {
		p.drained(env, c)
	}
}

func names(w *sim.World) []string {
	var out []string
	for _, a := range w.Enabled() {
		out = append(out, w.Name(a))
	}
	return out
}

func drain(w *sim.World, c sim.Chooser) {
	for w.Step(c) {
	}
}

func TestStreamKeepsOrderAndCallsOvertake(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	b := &probe{}
	a := &probe{}
	a.start = func(env *sim.Env) {
		c := env.Open(2)
		env.Send(c, text("one"))
		env.Send(c, text("two"))
		env.Begin("get", 1)
		env.Call(2, text("call"))
	}
	w.Add("a", a)
	w.Add("b", b)
	s := &script{}
	w.Start(s)
	require.Equal(t, []string{"deliver a>b a/start.0#0", "deliver a>b a/get.1#0"}, names(w))
	s.picks = []string{"deliver a>b a/get.1#0"}
	drain(w, s)
	require.Equal(t, []string{"call", "one", "two"}, b.received)
}

func TestBoundedLaneWakesTheSender(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	var conn sim.Conn
	sent := 0
	a := &probe{}
	push := func(env *sim.Env) {
		for env.CanSend(conn) && sent < 5 {
			sent++
			env.Send(conn, text(strconv.Itoa(sent)))
		}
	}
	a.start = func(env *sim.Env) {
		conn = env.Open(2)
		env.Bound(conn, 2)
		push(env)
	}
	a.drained = func(env *sim.Env, c sim.Conn) {
		require.Equal(t, conn, c)
		push(env)
	}
	b := &probe{}
	w.Add("a", a)
	w.Add("b", b)
	s := &script{}
	w.Start(s)
	require.Equal(t, 2, sent, "the lane holds two")
	drain(w, s)
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, b.received)
}

func TestHoldStopsDeliveries(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	var conn sim.Conn
	a := &probe{start: func(env *sim.Env) {
		conn = env.Open(2)
		env.Send(conn, text("one"))
		env.Send(conn, text("two"))
	}}
	b := &probe{run: func(env *sim.Env, _ sim.Task) { env.Release(conn) }}
	b.receive = func(env *sim.Env, m *sim.Message) {
		env.Hold(m.Conn)
		env.Enable(3)
	}
	w.Add("a", a)
	w.Add("b", b)
	s := &script{}
	w.Start(s)
	require.True(t, w.Step(s))
	require.Equal(t, []string{"run b task3"}, names(w))
	drain(w, s)
	require.Equal(t, []string{"one", "two"}, b.received)
}

func TestBreakLosesASuffixOfEachDirection(t *testing.T) {
	for kept := 0; kept <= 2; kept++ {
		w := sim.NewWorld(sim.Options{})
		var conn sim.Conn
		a := &probe{start: func(env *sim.Env) {
			conn = env.Open(2)
			env.Send(conn, text("one"))
			env.Send(conn, text("two"))
		}}
		b := &probe{}
		b.receive = func(env *sim.Env, m *sim.Message) {
			env.Send(m.Conn, text("late"))
		}
		w.Add("a", a)
		w.Add("b", b)
		w.AddFault(&sim.BreakStream{From: []sim.NodeID{1}, To: 2, Label: "a>b"}, sim.Budget{Times: 1})
		s := &script{picks: []string{"inject break a>b"}, choices: []int{kept}}
		w.Start(s)
		drain(w, s)
		want := append([]string{"one", "two"}[:kept:kept], "connection broken")
		require.Equal(t, want, b.received)
		require.Equal(t, []string{"connection broken"}, a.received, "what is sent into a broken stream is lost")
		require.Empty(t, w.Enabled())
	}
}

func TestCloseReachesThePeerAfterWhatWasSent(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	a := &probe{start: func(env *sim.Env) {
		c := env.Open(2)
		env.Send(c, text("last"))
		env.Close(c)
	}}
	b := &probe{}
	b.receive = func(env *sim.Env, m *sim.Message) { env.Send(m.Conn, text("dropped")) }
	w.Add("a", a)
	w.Add("b", b)
	s := &script{}
	w.Start(s)
	drain(w, s)
	require.Equal(t, []string{"last", "connection closed"}, b.received)
	require.Empty(t, a.received)
}

func TestAbandonedCallStillTakesEffect(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	a := &probe{start: func(env *sim.Env) { env.Close(env.Call(2, text("put"))) }}
	b := &probe{}
	b.receive = func(env *sim.Env, m *sim.Message) { env.Send(m.Conn, text("done")) }
	w.Add("a", a)
	w.Add("b", b)
	s := &script{}
	w.Start(s)
	drain(w, s)
	require.Equal(t, []string{"put"}, b.received)
	require.Empty(t, a.received)
}

func TestRestartBreaksConnectionsAndForgetsTimers(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	restarted := false
	a := &probe{start: func(env *sim.Env) { env.Send(env.Open(2), text("hello")) }}
	b := &probe{start: func(env *sim.Env) { env.Arm(1, time.Second) }, restart: func(*sim.Env) { restarted = true }}
	b.fire = func(*sim.Env, sim.Timer) { t.Fatal("the timer should be gone") }
	w.Add("a", a)
	w.Add("b", b)
	w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{2}, Label: "b"}, sim.Budget{Times: 1})
	s := &script{picks: []string{"inject restart b"}}
	w.Start(s)
	drain(w, s)
	require.True(t, restarted)
	require.Empty(t, b.received)
	require.Equal(t, []string{"connection broken"}, a.received)
}

// A node that panics takes its process with it, and what it sent in its last
// step may or may not get out.
func TestCrashRestartsTheProcessAfterTheStep(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	var order []string
	a := &probe{start: func(env *sim.Env) { env.Send(env.Open(2), text("hello")) }}
	b := &probe{restart: func(*sim.Env) { order = append(order, "b restarts") }}
	b.receive = func(env *sim.Env, m *sim.Message) {
		env.Crash([]sim.NodeID{3, 2})
		order = append(order, "b goes on to the end of its step")
	}
	c := &probe{restart: func(*sim.Env) { order = append(order, "c restarts") }}
	w.Add("a", a)
	w.Add("b", b)
	w.Add("c", c)
	s := &script{}
	w.Start(s)
	drain(w, s)
	require.Equal(t, []string{"b goes on to the end of its step", "c restarts", "b restarts"}, order)
	require.Equal(t, []string{"connection broken"}, a.received)
}

func TestTimedModeFiresTheEarliestFirst(t *testing.T) {
	var order []string
	build := func(w *sim.World) {
		order = nil
		a := &probe{}
		a.start = func(env *sim.Env) {
			env.Arm(0, 30*time.Millisecond)
			env.Arm(1, 10*time.Millisecond)
			env.Send(env.Open(2), text("x"))
		}
		a.fire = func(env *sim.Env, t sim.Timer) {
			order = append(order, "timer"+strconv.Itoa(int(t))+"@"+env.Now().Sub(0).String())
		}
		b := &probe{}
		b.receive = func(env *sim.Env, _ *sim.Message) {
			order = append(order, "message@"+env.Now().Sub(0).String())
		}
		w.Add("a", a)
		w.Add("b", b)
	}
	net := sim.Bounds{Network: sim.Delay{Max: 40 * time.Millisecond, Steps: 2}}
	for choice, want := range [][]string{
		{"message@0s", "timer1@10ms", "timer0@30ms"},
		{"timer1@10ms", "message@20ms", "timer0@30ms"},
		{"timer1@10ms", "timer0@30ms", "message@40ms"},
	} {
		w := sim.NewWorld(sim.Options{Mode: sim.Timed, Safety: net})
		build(w)
		s := &script{choices: []int{choice}}
		w.Start(s)
		drain(w, s)
		require.Equal(t, want, order)
	}
}

func TestUntimedTimersFireInAnyOrder(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	a := &probe{start: func(env *sim.Env) {
		env.Arm(0, time.Hour)
		env.Arm(1, time.Millisecond)
		env.Enable(0)
	}}
	w.Add("a", a)
	w.Start(&script{})
	require.Equal(t, []string{"fire a timer0", "fire a timer1", "run a task0"}, names(w))
}

func TestHealStopsFaults(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	a := &probe{start: func(env *sim.Env) { env.Open(2) }}
	w.Add("a", a)
	w.Add("b", &probe{})
	w.AddFault(&sim.BreakStream{From: []sim.NodeID{1}, To: 2, Label: "a>b"}, sim.Budget{Times: 3})
	w.Start(&script{})
	require.Len(t, w.Enabled(), 1)
	w.Heal()
	require.Equal(t, sim.Liveness, w.Phase())
	require.Empty(t, w.Enabled())
}

// walk picks by a fixed linear sequence: varied, and the same every time.
type walk struct{ state uint32 }

func (r *walk) next(n int) int {
	r.state = r.state*1664525 + 1013904223
	return int(r.state>>8) % n
}
func (r *walk) Pick(_ *sim.World, enabled []sim.Action) int { return r.next(len(enabled)) }
func (r *walk) Choose(_ *sim.World, n int, _ string) int    { return r.next(n) }

func pingPong(w *sim.World, rounds int) {
	echo := func() *probe {
		p := &probe{}
		p.receive = func(env *sim.Env, m *sim.Message) { env.Send(m.Conn, m.Payload) }
		return p
	}
	a, b := echo(), echo()
	a.start = func(env *sim.Env) {
		for i := range 4 {
			env.Send(env.Open(2), text(strconv.Itoa(i)))
		}
	}
	w.Add("a", a)
	w.Add("b", b)
	r := &walk{state: 7}
	w.Start(r)
	for range rounds {
		w.Step(r)
	}
}

func TestTraceHashIsAFunctionOfTheChoices(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	pingPong(w, 200)
	first := w.TraceHash()
	w.Reset(sim.Options{})
	pingPong(w, 200)
	require.Equal(t, first, w.TraceHash(), "a world that was reset runs like a new one")
	w.Reset(sim.Options{})
	pingPong(w, 201)
	require.NotEqual(t, first, w.TraceHash())
}

type discard struct{ sim.Idle }

func (discard) Start(env *sim.Env) {
	for range 8 {
		env.Send(env.Open(1), text("x"))
	}
}
func (discard) Receive(env *sim.Env, m *sim.Message) { env.Send(m.Conn, m.Payload) }

// BenchmarkStep is what the world itself costs: one delivery among eight, one
// message sent in return.
func BenchmarkStep(b *testing.B) {
	w := sim.NewWorld(sim.Options{})
	w.Add("a", discard{})
	r := &walk{}
	w.Start(r)
	b.ReportAllocs()
	for b.Loop() {
		w.Step(r)
	}
}
