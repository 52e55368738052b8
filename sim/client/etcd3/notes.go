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
