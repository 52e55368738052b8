package sim

// Kind is what sort of thing an action is.
type Kind uint8

// Deliver the head of a lane, Fire a timer, Run one step of a task, or Inject
// a fault.
const (
	Deliver Kind = iota + 1
	Fire
	Run
	Inject
)

func (k Kind) String() string { return [...]string{"none", "deliver", "fire", "run", "inject"}[k] }

// Action is one thing that can happen next. Slot identifies the lane, timer,
// task or fault for as long as it exists: what a strategy treats as a thread.
// Slot and Since together identify one pending event.
type Action struct {
	Slot int32
	// Since is the step at which the action became possible.
	Since uint32
	// Node is the one whose state changes.
	Node NodeID
	Kind Kind
	// Number is that of the timer or task among those of the node, or that of the lane or fault.
	Number int32
}

// slot is an entry of the world's table of everything that can ever happen.
type slot struct {
	due Time
	// action is what a strategy picks when the entry is ready. It is kept whole,
	// because the list of what is enabled is made of it.
	action Action
	// cause is the one that armed the timer.
	cause Cause
}

// Chooser decides what happens. It is the whole interface between the simulation
// and the package that explores it.
type Chooser interface {
	// Pick returns the index of the enabled action that happens next. enabled
	// is never empty and is valid during the call only.
	Pick(w *World, enabled []Action) int
	// Choose settles what the original leaves open inside a step (a random
	// select, a random subset, jitter, the phase of a ticker). It returns a
	// number in [0, n), n >= 2. what names the question.
	Choose(w *World, n int, what string) int
}
