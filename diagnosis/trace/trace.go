// Package trace (unstable) takes down one run as its observer: every step with the cells
// that it touched, every message from where it was sent to where it was
// delivered, and what the nodes say of themselves. It finds the steps of a run that led to given ones.
//
// It knows nothing of scenarios, of properties, or of how a run is judged. It
// must never import anything but package sim.
package trace

import (
	"slices"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Trace is one run. A Trace is a sim.Observer and serves a single run.
type Trace struct {
	// Nodes are the names of the nodes, by sim.NodeID; number 0 is the world.
	Nodes []string
	// Timed: the run had a clock.
	Timed    bool
	Steps    []Step
	Messages []Message
	// cells collects what the step under way touches.
	cells sim.Footprint
	// pending finds a message under way by its name.
	pending map[messageName]int
	// ended is called after each step, as soon as it is complete.
	ended func(w *sim.World, step int)
}

// Step is one action and what came of it.
type Step struct {
	At   sim.Time
	Kind sim.Kind
	Slot int32
	Node sim.NodeID
	// Name is that of the action, Activity that of its loop, timer or fault alone.
	Name, Activity string
	// Since is the step that made this one possible: it armed the timer or gave
	// the loop something to do. -1 is the start of the run.
	Since int
	// Delivered is the message that the step delivered, an index of
	// Trace.Messages; -1 if the step is no delivery.
	Delivered int
	Notes     []Note
	// Accesses are the cells that the step touched, in order.
	Accesses []sim.Access
}

// Note is what a node said of itself. It need not be the node whose step it is:
// a restart makes several act at once.
type Note struct {
	Node sim.NodeID
	// Value is what the node said, Text its wording.
	Value sim.Note
	Text  string
}

// Message is a message from where it was sent to where it arrived.
type Message struct {
	From, To sim.NodeID
	Conn     sim.Conn
	Payload  sim.Payload
	// Sent and Delivered are steps; -1 is the start of the run, or never.
	Sent, Delivered int
}

// messageName is unique in a run.
type messageName struct {
	cause   sim.Cause
	ordinal int32
}

// New returns an empty trace. Ended, if not nil, is called when a step is
// complete, with the world as the step left it: at the beginning of the next
// step. It is not called for the last step of a run.
func New(ended func(w *sim.World, step int)) *Trace {
	return &Trace{pending: map[messageName]int{}, ended: ended}
}

// Follow takes down the next run of a world. Call Close after that run.
func (t *Trace) Follow(w *sim.World) {
	w.SetObserver(t)
	w.RecordCells(&t.cells)
}

// Close ends the trace and leaves the world.
func (t *Trace) Close(w *sim.World) {
	t.collect()
	w.SetObserver(nil)
	w.RecordCells(nil)
}

// collect gives what was touched to the last step. What the start of a run
// touches belongs to no step.
func (t *Trace) collect() {
	if last := t.last(); last != nil {
		last.Accesses = append(last.Accesses, t.cells.Accesses...)
	}
	t.cells.Reset()
}

func (t *Trace) Observe(w *sim.World, e *sim.Event) {
	for len(t.Nodes) < w.Nodes() {
		t.Nodes = append(t.Nodes, w.NodeName(sim.NodeID(len(t.Nodes))))
	}
	t.Timed = w.Mode() == sim.Timed
	switch e.Kind {
	case sim.Acted:
		t.collect()
		if t.ended != nil && len(t.Steps) > 0 {
			t.ended(w, len(t.Steps)-1)
		}
		t.acted(w, e)
	case sim.Sent:
		t.sent(&e.Message)
	case sim.Noted:
		if last := t.last(); last != nil {
			last.Notes = append(last.Notes, Note{e.Node, e.Note, e.Note.Text(w)})
		}
	}
}

// last is the step under way, nil at the start of the run.
func (t *Trace) last() *Step {
	if len(t.Steps) == 0 {
		return nil
	}
	return &t.Steps[len(t.Steps)-1]
}

func (t *Trace) sent(m *sim.Message) {
	t.pending[messageName{m.Cause, m.Ordinal}] = len(t.Messages)
	t.Messages = append(t.Messages, Message{
		From: m.From, To: m.To, Conn: m.Conn, Payload: m.Payload, Sent: len(t.Steps) - 1, Delivered: -1,
	})
}

func (t *Trace) acted(w *sim.World, e *sim.Event) {
	// The world counts steps from 1.
	s := Step{
		At: w.Now(), Kind: e.Action.Kind, Slot: e.Action.Slot, Node: e.Node, Name: e.Text, Activity: w.Activity(e.Action),
		Since: int(e.Action.Since) - 1, Delivered: -1,
	}
	if m := w.Pending(e.Action); m != nil {
		if i, ok := t.pending[messageName{m.Cause, m.Ordinal}]; ok {
			s.Delivered = i
			t.Messages[i].Delivered = len(t.Steps)
		}
	}
	t.Steps = append(t.Steps, s)
}

// Wrote finds the first step that wrote this item of a cell of a node, -1 if
// there is none.
func (t *Trace) Wrote(k sim.CellKind, n sim.NodeID, item int64) int {
	for i := range t.Steps {
		for _, a := range t.Steps[i].Accesses {
			if a.Write && a.Cell.Kind == k && a.Cell.Node == n && a.Cell.Item == item {
				return i
			}
		}
	}
	return -1
}

// Node finds a node by its name.
func (t *Trace) Node(name string) (sim.NodeID, bool) {
	for i, n := range t.Nodes {
		if n == name && i > 0 {
			return sim.NodeID(i), true
		}
	}
	return 0, false
}

// States is what the nodes of one run hold after each of its steps.
type States struct {
	Trace *Trace
	// Parts are those that held something after some step, in the order of nodes, and
	// in that of what a node shows.
	Parts []Part

	// after has the entries of each part after each step. What a step leaves alone is
	// shared with the step before.
	after [][]entries
}

// Part is a named part of the state of one node.
type Part struct {
	Node sim.NodeID
	Name string
}

type entries []sim.Entry

// StatesOf replays a recording. The error is a *recording.Divergence or a
// *recording.TraceMismatch if it does not replay.
func StatesOf(sc *testbed.Scenario, rec *recording.Recording) (*States, error) {
	system, err := sc.Recorded(rec.Parameters)
	if err != nil {
		return nil, err
	}
	s := &States{}
	s.Trace = New(func(w *sim.World, _ int) { s.take(w) })
	runner := system.Runner()
	s.Trace.Follow(runner.World())
	_, err = recording.Replay(runner, rec)
	s.Trace.Close(runner.World())
	if err != nil {
		return nil, err
	}
	if len(s.Trace.Steps) > 0 {
		// The trace does not call after the last step.
		s.take(runner.World())
	}
	s.dropEmpty()
	return s, nil
}

// take keeps what the nodes hold now.
func (s *States) take(w *sim.World) {
	now, n := make([]entries, 0, len(s.Parts)), 0
	for i := 1; i < w.Nodes(); i++ {
		node, shows := w.Node(sim.NodeID(i)).(sim.Visible)
		if !shows {
			continue
		}
		node.Show(func(part string, list ...sim.Entry) {
			if n == len(s.Parts) {
				s.Parts = append(s.Parts, Part{sim.NodeID(i), part})
			}
			now = append(now, s.shared(n, list))
			n++
		})
	}
	s.after = append(s.after, now)
}

// shared is the part as the step before left it, if it is the same.
func (s *States) shared(part int, list entries) entries {
	if last := len(s.after) - 1; last >= 0 && slices.Equal(s.after[last][part], list) {
		return s.after[last][part]
	}
	return slices.Clone(list)
}

// dropEmpty leaves out the parts that never held anything.
func (s *States) dropEmpty() {
	var used []int
	for part := range s.Parts {
		if slices.ContainsFunc(s.after, func(now []entries) bool { return len(now[part]) > 0 }) {
			used = append(used, part)
		}
	}
	pick := func(now []entries) []entries {
		var kept []entries
		for _, part := range used {
			kept = append(kept, now[part])
		}
		return kept
	}
	for i := range s.after {
		s.after[i] = pick(s.after[i])
	}
	var parts []Part
	for _, part := range used {
		parts = append(parts, s.Parts[part])
	}
	s.Parts = parts
}

// After are the entries of a part of Parts after a step, both counted from 0.
func (s *States) After(step, part int) []sim.Entry { return s.after[step][part] }

// Changed reports whether a part is another one after a step than after an earlier one;
// -1 is the start of the run, of which nothing is known.
func (s *States) Changed(before, step, part int) bool {
	return before >= 0 && !slices.Equal(s.after[before][part], s.after[step][part])
}

// New reports whether a part did not have the entry after an earlier step.
func (s *States) New(before, part int, e sim.Entry) bool {
	return before >= 0 && !slices.Contains(s.after[before][part], e)
}

// Pair is a step of each of two runs; -1 is none.
type Pair struct{ A, B int }

// Alike reports whether there are both steps, and the same comes of them.
func (p Pair) Alike(a, b *Trace) bool {
	same := func(x, y Note) bool { return x.Node == y.Node && x.Text == y.Text }
	return p.A >= 0 && p.B >= 0 && slices.EqualFunc(a.Steps[p.A].Notes, b.Steps[p.B].Notes, same)
}

// maxAligned is how many steps of each run are compared with all of the other one. What follows stays without a
// counterpart.
const maxAligned = 2_000

// Align puts the steps of two runs beside each other that have the same name, which a message has from its cause: as many
// as that is possible for in order (a longest common subsequence).
func Align(a, b *Trace) []Pair {
	begin := 0
	for begin < len(a.Steps) && begin < len(b.Steps) && a.Steps[begin].Name == b.Steps[begin].Name {
		begin++
	}
	n, m := min(len(a.Steps)-begin, maxAligned), min(len(b.Steps)-begin, maxAligned)
	// common[i][j] is how many are the same from i and j on.
	common := make([][]int32, n+1)
	for i := range common {
		common[i] = make([]int32, m+1)
	}
	same := func(i, j int) bool { return a.Steps[begin+i].Name == b.Steps[begin+j].Name }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if same(i, j) {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var pairs []Pair
	for i := range begin {
		pairs = append(pairs, Pair{i, i})
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && same(i, j):
			pairs = append(pairs, Pair{begin + i, begin + j})
			i, j = i+1, j+1
		case j == m || i < n && common[i+1][j] >= common[i][j+1]:
			pairs = append(pairs, Pair{begin + i, -1})
			i++
		default:
			pairs = append(pairs, Pair{-1, begin + j})
			j++
		}
	}
	for i += begin; i < len(a.Steps); i++ {
		pairs = append(pairs, Pair{i, -1})
	}
	for j += begin; j < len(b.Steps); j++ {
		pairs = append(pairs, Pair{-1, j})
	}
	return pairs
}
