package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var readyz wire.ReadyzRequest

// awaitReady waits for the API server to be ready, as behind a load balancer
// that asks /readyz and sends no client to a server that is not ready.
func (r *Informer) awaitReady(env *sim.Env) {
	r.state.Set(env, stateAwaiting)
	q := r.rest.Change(env)
	q.call, q.exchange = env.Call(r.toOf(env), &readyz), r.begins(env, &readyz)
}

// readyAnswered: the API server is ready, or its process has ended.
func (r *Informer) readyAnswered(env *sim.Env, p sim.Payload) {
	q := r.rest.Change(env)
	q.call = sim.NoConn
	if _, ready := p.(*wire.ReadyzResponse); ready {
		r.ends(env, q.exchange, Answered)
		r.begin(env)
		return
	}
	if err, refused := p.(*wire.Error); refused {
		r.refused(env, q.exchange, err)
	} else {
		r.hangsUp(env, q.exchange, p)
	}
	r.move(env)
	r.awaitReady(env)
}
