package explore

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Subject is what is explored. It serves one Runner: run after run, never two
// at the same time.
type Subject interface {
	// Build puts the nodes and faults of one run into a world that was just
	// reset. It happens once a schedule, so it should reset nodes and not make
	// new ones.
	Build(w *sim.World)
	// Options are the settings of the world; always the same.
	Options() sim.Options
	// After looks at the world after each step, for invariants.
	After(w *sim.World, a sim.Action)
	// Over reports, before each step, whether the run has ended: the workload is
	// done or the horizon reached. It may call w.Heal to begin the liveness
	// phase.
	Over(w *sim.World) bool
	// Judge says what the run showed: one finding for each property that is
	// claimed, always in the same order, also when there was nothing to
	// exercise it. The slice may be reused by the next run.
	//
	// A run may have been cut off at any step, by a limit or because a shorter
	// recording of it is wanted. Judge must not call missing what could still
	// have come.
	Judge(w *sim.World) []Finding
}

// AtRest is implemented by a subject whose runs may begin at rest: what happens
// before any timer fires, such as a cache that starts, then always happens in
// the same order, and is no part of a recording's choices.
type AtRest interface {
	BeginsAtRest() bool
}

// Finding is what one run showed about one property.
type Finding struct {
	Property string
	Verdict  model.Verdict
	// Exercised is how often the run put the property to the test. Without it a
	// property cannot hold; it is vacuous.
	Exercised int
	// Label is the cause of a violation in few words. With the property it says
	// what "fails the same way" means.
	Label string
	// Why explains a violation. It is valid until the next run begins, and is
	// rendered only on demand; nil if there is nothing to say. It may implement
	// Concerned.
	Why fmt.Stringer
}

// Failure is the way in which a run fails: two runs with equal ones fail the
// same way.
type Failure struct {
	Property, Label string
}

func (f Failure) String() string {
	if f.Label == "" {
		return f.Property
	}
	return f.Property + " (" + f.Label + ")"
}

// Failure is the way in which this finding's property is violated.
func (f *Finding) Failure() Failure { return Failure{f.Property, f.Label} }
