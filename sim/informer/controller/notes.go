package controller

import (
	"github.com/watchbed/watchbed/sim"
)

var (
	written = sim.NewCoveragePoint("controller: update answered")
	waited  = sim.NewCoveragePoint("controller: waits for its own write in the store")
)

// What the controller notes while a run is observed.
var (
	acts     = sim.NewNote3[string, string, int64]("controller.acts", "reads %k=%s of revision %r in its store, and marks it")
	answered = sim.NewNote3[string, string, int64]("controller.answered", "is answered: %k is now %s of RV %r")
	waits    = sim.NewNote3[string, int64, int64]("controller.waits", "does not act on %k: it has written RV %r, and its store has RV %d", sim.IsSetback)
)
