package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	registered       = sim.NewNote("dispatch.registered", registration)
	registeredAmiss  = sim.NewNote("dispatch.registered", registration, sim.IsSetback)
	establishedEarly = sim.NewNote1[sim.NodeID]("dispatch.establishedEarly", "tells %s that its watch is established, before the beginning of the watch is fixed", sim.IsSetback)
	delegated        = sim.NewNote1[sim.NodeID]("dispatch.delegated", "passes the watch of %s on to etcd")

	// untriggered: a watch is not given an event that concerns what it selects.
	untriggered = sim.NewNote("dispatch.untriggered",
		"does not give the watch of %[2]s the event of revision %[1]r: the object has another value of the field now", sim.IsSetback)
	queued = sim.NewNote2[int64, sim.Counted]("dispatch.queued", "hands the event of revision %r to the dispatcher, which has %s before it to take", sim.IsAside)
	full   = sim.NewNote2[int64, sim.Counted]("dispatch.full", "cannot hand the event of revision %r to the dispatcher yet: its incoming channel is full with %s", sim.IsSetback)
	given  = sim.NewNote3[string, int64, sim.NodeID]("dispatch.given", "puts the %s of revision %r into the channel of %s", sim.IsAside, sim.IsMeasured)
	waits  = sim.NewNote3[int64, sim.NodeID, string]("dispatch.waits",
		"has no room for the event of revision %d in the channel of %s, and dispatches nothing more to any watch until there is%s", sim.IsSetback, sim.IsMeasured)
	terminated = sim.NewNote1[sim.NodeID]("dispatch.terminated", "ends the watch of %s, which does not keep up")
	missed     = sim.NewNote2[int64, sim.NodeID]("dispatch.missed", "has no room for the event of revision %r in the channel of %s, and goes on", sim.IsMeasured)
	replays    = sim.NewNote2[sim.NodeID, int64]("dispatch.replays", "begins to send %s the events of its history after revision %d")
	overtook   = sim.NewNote1[sim.NodeID]("dispatch.overtook", "ends the watch of %s without an error: its history has lost what it was sending")
	expired    = sim.NewNote1[sim.NodeID]("dispatch.expired", "ends the watch of %s with a 410: its history does not reach back far enough")
	left       = sim.NewNote1[sim.NodeID]("dispatch.left", "does not end the watcher of %s, which has left: it is to be drained, and no client reads its channel", sim.IsSetback)
	stranded   = sim.NewNote1[sim.NodeID]("dispatch.stranded", "is replaced by a new cache, and leaves the watch of %s open", sim.IsSetback)
	tornDown   = sim.NewNote("dispatch.tornDown",
		"is at resourceVersion %d, too far from %d, and tears down the connection of %s for it to connect to another API server", sim.IsSetback)

	endByTimerExpected = sim.NewNote2[sim.NodeID, int64]("dispatch.endByTimerExpected",
		"will end the initial events of %s when the bookmark timer finds that resourceVersion %d was dispatched, and has etcd asked for no progress", sim.IsSetback)
	endFound          = sim.NewNote2[int64, sim.NodeID]("dispatch.endFound", "the bookmark timer finds that resourceVersion %d was dispatched, for which %s waits")
	initialEventsSent = sim.NewNote3[sim.NodeID, int64, int64]("dispatch.initialEventsSent", "has sent %s all initial events up to resourceVersion %d; it wanted %d or later")
	injected          = sim.NewNote4[int64, *wire.WatchEvent, sim.NodeID, string]("dispatch.injected", "%[1]Rsends %[2]s before the initial events that %[3]s has not been sent yet%[4]K")
	// dereferenced: the object that is sent is newer than its event.
	dereferenced = sim.NewNote4[int64, string, int64, sim.NodeID]("dispatch.dereferenced", "finds resourceVersion %r of %k in its store for the event of %d that %s is due")
)

const registration = "begins the watch of %s with the %s %d%s"
