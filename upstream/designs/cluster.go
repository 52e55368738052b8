package designs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// clusterOf is the program whose members are whole servers, all of one guest, or each of its own.
func clusterOf(name string) *testbed.Program {
	of := func(name string) *guest { return guestOf(name, protocol.Cluster, clusternode.Beginning) }
	members := strings.Fields(name)
	p := &testbed.Program{Name: name}
	for _, member := range members {
		compiled, _ := guests.AtLocks(member)
		version, _ := versionOf(compiled)
		p.Members = append(p.Members, version)
	}
	p.Version = p.Members[0]
	p.Cluster = func(c testbed.ClusterConfig) (testbed.Cluster, error) {
		if err := guests.Apart(members); err != nil {
			return nil, err
		}
		return newCluster(of, members, c), nil
	}
	if len(members) > 1 {
		p.Neighbours = func() []option.Neighbour { return unmixed(members) }
		return p
	}
	p.Members = nil
	compiled, locks := guests.AtLocks(name)
	p.Neighbours = func() []option.Neighbour { return neighbours(compiled, guests.Schedule{Locks: locks}.String(), of) }
	return p
}

// cluster implements testbed.Cluster.
type cluster struct {
	clusternode.Orders
	log     *clusternode.Log
	config  testbed.ClusterConfig
	members []*clusternode.Node
	// booted are those with which each run begins, from the first on.
	booted []*clusternode.Node
}

func newCluster(of func(name string) *guest, guest []string, c testbed.ClusterConfig) *cluster {
	initial := model.Initial{Revision: 1}
	for _, kv := range c.Initial {
		item := workload.Item(kv)
		initial.Items, initial.Revision = append(initial.Items, &item), kv.ModRevision
	}
	s := &cluster{log: clusternode.NewLog(initial, len(c.Members)), config: c}
	var peers []clusternode.Peer
	for i, n := range c.Members {
		peers = append(peers, clusternode.Peer{Node: n, Name: fmt.Sprintf("member-%d", i+1)})
	}
	for i := range c.Members {
		compiled, locks := guests.AtLocks(guest[min(i, len(guest)-1)])
		s.members = append(s.members, clusternode.New(&clusternode.Config{
			Peers: peers, Self: i, Initial: len(peers), Log: s.log,
			Member:  protocol.Member{PreVote: true, InitialElectionTickAdvance: true, ProgressMs: int(c.Notify / time.Millisecond)},
			Choices: clusternode.Choices{Goroutines: true, Locks: locks},
		}, of(compiled).new(), nil))
	}
	return s
}

// Reset implements testbed.Cluster.
func (s *cluster) Reset() []sim.Node {
	if s.booted == nil {
		writer := new(workload.Client)
		writer.Reset("writer", 0, puts(s.config.Members[0], s.config.Initial), 0)
		var err error
		if s.booted, err = clusternode.Boot(s.members, writer, writer.Done); err != nil {
			refuse(err)
		}
	}
	s.log.Reset()
	nodes := make([]sim.Node, len(s.members))
	for i, m := range s.members {
		m.Become(s.booted[i])
		nodes[i] = m
	}
	return nodes
}

// puts are what writes the contents when there is a leader.
func puts(to sim.NodeID, contents []*wire.KeyValue) (steps []workload.Step) {
	for _, kv := range contents {
		p := &wire.PutRequest{Key: kv.Key, Value: kv.Value}
		steps = append(steps, workload.Step{To: to, Payload: p, Request: workload.Request(p)})
	}
	if len(steps) > 0 {
		steps[0].Think.Min = clusternode.BootsFor
	}
	return steps
}

// Ready implements testbed.Cluster.
func (s *cluster) Ready(now sim.Time) bool {
	left := slices.DeleteFunc(slices.Clone(s.members), func(m *clusternode.Node) bool { return m.Gone })
	leads := left[0].Leads(now)
	return !slices.ContainsFunc(left, func(m *clusternode.Node) bool {
		return m.State != clusternode.Running || len(s.members) > 1 && (m.Leads(now) == 0 || m.Leads(now) != leads)
	})
}

// Whole implements testbed.Cluster.
func (s *cluster) Whole() testbed.EtcdState { return s.log.Whole() }

// State implements testbed.Cluster.
func (s *cluster) State(member int) testbed.EtcdState { return s.log.Of(member) }
