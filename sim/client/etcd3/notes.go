package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchEnds: the cache is sent an error, and nothing after it.
type watchEnds struct {
	prefix string
	err    *wire.Error
}

func (n watchEnds) Text(*sim.World) string {
	return "the watch of " + n.prefix + " ends: " + n.err.Message
}

// listsInPages: the stream of initial events failed, and they come in pages.
type listsInPages struct {
	prefix string
	err    *wire.Error
}

func (n listsInPages) Text(*sim.World) string {
	return "asks for the objects of " + n.prefix + " in pages, since their stream ended with the error \"" + n.err.Message + "\""
}

// progressPasses: progress is sent past events that are still decoded.
type progressPasses struct{ rev, first int64 }

func (n progressPasses) Text(*sim.World) string {
	return "sends on that all is there up to revision " + strconv.FormatInt(n.rev, 10) + ", while the event of revision " +
		strconv.FormatInt(n.first, 10) + " is still decoded"
}

func (n progressPasses) About() sim.About { return sim.About{Revision: n.first} }

// sentPast: an event is sent past one that came before it and is still decoded.
type sentPast struct{ rev, first int64 }

func (n sentPast) Text(*sim.World) string {
	return "sends the event of revision " + strconv.FormatInt(n.rev, 10) + ", while that of revision " +
		strconv.FormatInt(n.first, 10) + " is still decoded"
}

func (n sentPast) About() sim.About { return sim.About{Revision: n.first} }

// leftOut: an object cannot be decoded, and those behind it are sent all the same.
type leftOut struct{ rev int64 }

func (n leftOut) Text(*sim.World) string {
	return "cannot decode the object of revision " + strconv.FormatInt(n.rev, 10) + ", and goes on with those behind it"
}

func (n leftOut) About() sim.About { return sim.About{Revision: n.rev} }

// deletionDropped: the event of a deletion came without the object that was
// deleted, so nothing is sent to the cache.
type deletionDropped struct {
	key string
	rev int64
}

func (n deletionDropped) Text(*sim.World) string {
	return "drops the deletion of " + n.key + " at revision " + strconv.FormatInt(n.rev, 10) + ": it came without the object"
}

func (n deletionDropped) About() sim.About { return sim.About{Revision: n.rev, Key: n.key} }
