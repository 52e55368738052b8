package designs

import (
	"strings"
	"sync"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/etcdnode"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// How the names of guests begin that are a release of etcd: its watch server, and the whole server.
const release, wholeServer = "etcd@v", guests.Cluster + "v"

func init() {
	programs := map[string]*testbed.Program{}
	var lock sync.Mutex
	// All releases are there, whether they are compiled or not, which the first use says.
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		members := strings.Fields(name)
		for _, member := range members {
			guest, _ := guests.AtLocks(member)
			version, is := versionOf(guest)
			if _, err := etcd.Release(version); !is || err != nil || len(members) > 1 && !strings.HasPrefix(guest, wholeServer) {
				return nil
			}
		}
		lock.Lock()
		defer lock.Unlock()
		if programs[name] == nil {
			programs[name] = releaseOf(name)
		}
		return programs[name]
	})
}

// versionOf is the release of a guest. Behind a plus are changes of it, and behind a colon is what its first use
// refuses.
func versionOf(guest string) (version string, is bool) {
	if version, is = strings.CutPrefix(guest, release); !is {
		version, is = strings.CutPrefix(guest, wholeServer)
	}
	if i := strings.IndexAny(version, "+:"); i >= 0 {
		version = version[:i]
	}
	return version, is
}

func releaseOf(name string) *testbed.Program {
	if strings.HasPrefix(name, wholeServer) {
		return clusterOf(name)
	}
	compiled, locks := guests.AtLocks(name)
	version, _ := versionOf(compiled)
	of := func(name string) *guest { return guestOf(name, protocol.Etcd, etcdnode.Beginning) }
	g := of(compiled)
	return &testbed.Program{
		Name: name, Version: version,
		New:        func(s *etcd.Server) testbed.ProgramNode { return etcdnode.New(s, g.new(), locks) },
		Neighbours: func() []option.Neighbour { return neighbours(compiled, guests.Schedule{Locks: locks}.String(), of) },
	}
}
