package controller

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	written = sim.NewSituation("controller: update answered")
	waited  = sim.NewSituation("controller: waits for its own write in the store")
)

// acts: the controller sends an update.
type acts struct{ read *wire.KeyValue }

func (n acts) Text(*sim.World) string {
	return fmt.Sprintf("reads %s=%s of revision %d in its store, and marks it", n.read.Key, n.read.Value, n.read.ModRevision)
}

func (n acts) About() sim.About { return sim.About{Revision: n.read.ModRevision, Key: n.read.Key} }

// answered: the update of an object has been carried out.
type answered struct{ object *wire.KeyValue }

func (n answered) Text(*sim.World) string {
	return fmt.Sprintf("hears that %s is now %s of RV %d", n.object.Key, n.object.Value, n.object.ModRevision)
}

func (n answered) About() sim.About {
	return sim.About{Revision: n.object.ModRevision, Key: n.object.Key}
}

// waits: the store has not come to a write of the controller.
type waits struct {
	key            string
	written, store int64
}

func (n waits) Text(*sim.World) string {
	return fmt.Sprintf("does not act on %s: it has written RV %d, and its store has RV %d", n.key, n.written, n.store)
}

func (n waits) About() sim.About { return sim.About{Revision: n.written, Key: n.key} }

// SetsBack implements sim.Setback.
func (n waits) SetsBack() bool { return true }
