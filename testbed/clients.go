package testbed

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// clients are the nodes of the workload, in the order of their numbers.
type clients struct {
	// history are the clients that carry out a fixed program.
	history  []*workload.Client
	programs []plans.Program
	// compactors is what the compactors wrote, in the order of the calls.
	compactors []model.Operation
	// unmerged is the memory of appendOperations.
	unmerged [][]model.Operation
	// ended is the number of them, from the first on, that have ended: one that has
	// ended stays so.
	ended int

	watchers    []*workload.Watcher
	streams     []*workload.EtcdWatch
	streamPlans []workload.EtcdWatchPlan
	// informers come between the streams and the list watchers.
	listWatchers   []*workload.ListWatcher
	listWatchPlans []workload.ListWatchPlan
	pollers        []*workload.Poller
	pollerPlans    []workload.PollerPlan
	drawnWatchers  []*workload.DrawnWatcher
	drawnWatches   []workload.DrawWatches
}

// configureClients makes the clients. The informers have their place among them.
func (s *System) configureClients(stream func(*Params, int) workload.EtcdWatchPlan) {
	c, o, t := &s.clients, &s.params.Workload, s.topology
	c.programs = plans.Programs(o, t)
	for i, p := range c.programs {
		for k := range p.Steps {
			s.truth.Plan(p.Steps[k].Payload, p.Steps[k].Request)
		}
		c.history = append(c.history, new(workload.Client))
		s.names = append(s.names, p.Name)
		s.number(HistoryClient, i)
	}
	if t.Compactors {
		for i := range s.servers {
			s.names = append(s.names, topology.Numbered("compactor", i, len(s.servers)))
		}
	}
	for i := range o.Watchers {
		c.watchers = append(c.watchers, new(workload.Watcher))
		s.number(WatcherNode, i)
	}
	for i := range o.Streams {
		plan := stream(&s.params, i)
		plan.To = t.Watches
		c.streamPlans = append(c.streamPlans, plan)
		c.streams = append(c.streams, new(workload.EtcdWatch))
		s.number(StreamNode, i)
	}
	s.configureInformers()
	for i := range o.ListWatch.Clients {
		c.listWatchPlans = append(c.listWatchPlans, plans.ListWatch(o, t, i))
		c.listWatchers = append(c.listWatchers, new(workload.ListWatcher))
		s.number(ListWatcherNode, i)
	}
	for i := range o.Polling.Clients {
		c.pollerPlans = append(c.pollerPlans, plans.Polling(o, t, i, sim.Time(s.params.Faults.For)))
		c.pollers = append(c.pollers, new(workload.Poller))
		s.number(PollerNode, i)
	}
	for i := range o.Drawn.Watchers {
		c.drawnWatches = append(c.drawnWatches, plans.DrawnWatches(o, t, i))
		c.drawnWatchers = append(c.drawnWatchers, new(workload.DrawnWatcher))
		s.number(DrawnWatcherNode, i)
	}
	for i := range o.Unversioned {
		c.drawnWatches = append(c.drawnWatches, plans.UnversionedWatch(t, i))
		c.drawnWatchers = append(c.drawnWatchers, new(workload.DrawnWatcher))
		s.number(DrawnWatcherNode, o.Drawn.Watchers+i)
	}
	for i := range o.Present {
		c.drawnWatches = append(c.drawnWatches, plans.PresentWatches(o, t, i))
		c.drawnWatchers = append(c.drawnWatchers, new(workload.DrawnWatcher))
		s.number(DrawnWatcherNode, o.Drawn.Watchers+o.Unversioned+i)
	}
}

// DrawnWatchers are the clients that draw their watches of a cache, those that watch it
// without a resourceVersion, and those that watch it from now on.
func (s *System) DrawnWatchers() []*workload.DrawnWatcher { return s.clients.drawnWatchers }

// watcherRetries bounds how often a watcher starts again: enough for every
// fault of the catalogue.
const watcherRetries = 3

// buildClients adds the clients to the world of a run.
func (s *System) buildClients(w *sim.World) {
	c := &s.clients
	c.ended = 0
	for i, x := range c.history {
		x.Reset(c.programs[i].Name, i, c.programs[i].Steps, c.programs[i].Await)
		x.Draws(c.programs[i].Draw)
		w.Add(x.Name(), x)
	}
	for i, x := range c.watchers {
		x.Reset(topology.Numbered("watcher", i, len(c.watchers)), s.topology.Cache(i, i), topology.Prefix(i%s.topology.Resources),
			s.params.Workload.Leave, watcherRetries+s.params.Workload.Reading.Retries)
		x.Read(s.params.Workload.Reading.Of(i))
		x.TimeOut(int64(s.params.Workload.WatchFor / time.Second))
		if s.params.Workload.Drawn.Selectors {
			x.Select(plans.WatcherSelector(i))
		}
		w.Add(x.Name(), x)
	}
	for i, x := range c.streams {
		x.Reset(topology.Numbered("stream", i, len(c.streams)), c.streamPlans[i])
		w.Add(x.Name(), x)
	}
	for _, n := range s.informers {
		n.build(w)
	}
	for i, x := range c.listWatchers {
		x.Reset(topology.Numbered("list-watcher", i, len(c.listWatchers)), c.listWatchPlans[i])
		w.Add(x.Name(), x)
	}
	for i, x := range c.pollers {
		x.Reset(topology.Numbered("poller", i, len(c.pollers)), c.pollerPlans[i])
		w.Add(x.Name(), x)
	}
	for i, x := range c.drawnWatchers {
		x.Reset(s.drawnWatcherName(i), s.topology.Cache(i, i), s.params.Workload.AwaitReady, c.drawnWatches[i])
		w.Add(x.Name(), x)
	}
}

// drawnWatcherName: those that draw their watches come first.
func (s *System) drawnWatcherName(i int) string {
	o := &s.params.Workload
	if i < o.Drawn.Watchers {
		return topology.Numbered("any-watcher", i, o.Drawn.Watchers)
	}
	if i -= o.Drawn.Watchers; i < o.Unversioned {
		return topology.Numbered("unversioned-watcher", i, o.Unversioned)
	}
	return topology.Numbered("present-watcher", i-o.Unversioned, o.Present)
}

// appendOperations adds what the clients recorded and the compactors wrote, in the order of the calls. Each
// client's operations are in that order already, so they are merged: a sort would
// move each operation many times, at the end of every run.
func (c *clients) appendOperations(ops []model.Operation) []model.Operation {
	rest := c.unmerged[:0]
	if len(c.compactors) > 0 {
		rest = append(rest, c.compactors)
	}
	for _, x := range c.history {
		if recorded := x.Operations(); len(recorded) > 0 {
			rest = append(rest, recorded)
		}
	}
	for len(rest) > 0 {
		first := 0
		for i := range rest {
			if rest[i][0].Call < rest[first][0].Call {
				first = i
			}
		}
		ops = append(ops, rest[first][0])
		if rest[first] = rest[first][1:]; len(rest[first]) == 0 {
			rest[first] = rest[len(rest)-1]
			rest = rest[:len(rest)-1]
		}
	}
	c.unmerged = rest
	return ops
}

// programsEnded reports whether the clients of the history and those that speak
// etcd's watch protocol are done.
func (c *clients) programsEnded() bool {
	for ; c.ended < len(c.history); c.ended++ {
		if !c.history[c.ended].Done() {
			return false
		}
	}
	for _, x := range c.streams {
		if !x.Done() {
			return false
		}
	}
	return true
}

// listWatchersEnded: all have had their rounds.
func (c *clients) listWatchersEnded() bool {
	return !slices.ContainsFunc(c.listWatchers, func(x *workload.ListWatcher) bool { return !x.Done() })
}

// Clients are those of the history, in its order.
func (s *System) Clients() []*workload.Client { return s.clients.history }

// Watchers are the clients that watch a cache.
func (s *System) Watchers() []*workload.Watcher { return s.clients.watchers }

// Streams are the clients that speak etcd's watch protocol themselves.
func (s *System) Streams() []*workload.EtcdWatch { return s.clients.streams }

// ListWatchers are the clients that ask for initial events.
func (s *System) ListWatchers() []*workload.ListWatcher { return s.clients.listWatchers }

// Pollers are the clients that list again and again.
func (s *System) Pollers() []*workload.Poller { return s.clients.pollers }
