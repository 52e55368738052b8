package follower

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type lists struct {
	objects int
	at      int64
}

// Text implements sim.Note.
func (n lists) Text(*sim.World) string {
	return "has listed " + strconv.Itoa(n.objects) + " objects at resourceVersion " + number(n.at) + " and watches from there"
}

type takesIn struct{ event *wire.WatchEvent }

// Text implements sim.Note.
func (n takesIn) Text(*sim.World) string { return "takes in " + n.event.Label() }

// About implements sim.Subject.
func (n takesIn) About() sim.About {
	a := sim.About{Revision: n.event.ResourceVersion}
	if n.event.Item != nil {
		a.Key = n.event.Item.Key
	}
	return a
}

type answered struct {
	request string
	client  sim.NodeID
	at      int64
}

// Text implements sim.Note.
func (n answered) Text(w *sim.World) string {
	return "answers " + w.NodeName(n.client) + "'s " + n.request + " at resourceVersion " + number(n.at)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
