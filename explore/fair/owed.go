package fair

import "github.com/watchbed/watchbed/sim"

// IsOwed reports whether an enabled action must happen sooner or later, unless something
// else disables it.
func IsOwed(w *sim.World, a sim.Action) bool {
	return a.Kind != sim.Inject && !w.IsDeadline(a)
}

// Owed appends the enabled actions that must happen sooner or later.
func Owed(list []sim.Action, w *sim.World) []sim.Action {
	for _, a := range w.Enabled() {
		if IsOwed(w, a) {
			list = append(list, a)
		}
	}
	return list
}

// Served reports whether each of these events has had its turn in the steps since they were
// owed, or was disabled for a while: if not, a schedule that repeats these steps for ever is
// not fair.
func Served(w *sim.World, owed []sim.Action) bool {
	for _, a := range w.Enabled() {
		for _, o := range owed {
			if o == a {
				// It has been enabled ever since.
				return false
			}
		}
	}
	return true
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
