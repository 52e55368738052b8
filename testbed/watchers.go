package testbed

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// watcherRetries bounds how often a watcher starts again: enough for every
// fault of the catalogue.
const watcherRetries = 3

// configureWatchers makes the clients that watch a cache.
func (s *System) configureWatchers() {
	for range s.params.Watchers {
		s.watchers = append(s.watchers, new(workload.Watcher))
		s.number()
	}
}

func (s *System) buildWatchers(w *sim.World) {
	for i, r := range s.watchers {
		r.Reset(topology.Numbered("watcher", i, len(s.watchers)), s.topology.Cache(i, i), topology.Prefix(i%s.topology.Resources), s.params.Leave, watcherRetries)
		w.Add(r.Name(), r)
	}
}

// Watchers are the clients that watch a cache.
func (s *System) Watchers() []*workload.Watcher { return s.watchers }
