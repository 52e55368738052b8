package trace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
)

var (
	cellValue = sim.NewCell("test slice: value")
	cellQueue = sim.NewCell("test slice: queue")
)

// text is the simplest payload.
type text string

func (t text) Digest(d sim.Digest) sim.Digest { return d.Text(string(t)) }
func (t text) Label() string                  { return string(t) }

// server keeps a value for each writer, tells the last one to readers, and
// answers writers by a loop that takes from a queue.
type server struct {
	queue []sim.Conn
	taken int64
}

func (*server) Start(*sim.Env) {}

func (s *server) Receive(env *sim.Env, m *sim.Message) {
	switch m.Payload {
	case text("write a"):
		env.WriteItem(cellValue, 0, 1)
	case text("write b"):
		env.WriteItem(cellValue, 0, 2)
	case text("forget"):
		env.Write(cellValue, 0)
	case text("read a"):
		env.ReadItem(cellValue, 0, 1)
		env.Send(m.Conn, text("a"))
		return
	case text("read all"):
		env.Read(cellValue, 0)
		env.Send(m.Conn, text("all"))
		return
	case text("look"):
		env.LookAt(cellValue, 0)
		env.Send(m.Conn, text("looked"))
		return
	}
	s.queue = append(s.queue, m.Conn)
	env.WriteItem(cellQueue, 0, s.taken+int64(len(s.queue)))
	env.Enable(0)
}

func (s *server) Fire(*sim.Env, sim.Timer) {}

func (s *server) Run(env *sim.Env, _ sim.Task) {
	s.taken++
	env.ReadItem(cellQueue, 0, s.taken)
	env.Send(s.queue[0], text("done"))
	if s.queue = s.queue[1:]; len(s.queue) > 0 {
		env.Enable(0)
	}
}

func (*server) TaskName(sim.Task) string   { return "answer" }
func (*server) TimerName(sim.Timer) string { return "" }

// asker sends its requests one after another: each by a timer that the answer
// before has armed.
type asker struct{ requests []text }

func (a *asker) Start(env *sim.Env) { env.Arm(0, time.Second) }

func (a *asker) Receive(env *sim.Env, _ *sim.Message) {
	if len(a.requests) > 0 {
		env.Arm(0, time.Second)
	}
}

func (a *asker) Fire(env *sim.Env, _ sim.Timer) {
	env.Call(1, a.requests[0])
	a.requests = a.requests[1:]
}

func (*asker) Run(*sim.Env, sim.Task)     {}
func (*asker) TaskName(sim.Task) string   { return "" }
func (*asker) TimerName(sim.Timer) string { return "ask" }

// script picks actions by name.
type script struct {
	t     *testing.T
	picks []string
}

func (s *script) Pick(w *sim.World, enabled []sim.Action) int {
	var names []string
	for i, a := range enabled {
		names = append(names, w.Name(a))
		if names[i] == s.picks[0] {
			s.picks = s.picks[1:]
			return i
		}
	}
	require.Contains(s.t, names, s.picks[0])
	return 0
}

func (s *script) Choose(*sim.World, int, string) int { return 0 }

// run carries out these steps of a server and the askers x and y.
func run(t *testing.T, x, y []text, picks ...string) *trace.Trace {
	t.Helper()
	w := sim.NewWorld(sim.Options{})
	w.Add("server", &server{})
	w.Add("x", &asker{x})
	w.Add("y", &asker{y})
	tr := trace.New(nil)
	tr.Follow(w)
	s := &script{t, picks}
	w.Start(s)
	for len(s.picks) > 0 {
		require.True(t, w.Step(s))
	}
	tr.Close(w)
	return tr
}

const (
	askX, askY       = "fire x ask", "fire y ask"
	answerLoop       = "run server answer"
	requestX         = "deliver x>server x/start.0#0"
	requestY         = "deliver y>server y/start.0#0"
	answerX, answerY = "deliver server>x server/start.0#0", "deliver server>y server/start.0#0"
)

// steps lists the numbers that are marked.
func steps(marked []bool) []int {
	list := []int{}
	for i, m := range marked {
		if m {
			list = append(list, i)
		}
	}
	return list
}

var clients = map[sim.NodeID]bool{2: true, 3: true}

// TestSliceFollowsCells: the read is led to by the write of what it reads, and
// not by another one.
func TestSliceFollowsCells(t *testing.T) {
	for _, c := range []struct {
		name, write, read string
		want              []int
	}{
		{"the same item", "write a", "read a", []int{0, 1, 2, 3}},
		{"another item", "write b", "read a", []int{2, 3}},
		{"the whole cell is read", "write b", "read all", []int{0, 1, 2, 3}},
		{"the whole cell is written", "forget", "read a", []int{0, 1, 2, 3}},
		{"a look is not followed", "write a", "look", []int{2, 3}},
	} {
		tr := run(t, []text{text(c.write)}, []text{text(c.read)}, askX, requestX, askY, requestY)
		assert.Equal(t, c.want, steps(trace.NewSlicer(tr, trace.Focus{Spontaneous: clients}).Before(3)), c.name)
	}
}

// TestSliceIsNarrowed: whole reads can be taken for reads of one item, and cells
// can be left out.
func TestSliceIsNarrowed(t *testing.T) {
	narrow := func(c sim.Cell) (sim.Cell, bool) {
		if c.Kind == cellValue && c.Item == 0 {
			c.Item = 1
		}
		return c, true
	}
	for _, c := range []struct {
		name, write string
		read        func(sim.Cell) (sim.Cell, bool)
		want        []int
	}{
		{"the item that matters", "write a", narrow, []int{0, 1, 2, 3}},
		{"another item", "write b", narrow, []int{2, 3}},
		{"nothing matters", "write a", func(c sim.Cell) (sim.Cell, bool) { return c, false }, []int{2, 3}},
	} {
		tr := run(t, []text{text(c.write)}, []text{"read all"}, askX, requestX, askY, requestY)
		assert.Equal(t, c.want, steps(trace.NewSlicer(tr, trace.Focus{Spontaneous: clients, Read: c.read}).Before(3)), c.name)
	}
}

// TestSliceTakesTheLastWriter: a write that another one covers is left out.
func TestSliceTakesTheLastWriter(t *testing.T) {
	x := []text{"write a"}
	tr := run(t, x, []text{"forget"}, askX, requestX, askY, requestY)
	s := trace.NewSlicer(tr, trace.Focus{Spontaneous: clients})
	assert.Equal(t, []int{2, 3}, steps(s.Before(3)), "it reads nothing")

	w := sim.NewWorld(sim.Options{})
	w.Add("server", &server{})
	for _, a := range []text{"write a", "write b", "read a"} {
		w.Add(string(a), &asker{[]text{a}})
	}
	tr = trace.New(nil)
	tr.Follow(w)
	p := &script{t, []string{
		"fire write a ask", "deliver write a>server write a/start.0#0",
		"fire write b ask", "deliver write b>server write b/start.0#0",
		"fire read a ask", "deliver read a>server read a/start.0#0",
	}}
	w.Start(p)
	for len(p.picks) > 0 {
		w.Step(p)
	}
	tr.Close(w)
	assert.Equal(t, []int{0, 1, 4, 5}, steps(trace.NewSlicer(tr, trace.Focus{Spontaneous: clients}).Before(5)))
}

// TestSliceFollowsMessagesAndQueues: an answer leads back to the loop that sent
// it, to the request whose entry the loop took, and to the client that asked,
// although the loop was given its work by another request first.
func TestSliceFollowsMessagesAndQueues(t *testing.T) {
	tr := run(t, []text{"write a"}, []text{"write b"},
		askX, requestX, askY, requestY, answerLoop, answerLoop, answerX, "deliver server>y server/start.0#1")
	require.Equal(t, "deliver server>y server/start.0#1", tr.Steps[7].Name)
	s := trace.NewSlicer(tr, trace.Focus{Spontaneous: clients})
	assert.Equal(t, []int{0, 1, 4, 6}, steps(s.Before(6)))
	assert.Equal(t, []int{2, 3, 5, 7}, steps(s.Before(7)), "the loop gave work to itself; the entry counts")
	assert.Equal(t, []int{2, 3, 5, 7}, steps(s.After(2, 7)))
	assert.Equal(t, []int{2, 3}, steps(s.After(2, 4)))
	assert.Empty(t, steps(s.After(-1, 7)))
	assert.Empty(t, steps(s.Before(-1)))
}

// TestSliceBeginsWithClients: the next request of a client follows from no
// earlier answer, the timer of another node follows from the step that armed it.
func TestSliceBeginsWithClients(t *testing.T) {
	tr := run(t, []text{"read a", "write a"}, nil, askX, requestX, "deliver server>x x/start.0#1", askX, "deliver x>server x/start.0#2")
	assert.Equal(t, []int{3, 4}, steps(trace.NewSlicer(tr, trace.Focus{Spontaneous: clients}).Before(4)))
	assert.Equal(t, []int{0, 1, 2, 3, 4}, steps(trace.NewSlicer(tr, trace.Focus{}).Before(4)))
}

// TestSliceFollowsHangups: a client that hears of the end of a stream is led to by
// the step that ended it.
func TestSliceFollowsHangups(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	var heard int
	w.Add("closer", &streamer{})
	w.Add("listener", &listener{heard: &heard})
	tr := trace.New(nil)
	tr.Follow(w)
	p := &script{t, []string{"deliver listener>closer listener/start.0#0", "fire closer end", "deliver closer>listener closer/start.0#0"}}
	w.Start(p)
	for len(p.picks) > 0 {
		w.Step(p)
	}
	tr.Close(w)
	require.Equal(t, 1, heard)
	assert.Equal(t, []int{0, 1, 2}, steps(trace.NewSlicer(tr, trace.Focus{}).Before(2)))
}

// opaque is a server that declares no cells.
type opaque struct{ server }

func (o *opaque) Receive(env *sim.Env, m *sim.Message) { env.Send(m.Conn, m.Payload) }

// TestNodeWithoutCellsIsOneCell: each step of a node that declares nothing depends
// on all of its steps before. A client that declares nothing is no such node.
func TestNodeWithoutCellsIsOneCell(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	w.Add("server", &opaque{})
	w.Add("x", &asker{[]text{"write a"}})
	w.Add("y", &asker{[]text{"read a", "read a"}})
	tr := trace.New(nil)
	tr.Follow(w)
	p := &script{t, []string{askX, requestX, askY, requestY, "deliver server>y y/start.0#1", askY, "deliver y>server y/start.0#2"}}
	w.Start(p)
	for len(p.picks) > 0 {
		require.True(t, w.Step(p))
	}
	tr.Close(w)
	s := trace.NewSlicer(tr, trace.Focus{Spontaneous: clients})
	assert.Equal(t, []int{0, 1, 2, 3}, steps(s.Before(3)), "what it sends y may depend on what x sent it")
	assert.Equal(t, []int{0, 1, 2, 3, 5, 6}, steps(s.Before(6)), "y acts when it wants")
}

// streamer ends a stream some time after it was opened.
type streamer struct{ conn sim.Conn }

func (*streamer) Start(*sim.Env) {}
func (s *streamer) Receive(env *sim.Env, m *sim.Message) {
	s.conn = m.Conn
	env.Arm(0, time.Second)
}
func (s *streamer) Fire(env *sim.Env, _ sim.Timer) { env.Close(s.conn) }
func (*streamer) Run(*sim.Env, sim.Task)           {}
func (*streamer) TaskName(sim.Task) string         { return "" }
func (*streamer) TimerName(sim.Timer) string       { return "end" }

// listener opens a stream to node 1 and counts what it hears.
type listener struct {
	streamer
	heard *int
}

func (l *listener) Start(env *sim.Env)                   { env.Send(env.Open(1), text("hello")) }
func (l *listener) Receive(env *sim.Env, _ *sim.Message) { *l.heard++ }
