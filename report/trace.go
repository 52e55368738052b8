package report

import (
	"github.com/watchbed/watchbed/sim"
)

// trace is all that an observer was told of one run.
type trace struct {
	nodes []string
	// clients are the nodes whose operations make the history.
	clients  map[sim.NodeID]bool
	timed    bool
	steps    []step
	messages []message
	// pending finds a message under way by its name.
	pending map[messageName]int
	// violated says whether the run, cut off here, fails already; shows is the
	// first step after which it does, -1 while there is none.
	violated func(*sim.World) bool
	shows    int
}

// mostJudged is how many steps a run may have to be judged after each: in longer
// ones nobody looks for the step at which the violation shows.
const mostJudged = 2_000

// step is one action and what came of it.
type step struct {
	at   sim.Time
	kind sim.Kind
	slot int32
	node sim.NodeID
	name string
	// since is the step that made this one possible: it armed the timer or gave
	// the loop something to do. -1 is the start of the run.
	since int
	// delivered is the message that the step delivered, -1 if it is no delivery
	// or that of a hang-up.
	delivered int
	// causes are those of the messages that the step sent or delivered.
	causes []sim.Cause
	notes  []note
}

// note is what a node said of itself. It need not be the one whose step it is: a
// restart makes several act at once.
type note struct {
	node sim.NodeID
	text string
}

// message is a message from where it was sent to where it arrived.
type message struct {
	from, to sim.NodeID
	label    string
	// sent and delivered are steps; -1 is the start of the run, or never.
	sent, delivered int
}

// messageName is unique in a run.
type messageName struct {
	cause   sim.Cause
	ordinal int32
}

func newTrace(violated func(*sim.World) bool) *trace {
	return &trace{pending: map[messageName]int{}, violated: violated, shows: -1}
}

// Observe implements sim.Observer.
func (t *trace) Observe(w *sim.World, e *sim.Event) {
	for len(t.nodes) < w.Nodes() {
		t.nodes = append(t.nodes, w.NodeName(sim.NodeID(len(t.nodes))))
	}
	t.timed = w.Mode() == sim.Timed
	switch e.Kind {
	case sim.Acted:
		t.judge(w)
		t.acted(w, e)
	case sim.Sent:
		t.pending[messageName{e.Message.Cause, e.Message.Ordinal}] = len(t.messages)
		t.messages = append(t.messages, message{
			from: e.Message.From, to: e.Message.To, label: e.Message.Payload.Label(),
			sent: len(t.steps) - 1, delivered: -1,
		})
		if len(t.steps) > 0 {
			last := &t.steps[len(t.steps)-1]
			last.causes = append(last.causes, e.Message.Cause)
		}
	case sim.Noted:
		if len(t.steps) > 0 {
			last := &t.steps[len(t.steps)-1]
			last.notes = append(last.notes, note{e.Node, e.Note.Text(w)})
		}
	}
}

// judge looks at the run after its last step. What nobody says anything about
// changes no verdict.
func (t *trace) judge(w *sim.World) {
	last := len(t.steps) - 1
	if t.shows < 0 && last >= 0 && last < mostJudged && len(t.steps[last].notes) > 0 && t.violated(w) {
		t.shows = last
	}
}

func (t *trace) acted(w *sim.World, e *sim.Event) {
	// The world counts steps from 1.
	s := step{
		at: w.Now(), kind: e.Action.Kind, slot: e.Action.Slot, node: e.Node, name: e.Text,
		since: int(e.Action.Since) - 1, delivered: -1,
	}
	if m := w.Pending(e.Action); m != nil {
		// Nobody sends a hang-up, so it is not among those under way.
		if i, ok := t.pending[messageName{m.Cause, m.Ordinal}]; ok {
			s.delivered = i
			s.causes = append(s.causes, m.Cause)
			t.messages[i].delivered = len(t.steps)
		}
	}
	t.steps = append(t.steps, s)
}

// node finds a node by its name.
func (t *trace) node(name string) (sim.NodeID, bool) {
	for i, n := range t.nodes {
		if n == name && i > 0 {
			return sim.NodeID(i), true
		}
	}
	return 0, false
}
