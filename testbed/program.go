package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// UseClock gives parameters without a clock the clock that whole servers need, and faults some time to strike in.
func (p *Params) UseClock() {
	c := &p.Clock
	if c.Mode == sim.Timed {
		return
	}
	c.Mode, c.AtRest, c.ToRest = sim.Timed, false, false
	c.Network = cmp.Or(c.Network, time.Millisecond)
	c.Scheduling = cmp.Or(c.Scheduling, 500*time.Microsecond)
	c.Horizon = cmp.Or(c.Horizon, time.Minute)
	if len(p.Faults.Set()) > 0 {
		p.Faults.For = cmp.Or(p.Faults.For, 2*time.Second)
	}
}

// runCluster has the parameters be those of a run with whole servers: their elections need a clock. named is how many
// members are.
func (p *Params) runCluster(named int) {
	c := &p.Clock
	if c.Mode != sim.Timed && p.Faults.LeaderLosses > 0 {
		// Members notice that after some election timeouts.
		p.Faults.For = cmp.Or(p.Faults.For, 10*time.Second)
	}
	p.UseClock()
	c.Steps = max(c.Steps, 200_000)
	if p.Topology.EtcdMembers = cmp.Or(p.Topology.EtcdMembers, named); p.needsQuorum() != "" {
		p.Topology.EtcdMembers = max(3, p.Topology.EtcdMembers)
	}
}

// needsQuorum is an option that needs a quorum without one of the members, or between them, empty if there is none.
func (p *Params) needsQuorum() string {
	switch f := &p.Faults; {
	case p.Topology.Lagging:
		return "lagging"
	case f.LeaderLosses > 0:
		return "leader-losses"
	case f.LeaderChanges > 0:
		return "leader-changes"
	case f.Failovers > 0:
		return "failovers"
	}
	return ""
}

// useCluster has etcd be a program that is the whole cluster.
func (c *cluster) useCluster(s *System, program *Program) error {
	p := &s.params
	refused := func(format string, values ...any) error {
		return fmt.Errorf("%s is made of whole servers: "+format, append([]any{program.Name}, values...)...)
	}
	n := max(1, p.Topology.EtcdMembers)
	switch {
	case p.Clock.Mode != sim.Timed:
		return refused("their elections need a clock; set mode=timed")
	case p.Clock.Network > longestDelay:
		return refused("network=%v is longer than their heartbeats stand; set %v at most", p.Clock.Network, longestDelay)
	case len(program.Members) > 0 && len(program.Members) != n:
		return refused("etcd-members=%d are not the %d that are named; name one release, or one for each", n, len(program.Members))
	case n > maxMembers:
		return refused("etcd-members=%d are more than %d", n, maxMembers)
	case p.Faults.Downgrade != "" || p.Topology.Members != "":
		return refused("no other release takes over by a fault; set members= and downgrade=, and name a release for each member in --etcd")
	case p.Faults.Failovers > 0 && !s.topology.Spread():
		return refused("failovers=%d take members away for good, of which clients ask one; set failovers=0, or balanced=true", p.Faults.Failovers)
	case p.needsQuorum() != "" && n < 3:
		return refused("%s is not 0 or false, and needs other members; set etcd-members=3", p.needsQuorum())
	}
	if inside := p.Faults.Inside(); len(inside) > 0 {
		return refused("the simulated server alone has %s; set each to 0 or false, as in --set %s=0", strings.Join(inside, ", "), inside[0])
	}
	if len(s.claims) > 0 && !slices.ContainsFunc(s.claims, func(c *Property) bool { return !c.Inside }) {
		return refused("the property %s looks into the simulated one, and no other is claimed", s.claims[0].Name)
	}
	var err error
	c.members, err = program.Cluster(ClusterConfig{Members: s.topology.Members, Initial: c.config.Initial, Notify: c.config.Options.Watch.ProgressNotifyInterval})
	if err != nil {
		return refused("%w", err)
	}
	return nil
}

// longestDelay leaves an election timeout, a second, enough for two messages as long as things break, ten times as
// slow.
const longestDelay = 50 * time.Millisecond

// maxMembers is how many members a cluster has at most.
const maxMembers = 5
