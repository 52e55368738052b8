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
	r.rest.call, r.rest.exchange = env.Call(r.to(), &readyz), r.begins(env, &readyz)
}

// readyAnswered: the API server is ready, or its process has ended.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	env.Writes(cellRequest, 0)
	r.rest.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.ends(env, r.rest.exchange, Answered)
		r.begin(env)
		return
	}
	if err, refused := p.(*wire.Error); refused {
		r.refused(env, r.rest.exchange, err)
	} else {
		r.hangsUp(env, r.rest.exchange, p)
	}
	r.move(env)
	r.awaitReady(env)
}
