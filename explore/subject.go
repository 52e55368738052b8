package explore

import "github.com/watchbed/watchbed/sim"

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
	// Judge returns one finding for each property that is claimed, always in the
	// same order, also if the run did not exercise it. The slice may be reused by
	// the next run.
	//
	// A run may have been cut off at any step, by a limit or because a shorter
	// recording of it is wanted. Judge must not call missing what could still
	// have come.
	Judge(w *sim.World) []Finding
}

// Recovering is implemented by a subject whose liveness phase begins when its nodes are ready again after faults.
type Recovering interface {
	// NeverReady reports whether a run ended although the faults were over and some node was not ready: what must
	// come in the liveness phase was not judged.
	NeverReady(w *sim.World) bool
}

// Resting is implemented by a subject some of whose properties are about runs in which nothing more can happen.
type Resting interface {
	// Settles reports whether a run takes the default choice from here on, so that it comes to rest if it can
	// (DefaultChoice is fair, and strategies are not). It is so until the run ends.
	Settles(w *sim.World) bool
	// NeverAtRest reports whether a run ended before that, so that these were not judged.
	NeverAtRest(w *sim.World) bool
}

// AtRest is implemented by a subject whose runs may begin at rest. Everything
// that happens before the first timer fires, such as the start of a cache, then
// always happens in the same order and is no part of a recording's choices.
type AtRest interface {
	BeginsAtRest() bool
}
