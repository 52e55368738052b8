package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var readyz wire.ReadyzRequest

// awaitReady waits for the API server to be ready, as behind a load balancer
// that asks /readyz and leads nobody to a server that is not.
func (r *Informer) awaitReady(env *sim.Env) {
	r.state = stateAwaiting
	r.rest.call = env.Call(r.to(), &readyz)
}

// readyAnswered: it is ready, or has gone.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	r.rest.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.listAndWatch(env)
		return
	}
	r.move(env)
	r.awaitReady(env)
}
