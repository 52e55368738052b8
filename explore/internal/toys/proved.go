package toys

import "github.com/watchbed/watchbed/sim"

// Proved is the part of a prove.Subject that says nothing: it has no past and no memory. Others
// embed it, build, adopt and judge, and say what their goal is.
type Proved struct{}

// Options implements explore.Subject.
func (Proved) Options() sim.Options { return sim.Options{} }

// After implements explore.Subject.
func (Proved) After(*sim.World, sim.Action) {}

// Over implements explore.Subject.
func (Proved) Over(*sim.World) bool { return false }

// Past implements prove.Subject.
func (Proved) Past(d sim.Digest) sim.Digest { return d }

// PastOf implements prove.Subject.
func (Proved) PastOf(sim.NodeID) bool { return false }

// SeesNodes implements prove.Subject.
func (Proved) SeesNodes() bool { return false }

// Endless implements prove.Subject.
func (Proved) Endless(sim.NodeID) bool { return true }

// Remembers implements prove.Remembering.
func (Proved) Remembers() bool { return false }

// Remembered implements prove.Remembering.
func (Proved) Remembered(*sim.World) any { return nil }

// Recall implements prove.Remembering.
func (Proved) Recall(any) {}

// Remember implements prove.Remembering.
func (Proved) Remember(any, *sim.World, sim.Action) any { return nil }
