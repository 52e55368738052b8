package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var readyz wire.ReadyzRequest

// awaitReady waits for the API server to be ready, as behind a load balancer
// that asks /readyz and sends no client to a server that is not ready.
func (r *Informer) awaitReady(env *sim.Env) {
	env.Reads(cellServer, 0)
	env.Writes(cellState, 0)
	env.Writes(cellRequest, 0)
	r.state = stateAwaiting
	r.rest.call = env.Call(r.to(), &readyz)
}

// readyAnswered: the API server is ready, or its process has ended.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	env.Writes(cellRequest, 0)
	r.rest.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.listAndWatch(env)
		return
	}
	r.move(env)
	r.awaitReady(env)
}
