package fair

import "github.com/watchbed/watchbed/sim"

// IsOwed reports whether a fair schedule has to take an action sooner or later if it is
// enabled again and again.
func IsOwed(w *sim.World, a sim.Action) bool {
	return a.Kind != sim.Inject && !w.IsDeadline(a)
}

// AtRest reports whether nothing can happen but that timers fire and faults strike: all
// messages have arrived, and all loops wait.
func AtRest(w *sim.World) bool {
	for _, a := range w.Enabled() {
		if a.Kind != sim.Fire && a.Kind != sim.Inject {
			return false
		}
	}
	return true
}
