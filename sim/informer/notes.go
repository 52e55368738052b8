package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the informer notes while a run is observed.
var (
	serverChanged = sim.NewNote1[sim.NodeID]("informer.serverChanged", "connects to %s")
	listSent      = sim.NewNote2[sim.NodeID, sim.Payload]("informer.listSent", "asks %s: %s")
	pageSent      = sim.NewNote2[sim.NodeID, sim.Payload]("informer.pageSent", "asks %s: %s")
	watchSent     = sim.NewNote2[sim.NodeID, sim.Payload]("informer.watchSent", "asks %s: %s")
	storeReplaced = sim.NewNote2[sim.Counted, int64]("informer.storeReplaced", "has %s of resourceVersion %r")
	eventTaken    = sim.NewNote1[event]("informer.eventTaken", "takes %s")

	newestListed   = sim.NewNote1[wire.Code]("informer.newestListed", "is refused (%s) and asks for the newest list")
	wholeListed    = sim.NewNote1[wire.Code]("informer.wholeListed", "is refused the next page (%s) and lists in one piece")
	listRefused    = sim.NewNote1[wire.Code]("informer.listRefused", "cannot list: %s")
	watchRefused   = sim.NewNote1[wire.Code]("informer.watchRefused", "is refused the watch: %s")
	listFallback   = sim.NewNote0("informer.listFallback", "lists instead of streaming the list")
	detectorPanics = sim.NewNote1[int64]("informer.detectorPanics", "panics: the streamed list differs from the list of resourceVersion %r")
)

// event is what a watch has brought.
type event struct{ *wire.WatchEvent }

// About implements sim.Subject.
func (e event) About() sim.About {
	about := sim.About{Revision: e.ResourceVersion}
	if e.Item != nil {
		about.Key = e.Item.Key
	}
	return about
}
