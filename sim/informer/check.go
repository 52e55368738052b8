package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// check is the Reflector's data consistency detector: it compares the objects of a
// WatchList with a LIST of exactly the same resourceVersion.
type check struct {
	// version is that of the bookmark that ended the initial events.
	version int64
}

// checkPeriod is the time between two tries. Their number has no limit: if the
// revision is compacted in etcd, the Reflector waits for ever.
const checkPeriod = time.Second

func (r *Informer) sendCheck(env *sim.Env) {
	env.Reads(cellCheck, 0)
	env.Under(r.cause)
	r.ask(env, &wire.ListRequest{Prefix: r.cfg.Prefix, ResourceVersion: r.check.version, Match: wire.MatchExact})
}

func (r *Informer) checkFailed(env *sim.Env) {
	env.Cover(checkFailed)
	env.Arm(timerCheckAgain, checkPeriod)
}

// compare ends the check. Upstream a difference is a panic.
func (r *Informer) compare(env *sim.Env, p *wire.ListResponse) {
	env.Reads(cellTemporary, 0)
	env.Writes(cellRecord, 0)
	r.record.Checked++
	if r.same(p.Items) {
		env.Cover(checkPassed)
		env.Release(r.stream.conn)
		r.streamed(env)
		if r.stream.conn == sim.NoConn {
			r.watchClosed(env)
		}
		return
	}
	env.Cover(checkPanicked)
	if env.Noting() {
		env.Note(detectorPanics{r.check.version})
	}
	env.Writes(cellState, 0)
	r.leave(env)
	r.record.Panicked = true
	r.state = statePanicked
}

// same compares the temporary store with a list, in key order.
func (r *Informer) same(list []*wire.KeyValue) bool {
	if r.temporary.Len() != len(list) {
		return false
	}
	i := 0
	r.temporary.Ascend(func(kv *wire.KeyValue) bool {
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
