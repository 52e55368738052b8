package sim

// EventKind is what sort of event an observer receives.
type EventKind uint8

// Acted: an action begins. Sent: a message or a hang-up was put on a lane.
// Chosen: a choice inside the step was settled. Noted: a node notes what it did.
const (
	Acted EventKind = iota + 1
	Sent
	Chosen
	Noted
)

// Event is one entry of an observed run.
type Event struct {
	Kind    EventKind
	Node    NodeID
	Action  Action
	Message Message
	// Text is the action's name or the choice's.
	Text            string
	Note            Note
	Picked, Options int
}

// Observer follows a run as it happens: to record names, to make its story. It
// must not change anything.
type Observer interface {
	Observe(w *World, e *Event)
}

// SetObserver installs an observer; nil removes it. Runs are several times
// slower with one, and take the same course.
func (w *World) SetObserver(o Observer) { w.observer = o }
