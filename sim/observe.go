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

// Follow installs an observer that measures the run, until Reset. It is given no names of actions, and notes only if
// they are IsMeasured.
func (w *World) Follow(o Observer) { w.follower = o }

func (w *World) observed() bool { return w.observer != nil || w.follower != nil }

// tell gives both observers an event, which is valid during the call.
func (w *World) tell(e Event) {
	w.told = e
	if w.observer != nil {
		w.observer.Observe(w, &w.told)
	}
	if w.follower != nil {
		w.follower.Observe(w, &w.told)
	}
}

// Note is what a node reports while a run is observed: a value that says what
// happened, with which stream, revision or watcher. Its text is made only when a
// person reads it.
type Note interface {
	// Text is a sentence without its subject, which is the node. w gives the
	// names of other nodes.
	Text(w *World) string
}

// About is what a note is about, for readers that must not go by its text.
type About struct {
	// Revision that the note speaks of, 0 if it speaks of none.
	Revision int64
	// Key that is written or read, empty if there is none.
	Key string
	// Client is the name of the node whose watch the note speaks of, empty if it speaks
	// of none or of that of its own node.
	Client string
}

// Subject is an optional capability of a note.
type Subject interface {
	About() About
}

// Setback is an optional capability of a note: something that was asked for, or that
// would have come, does not come of the step, or comes later. A story that is about
// something missing tells of setbacks before it tells of what goes on as ever.
type Setback interface {
	SetsBack() bool
}

// Aside is an optional capability of a note: what goes on as ever, and matters only to a story about the change or the
// key that the note is about.
type Aside interface {
	IsAside() bool
}

// Noting reports whether a run is observed. Guard a Note with it, so that
// campaigns do not pay for values that are not read.
func (e *Env) Noting() bool { return e.w.observer != nil }

// Note gives the observer what just happened.
func (e *Env) Note(n Note) {
	if e.w.observer != nil {
		e.w.tell(Event{Kind: Noted, Node: e.node, Note: n})
	}
}
