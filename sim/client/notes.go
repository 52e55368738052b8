package client

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// streamEnds: the stream to etcd ends with an error, and all watches on it.
type streamEnds struct{ err *wire.Error }

func (n streamEnds) Text(*sim.World) string {
	return "the stream to etcd ended, and all watches on it: " + n.err.Message
}

// watchResumes: a watch is requested once more, on a new stream.
type watchResumes struct {
	key string
	rev int64
	// progressed: rev comes from a progress notification.
	progressed bool
}

func (n watchResumes) Text(*sim.World) string {
	s := "resumes the watch of " + n.key + " from revision " + strconv.FormatInt(n.rev, 10)
	if n.progressed {
		s += ", which a progress notification named"
	}
	return s
}

func (n watchResumes) About() sim.About { return sim.About{Revision: n.rev, Key: n.key} }

// watchEnds: the cache is told an error, and nothing more.
type watchEnds struct {
	key string
	err *wire.Error
}

func (n watchEnds) Text(*sim.World) string {
	return "the watch of " + n.key + " ends: " + n.err.Message
}

// deletionDropped: the event of a deletion came without the object that was
// deleted, so the cache is told nothing.
type deletionDropped struct {
	key string
	rev int64
}

func (n deletionDropped) Text(*sim.World) string {
	return "drops the deletion of " + n.key + " at revision " + strconv.FormatInt(n.rev, 10) + ": it came without the object"
}

func (n deletionDropped) About() sim.About { return sim.About{Revision: n.rev, Key: n.key} }
