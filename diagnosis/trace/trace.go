// Package trace (unstable) takes down one run as its observer: every step with the cells
// that it touched, every message from where it was sent to where it was
// delivered, and what the nodes say of themselves. It finds the steps of a run that led to given ones.
//
// It knows nothing of scenarios, of properties, or of how a run is judged. It
// must never import anything but package sim.
package trace

import "github.com/watchbed/watchbed/sim"

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

// Observe implements sim.Observer.
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
