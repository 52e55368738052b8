package shell

import "github.com/watchbed/watchbed/sim"

// passive is the part of a node that has no loops and no timers: everything that
// it does, it does because of a message or because of something outside.
type passive struct{}

func (passive) Start(*sim.Env) {}

func (passive) Fire(*sim.Env, sim.Timer) {}

func (passive) Run(*sim.Env, sim.Task) {}

func (passive) TaskName(sim.Task) string { return "" }

func (passive) TimerName(sim.Timer) string { return "" }
