package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a Server is made of. Without initial contents the store is empty,
// at revision 1.
type Config struct {
	Options
	// Version is what the server answers to Status: "3.5.13".
	Version string
	// Members are the members of the cluster, of which the first one serves at
	// the start; Version and Options but Reads are ignored then. None is a cluster of one.
	Members []Member
	// Leader is the node that this member follows: it applies what that one has
	// committed, and serves watches. 0 is a server that takes reads and writes
	// itself. Replicated has such a server keep its log for followers.
	Leader     sim.NodeID
	Replicated bool

	// Initial holds the versions of keys that exist at the start, several of one
	// key if it has a history, by ModRevision. InitialRevision is the store's
	// revision, at least the newest of theirs and at least 1; Compacted is the
	// revision below which history is gone, 0 if none is. The Server shares the
	// slice and never changes it.
	Initial         []*wire.KeyValue
	InitialRevision int64
	Compacted       int64
}

// DefaultConfig is a server of the given version ("3.5.13") as it is out of the box,
// with an empty store. It returns an error if OptionsOf does.
func DefaultConfig(version string) (Config, error) {
	o, err := OptionsOf(version)
	if err != nil {
		return Config{}, err
	}
	return Config{Version: version, Options: o, InitialRevision: 1}, nil
}
