package reflector

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

type (
	// watches: a watch of etcd begins.
	watches struct{ from int64 }
	// asksForInitialEvents: a watch with initial events begins.
	asksForInitialEvents struct{}
	// fallsBackToList: the watch with initial events failed.
	fallsBackToList struct{}
)

func (n watches) Text(*sim.World) string {
	return "watches from resourceVersion " + strconv.FormatInt(n.from, 10) + " on"
}

// About implements sim.Subject.
func (n watches) About() sim.About { return sim.About{Revision: n.from} }

func (asksForInitialEvents) Text(*sim.World) string {
	return "asks etcd for all objects as initial events of a watch"
}

func (fallsBackToList) Text(*sim.World) string { return "lists instead" }
