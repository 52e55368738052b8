package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// This is client-go's shardedListWatch (KEP-5866), between the Reflector and its requests: they name a shard, and what
// a server sends of others is left out.

// reshardAfter is how long a program keeps its shard if it gets another one, timed.
const reshardAfter = 10 * time.Second

// Shard is the one that the informer follows, none if it follows all objects.
func (r *Informer) Shard() wire.Shard {
	if len(r.cfg.Shards) == 0 {
		return wire.Shard{}
	}
	return r.cfg.Shards[*r.layout.Value()]
}

// IsResharded reports whether the informer gets no other shard any more.
func (r *Informer) IsResharded() bool { return *r.layout.Value() >= len(r.cfg.Shards)-1 }

func (r *Informer) selector(env *sim.Env) wire.Selector {
	if len(r.cfg.Shards) == 0 {
		return wire.Selector{}
	}
	r.layout.Read(env)
	return wire.Selector{Shard: r.Shard()}
}

// awaitReshard arms the timer of the next shard, if there is one.
func (r *Informer) awaitReshard(env *sim.Env) {
	if !r.IsResharded() {
		env.Arm(timerReshard, reshardAfter)
	}
}

// reshard begins the informer anew with its next shard: a Reflector keeps its own.
func (r *Informer) reshard(env *sim.Env) {
	env.Cover(resharded)
	*r.layout.Change(env)++
	env.Crash([]sim.NodeID{env.Self()})
}

// mayHold reports whether an object is in the shard.
func (r *Informer) mayHold(kv *wire.KeyValue) bool {
	s := r.Shard()
	return s == (wire.Shard{}) || s.Holds(wire.HashOf(r.cfg.ShardKey(kv)))
}

// ofShard is a page with the objects of the shard alone. A server that says which shard it has sent is believed.
func (r *Informer) ofShard(env *sim.Env, p *wire.ListResponse) *wire.ListResponse {
	s := r.Shard()
	if p.Shard == s || r.cfg.Deviations.TakesAllShards {
		return p
	}
	env.Cover(shardIgnored)
	own := *p
	own.Items, own.RemainingItemCount = nil, 0
	for _, kv := range p.Items {
		if r.mayHold(kv) {
			own.Items = append(own.Items, kv)
		}
	}
	return &own
}

// passes reports whether an event reaches the Reflector: bookmarks and errors do.
func (r *Informer) passes(env *sim.Env, e *wire.WatchEvent) bool {
	if e.Item == nil || r.mayHold(e.Item) || r.cfg.Deviations.TakesAllShards {
		return true
	}
	env.Cover(eventOfOtherShard)
	return false
}

var (
	resharded         = sim.NewCoveragePoint("informer: begun anew with another shard")
	shardIgnored      = sim.NewCoveragePoint("informer: list of a server that does not know shards")
	eventOfOtherShard = sim.NewCoveragePoint("informer: event of another shard left out")
)

// heedShared is what becomes of the Reflector by a step, its own or one of the shared informer's: while the queue
// is locked it takes nothing, and when the program has stopped the informer it ends.
func (r *Informer) heedShared(env *sim.Env) {
	s := r.shared
	if s == nil {
		return
	}
	if s.Stopping() && *r.state.Value() != stateStopped {
		r.stop(env)
	}
	if s.Returned() {
		env.Crash([]sim.NodeID{env.Self()})
		return
	}
	if r.controller != nil {
		r.heedHandler(env)
	}
	if v := s.Version(); v != 0 && v != r.history.last.Version {
		r.noteVersion(v)
	}
	at := *r.state.Value()
	if locked := s.Locked(); *r.held.Look(env) || locked {
		r.held.Set(env, locked)
		for _, c := range [...]sim.Conn{r.rest.Value().call, r.stream.Value().conn} {
			if c == sim.NoConn {
				continue
			}
			switch {
			case locked:
				env.Hold(c)
			case at != stateChecking:
				env.Release(c)
			}
		}
	}
	if at == stateWatching || at == stateWatchGap {
		s.WatchBegins(env)
	} else {
		s.WatchEnds(env)
	}
}

// stop ends the Reflector.
func (r *Informer) stop(env *sim.Env) {
	q := r.rest.Change(env)
	r.noteEnd(env)
	r.leave(env)
	env.Close(q.call)
	q.call = sim.NoConn
	for t := range firstOfShared {
		env.Disarm(t)
	}
	if r.controller != nil {
		r.controller.Stop(env)
	}
	r.state.Set(env, stateStopped)
}

// heedHandler gives the controller what its handler was told in this step.
func (r *Informer) heedHandler(env *sim.Env) {
	h := r.shared.Handlers()[0]
	stopped := *r.state.Value() == stateStopped
	if key := h.TakeTold(); key != "" && !stopped {
		r.controller.Told(env, key)
	}
	if h.HasSynced() && !stopped {
		r.controller.Begin(env)
	}
}
