package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
)

func init() {
	dispatch.OldestWatches.Register("off-by-one", "from one before it, whose event the watcher then misses (kubernetes#49956)",
		func(env *sim.Env, s *store.Store) int64 {
			if s.HistoryLen(env) == 0 {
				return s.OldestWatch(env) - 1
			}
			return s.OldestWatch(env)
		})
	dispatch.OldestWatches.Register("takes-any", "from anywhere, with the events between missing (etcd#20488)",
		func(env *sim.Env, s *store.Store) int64 {
			if s.HistoryLen(env) == 0 {
				return -1
			}
			return s.OldestWatch(env)
		})
	dispatch.Registrations.Register("unchecked", "it is registered and misses what happened in between (kubernetes#116122)",
		func(int, dispatch.Readiness) bool { return true })
	dispatch.Teardowns.Register("strands-watches", "they stay open and are sent nothing (kubernetes#78029)",
		func(env *sim.Env, w *dispatch.Watcher) {
			env.Cover(watchStranded)
			if env.Noting() {
				env.Note(stranded{w.From()})
			}
		})
}

var watchStranded = sim.NewSituation("cache: watch left open by a cache that was replaced")

// stranded: a watch stays open whose cache is replaced.
type stranded struct{ from sim.NodeID }

// Text implements sim.Note.
func (n stranded) Text(w *sim.World) string {
	return "is replaced by a new cache, and leaves the watch of " + w.NodeName(n.from) + " open"
}
