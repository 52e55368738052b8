package faults

import "github.com/watchbed/watchbed/sim"

// breakWatch breaks the watch of an informer, to whichever API server it leads.
type breakWatch struct {
	streams []sim.BreakStream
	label   string
}

// Name implements sim.Fault.
func (f *breakWatch) Name() string { return "break watch of " + f.label }

// Ready implements sim.Fault.
func (f *breakWatch) Ready(w *sim.World) bool {
	for i := range f.streams {
		if f.streams[i].Ready(w) {
			return true
		}
	}
	return false
}

// Strike implements sim.Fault.
func (f *breakWatch) Strike(env *sim.Env) {
	for i := range f.streams {
		f.streams[i].Strike(env)
	}
}
