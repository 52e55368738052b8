package controller

import (
	"github.com/watchbed/watchbed/sim"
)

var (
	written = sim.NewCoveragePoint("controller: update answered")
	gotten  = sim.NewCoveragePoint("controller: acts on the answer to a GET, since its own write is not in the store")
	waited  = sim.NewCoveragePoint("controller: waits for its own write in the store")
)

// What the controller notes while a run is observed.
var (
	acts     = sim.NewNote3[string, string, int64]("controller.acts", "acts on %k=%s of revision %r, and marks it")
	gets     = sim.NewNote1[string]("controller.gets", "asks for %k")
	got      = sim.NewNote3[string, string, int64]("controller.got", "is answered: %k=%s of revision %r")
	answered = sim.NewNote3[string, string, int64]("controller.answered", "is answered: %k is now %s of RV %r")
	waits    = sim.NewNote3[string, int64, int64]("controller.waits", "does not act on %k in its store: it has written RV %r, and its store has RV %d", sim.IsSetback)
)
