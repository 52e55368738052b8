package faults

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
)

// Orders makes the faults that are orders to members of etcd. What lasts ends at a time.
type Orders interface {
	// LoseLeader has the cluster have no leader.
	LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault
	// ChangeLeader has it have another one.
	ChangeLeader(members []sim.NodeID, label string) sim.Fault
	// Failover has a member go away for good, and clients ask the next one.
	Failover(member sim.NodeID, label string) sim.Fault
	// EndStream ends a watch stream of one of these nodes in order.
	EndStream(member sim.NodeID, label string, from []sim.NodeID) sim.Fault
	// Clog has nothing get through on their watch streams.
	Clog(member sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault
	// Defragment has the member defragment its backend: meanwhile it applies nothing and begins no read.
	Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault
}

// Simulated are the orders to the simulated server.
type Simulated struct{}

// LoseLeader implements Orders.
func (Simulated) LoseLeader(members []sim.NodeID, label string, until sim.Time) sim.Fault {
	return etcd.LoseLeader(members, label, until)
}

// ChangeLeader implements Orders.
func (Simulated) ChangeLeader(members []sim.NodeID, label string) sim.Fault {
	return etcd.Fail(members[0], label, etcd.LeaderChanges)
}

// Failover implements Orders.
func (Simulated) Failover(member sim.NodeID, label string) sim.Fault {
	return &etcd.Failover{Node: member, Label: label}
}

// EndStream implements Orders.
func (Simulated) EndStream(member sim.NodeID, label string, from []sim.NodeID) sim.Fault {
	return etcd.EndStream(member, label, from)
}

// Clog implements Orders.
func (Simulated) Clog(member sim.NodeID, label string, from []sim.NodeID, until sim.Time) sim.Fault {
	return etcd.Clog(member, label, from, until)
}

// Defragment implements Orders.
func (Simulated) Defragment(member sim.NodeID, label string, until sim.Time) sim.Fault {
	return etcd.Defragment(member, label, until)
}
