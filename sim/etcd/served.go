package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
)

// Served are the watches of a program that serves them in place of the server (package testbed/program).
type Served interface {
	v3rpc.Served
	// Restored: the server has installed a snapshot of what it has.
	Restored(env *sim.Env)
}

// ServedBy has a program serve the watches.
func (s *Server) ServedBy(p Served) {
	s.served = p
	s.watch.ServedBy(p)
}

// HoldsBack reports whether nothing gets through to the watches of a client.
func (s *Server) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	return s.watch.HoldsBack(env, client)
}

// RefusesStream refuses a new stream that requires a leader if there is none, and reports whether it did.
func (s *Server) RefusesStream(env *sim.Env, m *sim.Message) bool { return s.watch.Refuses(env, m) }
