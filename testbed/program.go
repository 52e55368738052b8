package testbed

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/faults"
)

// Program serves the watches of an etcd, and the raft log, reads and writes are those of the simulated server. Or it is
// the members of etcd.
type Program struct {
	// Name is what people call it by: "etcd@v3.5.7".
	Name string
	// Version is the release that the program is of: "3.5.7". The simulated server is of the same.
	Version string
	// Members are the releases of the members of a cluster, the first one is Version, if each is named: they may be
	// of different ones.
	Members []string
	// New is the node that has a server behind it.
	New func(*etcd.Server) ProgramNode
	// Cluster makes the members of etcd, each of which is a whole server. New is nil then. The error says which of
	// them are no cluster.
	Cluster func(ClusterConfig) (Cluster, error)
	// Neighbours are programs that can stand in for it. nil: there are none.
	Neighbours func() []option.Neighbour
}

// Ignores reports whether an option of etcd does not reach the program: those of the watch path, of which a
// program has what its release has.
func (p *Program) Ignores(option string) bool {
	if p.Cluster != nil {
		return option != "notify" && etcd.Group.Lookup(option) != nil
	}
	if slices.Contains(takenOver, option) {
		return false
	}
	return v3rpc.Choices.Lookup(option) != nil || v3rpc.Amounts.Lookup(option) != nil ||
		mvcc.Choices.Lookup(option) != nil || mvcc.Amounts.Lookup(option) != nil
}

// takenOver are the options of the watch path that each program reads: how often etcd sends progress by itself, and how
// much of a stream is under way.
var takenOver = []string{"notify", "send-window"}

// ClusterConfig is what a cluster is made of.
type ClusterConfig struct {
	// Members are the nodes of its members.
	Members []sim.NodeID
	// Initial are the keys with which a run begins, one for each revision from 2 on.
	Initial []*wire.KeyValue
	// Notify is how often a member sends progress by itself, 0 is as etcd has it by default.
	Notify time.Duration
}

// Cluster are the members of etcd, which are whole servers. A run begins when they have a leader and the contents.
type Cluster interface {
	// Reset makes the members new ones for another run, and returns them.
	Reset() []sim.Node
	// Ready reports whether all members serve that have not gone for good, and have a leader.
	Ready(now sim.Time) bool
	// What befalls them is up to them.
	faults.Orders
	// State is what is known of a member, Whole of all of them together: the newest revisions, and as the visible one
	// the oldest.
	State(member int) EtcdState
	Whole() EtcdState
}

// ProgramNode is a server in a world with the program in it.
type ProgramNode interface {
	etcd.Node
	// Reset makes the node a new one for another run.
	Reset(etcd.Config)
	// Held is what the node keeps in memory on behalf of clients when nothing more can happen.
	Held() etcd.Held
}

// programFamilies know programs by name.
var programFamilies []func(name string) *Program

// RegisterPrograms adds programs that are found by name; named returns nil if it does not know one. Call
// it in init functions only.
func RegisterPrograms(named func(name string) *Program) {
	programFamilies = append(programFamilies, named)
}

// FindProgram returns the program of a name. The error says how to come to one.
func FindProgram(name string) (*Program, error) {
	for _, named := range programFamilies {
		if p := named(name); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%q is no release of etcd and no program that is one: the simrun of the folder upstream has the code of releases, such as etcd@v3.5.7 and cluster@v3.6.16 (cd upstream && go run ./simrun)", name)
}
