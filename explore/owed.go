package explore

import "github.com/watchbed/watchbed/sim"

// IsOwed reports whether a fair schedule has to take an action sooner or later if it is
// enabled again and again: what a world that goes on for ever cannot put off for ever. Fairness is
// strong: what is enabled again and again happens again and again, since Go's select takes one of the
// ready cases at random.
//
// Messages, loops and timers get their turn. A fault need not strike. A deadline (sim.Deadlines) need
// not pass: what never comes is looked for in worlds in which waiting does not end by giving up.
func IsOwed(w *sim.World, a sim.Action) bool {
	return a.Kind != sim.Inject && !w.IsDeadline(a)
}

// IsAtRest reports whether nothing can happen but that timers fire and faults strike: all
// messages have arrived, and all loops wait.
func IsAtRest(w *sim.World) bool {
	for _, a := range w.Enabled() {
		if a.Kind != sim.Fire && a.Kind != sim.Inject {
			return false
		}
	}
	return true
}
