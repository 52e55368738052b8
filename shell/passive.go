package shell

import "github.com/watchbed/watchbed/sim"

// passive is the part of a node that has no loops and no timers: everything that
// it does, it does because of a message or because of something outside.
type passive struct{}

// Start implements sim.Node.
func (passive) Start(*sim.Env) {}

// Fire implements sim.Node.
func (passive) Fire(*sim.Env, sim.Timer) {}

// Run implements sim.Node.
func (passive) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (passive) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (passive) TimerName(sim.Timer) string { return "" }
