package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Served are the streams of a program that serves watches in place of the server, which has none then. What befalls
// streams from outside reaches them through it.
type Served interface {
	// Serves reports whether a client has a stream.
	Serves(client sim.NodeID) bool
	// End ends streams: with an error, or in order if there is none.
	End(env *sim.Env, err *wire.Error, ends func(client sim.NodeID, requiresLeader bool) bool)
	// Resume lets streams go on to send that were held back.
	Resume(env *sim.Env)
}

// ServedBy has a program serve the streams.
func (s *WatchServer) ServedBy(p Served) { s.served = p }

// HoldsBack reports whether nothing gets through to a client.
func (s *WatchServer) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	env.LooksAt(cellClogged, 0)
	return s.network.clogged && (s.network.client == 0 || s.network.client == client)
}
