package guard

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// MaxEndpoints is how many endpoints of one etcd cluster can be asked: an etcd
// cluster has seven members at most.
const MaxEndpoints = 7

// endpoints are those of the etcd cluster, each with the question for its
// version.
type endpoints struct {
	all []endpoint
	// missing is how many have not been settled yet.
	missing int
}

type endpoint struct {
	call sim.Conn
	// retry is the time until the next attempt, if this one fails.
	retry sim.Duration
	// settled: it has answered, or is not waited for any more.
	settled bool
}

func (e *endpoints) reset() { *e = endpoints{all: e.all[:0]} }

// askAll asks each endpoint for its version.
func (e *endpoints) askAll(env *sim.Env, cfg *Config, retry sim.Duration) {
	env.Writes(cellEndpoints, 0)
	for range cfg.Endpoints {
		e.all = append(e.all, endpoint{retry: retry})
	}
	e.missing = len(e.all)
	for i := range e.all {
		e.ask(env, cfg, i)
	}
}

func (e *endpoints) ask(env *sim.Env, cfg *Config, i int) {
	env.WritesItem(cellEndpoints, 0, int64(i+1))
	e.all[i].call = env.Call(cfg.KV, statusRequests[i])
}

// askLater asks an endpoint again that gave no version, each time after a longer pause.
func (e *endpoints) askLater(env *sim.Env, cfg *Config, i int) {
	env.Cover(EndpointUnknown)
	k := &e.all[i]
	env.Arm(cfg.timer(i), k.retry)
	k.retry = min(2*k.retry, maxRetry)
}

// passes tells what a check makes of the version of an endpoint. One that cannot be
// read counts as too old.
func passes(env *sim.Env, c Check, i int, version string) bool {
	v, err := release.Parse(version)
	if err != nil || !c.Passes(v) {
		endpointOld(env, i, version)
		return false
	}
	endpointNew(env, i, version)
	return true
}

// answered finds the endpoint that a message comes from, -1 if it comes from
// none, and its version. ok is false if it gave none.
func (e *endpoints) answered(env *sim.Env, m *sim.Message) (i int, version string, ok bool) {
	env.LooksAt(cellEndpoints, 0)
	for i := range e.all {
		if k := &e.all[i]; k.call == m.Conn && !k.settled {
			env.WritesItem(cellEndpoints, 0, int64(i+1))
			k.call = sim.NoConn
			p, ok := m.Payload.(*wire.StatusResponse)
			if !ok {
				return i, "", false
			}
			return i, p.Version, true
		}
	}
	return -1, "", false
}

// settle counts an endpoint as done.
func (e *endpoints) settle(env *sim.Env, i int) {
	env.WritesItem(cellEndpoints, 0, int64(i+1))
	e.all[i].settled = true
	e.missing--
}

func (e *endpoints) clone() endpoints {
	return endpoints{all: append([]endpoint(nil), e.all...), missing: e.missing}
}

// Conns visits the calls under way, by endpoint.
func (e *endpoints) Conns(visit func(sim.Conn)) {
	for i := range e.all {
		visit(e.all[i].call)
	}
}

func (e *endpoints) digest() sim.Digest {
	d := sim.NewDigest
	for i := range e.all {
		d = d.Bool(e.all[i].settled).Bool(e.all[i].call != sim.NoConn).Int(int64(e.all[i].retry))
	}
	return d
}

var statusRequests = func() (all [MaxEndpoints]*wire.StatusRequest) {
	for i := range all {
		all[i] = &wire.StatusRequest{Endpoint: i}
	}
	return all
}()
