package faults

import "github.com/watchbed/watchbed/sim"

// wherever is a fault that may strike at several servers: at each of them where it can.
type wherever struct {
	name string
	each []sim.Fault
}

// Name implements sim.Fault.
func (f *wherever) Name() string { return f.name }

// Ready implements sim.Fault.
func (f *wherever) Ready(w *sim.World) bool {
	for _, at := range f.each {
		if at.Ready(w) {
			return true
		}
	}
	return false
}

// Strike implements sim.Fault. At a server where the fault has nothing to strike it does
// nothing.
func (f *wherever) Strike(env *sim.Env) {
	for _, at := range f.each {
		at.Strike(env)
	}
}
