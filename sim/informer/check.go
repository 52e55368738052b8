package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// This is the Reflector's data consistency detector: it compares the objects of a
// WatchList with a LIST of exactly the same resourceVersion.

// checkPeriod is the time between two tries. Their number has no limit: if the
// revision is compacted in etcd, the Reflector waits for ever.
const checkPeriod = time.Second

func (r *Informer) sendCheck(env *sim.Env) {
	version := r.check.Get(env)
	env.Under(r.cause)
	r.ask(env, &wire.ListRequest{Prefix: r.cfg.Prefix, ResourceVersion: version, Match: wire.MatchExact, Selector: r.selector(env)})
}

func (r *Informer) checkFailed(env *sim.Env) {
	env.Cover(checkFailed)
	env.Arm(timerCheckAgain, checkPeriod)
}

// compare ends the check. Upstream a difference is a panic.
func (r *Informer) compare(env *sim.Env, p *wire.ListResponse) {
	s, record := r.stream.Value(), r.record.Change(env)
	record.Checked++
	if r.same(env, p.Items) {
		env.Cover(checkPassed)
		env.Release(s.conn)
		r.streamed(env)
		if s.conn == sim.NoConn {
			r.watchClosed(env)
		}
		return
	}
	env.Cover(checkPanicked)
	detectorPanics.Say(env, *r.check.Value())
	r.leave(env)
	record.Panicked = true
	r.state.Set(env, statePanicked)
}

// same compares the temporary store with a list, in key order.
func (r *Informer) same(env *sim.Env, list []*wire.KeyValue) bool {
	streamed := r.temporary.Read(env)
	if streamed.Len() != len(list) {
		return false
	}
	i := 0
	streamed.Ascend(func(kv *wire.KeyValue) bool {
		listed := *list[i]
		if r.cfg.Deviations.ComparesTransformed {
			listed.Value = ""
		}
		if *kv != listed {
			return false
		}
		i++
		return true
	})
	return i == len(list)
}
