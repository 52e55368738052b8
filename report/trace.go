package report

import (
	"github.com/watchbed/watchbed/sim"
)

// trace is all that an observer was told of one run.
type trace struct {
	nodes    []string
	timed    bool
	steps    []step
	messages []message
	// pending finds a message under way by its name.
	pending map[string]int
}

// step is one action and what came of it.
type step struct {
	at   sim.Time
	kind sim.Kind
	node sim.NodeID
	name string
	// delivered is the message that the step delivered, -1 if it is no delivery.
	delivered int
	notes     []string
}

// message is a message from where it was sent to where it arrived.
type message struct {
	from, to sim.NodeID
	label    string
	// sent and delivered are steps; -1 is the start of the run, or never.
	sent, delivered int
	hangup          bool
}

func newTrace() *trace { return &trace{pending: map[string]int{}} }

// Observe implements sim.Observer.
func (t *trace) Observe(w *sim.World, e *sim.Event) {
	for len(t.nodes) < w.Nodes() {
		t.nodes = append(t.nodes, w.NodeName(sim.NodeID(len(t.nodes))))
	}
	t.timed = w.Mode() == sim.Timed
	switch e.Kind {
	case sim.Acted:
		s := step{at: w.Now(), kind: e.Action.Kind, node: e.Node, name: e.Text, delivered: -1}
		if e.Action.Kind == sim.Deliver {
			if i, ok := t.pending[messageName(w, w.Pending(e.Action))]; ok {
				s.delivered = i
				t.messages[i].delivered = len(t.steps)
			}
		}
		t.steps = append(t.steps, s)
	case sim.Sent:
		_, hangup := e.Message.Payload.(*sim.Hangup)
		t.pending[messageName(w, &e.Message)] = len(t.messages)
		t.messages = append(t.messages, message{
			from: e.Message.From, to: e.Message.To, label: e.Message.Payload.Label(),
			sent: len(t.steps) - 1, delivered: -1, hangup: hangup,
		})
	case sim.Noted:
		if len(t.steps) > 0 {
			last := &t.steps[len(t.steps)-1]
			last.notes = append(last.notes, e.Text)
			// A node may act in the middle of another's step.
			last.node = e.Node
		}
	}
}

// messageName is unique in a run.
func messageName(w *sim.World, m *sim.Message) string {
	return w.CauseName(m.Cause) + "#" + string(rune('0'+int(m.From))) + string(rune('0'+int(m.To))) + ":" + itoa(int64(m.Ordinal))
}
