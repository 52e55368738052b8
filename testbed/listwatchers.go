package testbed

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// WatchListParams are about raw clients that ask for initial events (KEP-3157).
type WatchListParams struct {
	// Clients is how many there are, Rounds how often each asks.
	Clients, Rounds int
	// RV is the resourceVersion that they ask for: "unset", "0", "given" (the newest
	// that the client knows), or "every": one way after the other.
	RV string
	// Slow clients take one event at a time, Pace apart when timed.
	Slow bool
	Pace time.Duration
	// Cap bounds the channel of a watcher, in bytes of keys and values, where
	// initial-events-buffer=cap; 0 is 2 MB.
	Cap int
	// Within is how soon the end has to come for watch-list-ends; 0 derives it from
	// the declared delays.
	Within time.Duration
}

var watchListSettings = []setting{
	intSetting("list-watchers", "clients that ask for initial events", func(p *Params) *int { return &p.WatchList.Clients }),
	intSetting("list-rounds", "times that each of them asks", func(p *Params) *int { return &p.WatchList.Rounds }),
	textSetting("list-rv", "resourceVersion that they ask for: unset, 0, given, every",
		func(p *Params) *string { return &p.WatchList.RV }, checkListRV),
	boolSetting("list-slow", "they take one event at a time", func(p *Params) *bool { return &p.WatchList.Slow }),
	durationSetting("list-pace", "time between two of these, timed", func(p *Params) *time.Duration { return &p.WatchList.Pace }),
	intSetting("list-cap", "bytes of keys and values in the channel of a watcher with initial-events-buffer=cap (0: 2 MB)", func(p *Params) *int { return &p.WatchList.Cap }),
	durationSetting("list-within", "how soon initial events have to end, timed (0: derived from the delays)", func(p *Params) *time.Duration { return &p.WatchList.Within }),
}

func checkListRV(v string) error {
	if _, ok := listVersions[v]; !ok {
		return fmt.Errorf("list-rv=%s: want unset, 0, given or every", v)
	}
	return nil
}

var listVersions = map[string][]int64{
	"": {wire.Unset}, "unset": {wire.Unset}, "0": {0}, "given": {workload.Given}, "every": {wire.Unset, 0, workload.Given},
}

// listRetries is how often a client asks again that was not sent the end: enough
// for every fault of the catalogue.
const listRetries = 8

// configureListWatchers makes the clients that ask for initial events.
func (s *System) configureListWatchers() {
	p := &s.params
	for i := range p.WatchList.Clients {
		plan := workload.ListWatchPlan{
			Prefix: topology.Prefix(i % s.topology.Resources), First: s.etcd.initial.Revision, Rounds: p.WatchList.Rounds, Retries: listRetries,
			Slow: p.WatchList.Slow, Pace: p.WatchList.Pace, Follow: s.think(), AwaitReady: p.AwaitReady,
		}
		versions := listVersions[p.WatchList.RV]
		for j := range versions {
			plan.Versions = append(plan.Versions, versions[(i+j)%len(versions)])
		}
		for j := range s.servers {
			plan.To = append(plan.To, s.topology.Cache(i+j, i))
		}
		s.listWatchPlans = append(s.listWatchPlans, plan)
		s.listWatchers = append(s.listWatchers, new(workload.ListWatcher))
		s.number()
	}
}

func (s *System) buildListWatchers(w *sim.World) {
	for i, c := range s.listWatchers {
		c.Reset(topology.Numbered("list-watcher", i, len(s.listWatchers)), s.listWatchPlans[i])
		w.Add(c.Name(), c)
	}
}

// ListWatchers are the clients that ask for initial events.
func (s *System) ListWatchers() []*workload.ListWatcher { return s.listWatchers }

// listWatchersDone: all have had their rounds.
func (s *System) listWatchersDone() bool {
	return !slices.ContainsFunc(s.listWatchers, func(c *workload.ListWatcher) bool { return !c.Done() })
}
