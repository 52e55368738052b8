package testbed

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// clients are the nodes of the workload.
type clients struct {
	// history are the clients that carry out a fixed program.
	history fleet[*workload.Client]
	// compactors is what the compactors wrote, in the order of the calls.
	compactors []model.Operation
	// unmerged is the memory of appendOperations.
	unmerged [][]model.Operation
	// ended is the number of those of the history, from the first on, that have ended: one that has
	// ended stays so.
	ended int

	watchers     fleet[*workload.Watcher]
	streams      fleet[*workload.EtcdWatch]
	listWatchers fleet[*workload.ListWatcher]
	pollers      fleet[*workload.Poller]
	// drawnWatchers are those that draw their watches, then those without a resourceVersion, then those that watch from
	// now on.
	drawnWatchers fleet[*workload.DrawnWatcher]
	// all are the fleets by part, in the order of the numbers of the nodes.
	all [DrawnWatcherNode + 1]aFleet
}

// fleet is the clients of one part, in the order of their places.
type fleet[T sim.Node] struct {
	nodes []T
	// building puts each of them into the world of a run.
	building []func(x T, w *sim.World)
}

type aFleet interface {
	build(w *sim.World)
	adopt(place int, n sim.Node)
}

func (f *fleet[T]) build(w *sim.World) {
	for i, x := range f.nodes {
		f.building[i](x, w)
	}
}

func (f *fleet[T]) adopt(place int, n sim.Node) { f.nodes[place] = n.(T) }

// join adds a client to a fleet: reset makes it a new one for a run.
func join[T any, P interface {
	*T
	sim.Node
}](s *System, f *fleet[P], part Part, name string, reset func(x P, name string)) {
	s.clients.all[part] = f
	s.number(part, len(f.nodes))
	made := P(new(T))
	reset(made, name)
	s.checkRequests(name, made)
	f.nodes = append(f.nodes, made)
	f.building = append(f.building, func(x P, w *sim.World) {
		reset(x, name)
		w.Add(name, x)
	})
}

// Unanswered is a client's request that the design of a cache has no answer for.
type Unanswered struct{ Design, client, kind, request string }

func (u *Unanswered) Error() string {
	return fmt.Sprintf("the cache design %s has no answer for %s (%s: %s)", u.Design, u.kind, u.client, u.request)
}

// checkRequests keeps the first request of a client that the design of the cache has no answer for.
func (s *System) checkRequests(client string, x sim.Node) {
	answersAll := func(of *Server) bool { return of.Design.Refuses == nil }
	asks, ok := x.(interface {
		VisitAsked(visit func(to sim.NodeID, p sim.Payload))
	})
	if !ok || s.unanswered != nil || !slices.ContainsFunc(s.caches, func(c *Cache) bool { return !slices.ContainsFunc(c.servers, answersAll) }) {
		return
	}
	asks.VisitAsked(func(to sim.NodeID, p sim.Payload) {
		if int(to) >= len(s.roles) || s.Cache(to) == nil {
			return
		}
		for _, of := range s.Cache(to).servers {
			if s.unanswered != nil || answersAll(of) {
				continue
			}
			if kind := of.Design.Refuses(p); kind != "" {
				s.unanswered = &Unanswered{of.Design.Name, client, kind, p.Label()}
			}
		}
	})
}

// watcherRetries bounds how often a watcher starts again: enough for every
// fault of the catalogue.
const watcherRetries = 3

// checkClients refuses what a scenario's own clients cannot be: their names tell stories and histories apart.
func (s *System) checkClients() error {
	for i, name := range s.names {
		if name == "" || slices.Contains(s.names[:i], name) {
			return fmt.Errorf("Clients of the scenario %s: the name %q is empty or taken; give each client a name of its own", s.scenario.Name, name)
		}
	}
	return nil
}

// configureClients makes the clients. The informers have their place among them.
func (s *System) configureClients() {
	c, o, t := &s.clients, &s.params.Workload, s.topology
	programs := plans.Programs(o, t)
	if own := s.scenario.Clients; own != nil {
		programs = append(programs, own(&s.params, t)...)
	}
	for i, p := range programs {
		for k := range p.Steps {
			s.truth.Plan(p.Steps[k].Payload, p.Steps[k].Request)
		}
		s.names = append(s.names, p.Name)
		join(s, &c.history, HistoryClient, p.Name, func(x *workload.Client, name string) {
			x.Reset(name, i, p.Steps, p.Await)
			x.SetDraw(p.Draw)
		})
	}
	if t.Compactors {
		for i := range s.servers {
			s.names = append(s.names, topology.Numbered("compactor", i, len(s.servers)))
		}
	}
	for i := range o.Watchers {
		join(s, &c.watchers, WatcherNode, topology.Numbered("watcher", i, o.Watchers), func(x *workload.Watcher, name string) {
			x.Reset(name, t.Cache(i, i), topology.Prefix(i%t.Resources), o.Leave, watcherRetries+o.Reading.Retries)
			x.Read(o.Reading.Of(i))
			x.TimeOut(int64(o.WatchFor / time.Second))
			if o.Drawn.Selectors {
				x.Select(plans.WatcherSelector(o, t, i))
			}
		})
	}
	for i := range o.Streams {
		plan := plans.EveryWatch(o.FirstRevision(), i)
		if own := s.scenario.Stream; own != nil {
			plan = own(&s.params, i)
		}
		plan.To = t.WatchEndpoints(i)[0]
		join(s, &c.streams, StreamNode, topology.Numbered("stream", i, o.Streams), func(x *workload.EtcdWatch, name string) { x.Reset(name, plan) })
	}
	s.configureInformers()
	for i := range o.ListWatch.Clients {
		plan := plans.ListWatch(o, t, i)
		join(s, &c.listWatchers, ListWatcherNode, topology.Numbered("list-watcher", i, o.ListWatch.Clients), func(x *workload.ListWatcher, name string) { x.Reset(name, plan) })
	}
	for i := range o.Polling.Clients {
		plan := plans.Polling(o, t, i, sim.Time(s.params.Faults.For))
		join(s, &c.pollers, PollerNode, topology.Numbered("poller", i, o.Polling.Clients), func(x *workload.Poller, name string) { x.Reset(name, plan) })
	}
	for i := range o.Drawn.Watchers {
		s.joinDrawn(topology.Numbered("any-watcher", i, o.Drawn.Watchers), plans.DrawnWatches(o, t, i))
	}
	for i := range o.Unversioned {
		s.joinDrawn(topology.Numbered("unversioned-watcher", i, o.Unversioned), plans.UnversionedWatch(t, i))
	}
	for i := range o.Present {
		s.joinDrawn(topology.Numbered("present-watcher", i, o.Present), plans.PresentWatches(o, t, i))
	}
}

// joinDrawn adds a client with these watches of a cache.
func (s *System) joinDrawn(name string, draw workload.DrawWatches) {
	i := len(s.clients.drawnWatchers.nodes)
	join(s, &s.clients.drawnWatchers, DrawnWatcherNode, name, func(x *workload.DrawnWatcher, name string) {
		x.Reset(name, s.topology.Cache(i, i), s.params.Workload.AwaitReady, draw)
	})
}

// buildClients adds the clients to the world of a run.
func (s *System) buildClients(w *sim.World) {
	s.clients.ended = 0
	for _, f := range s.clients.all {
		if f != nil {
			f.build(w)
		}
	}
}

// appendOperations adds what the clients recorded and the compactors wrote, in the order of the calls. Each
// client's operations are in that order already, so they are merged: a sort would
// move each operation many times, at the end of every run.
func (c *clients) appendOperations(ops []model.Operation) []model.Operation {
	rest := c.unmerged[:0]
	if len(c.compactors) > 0 {
		rest = append(rest, c.compactors)
	}
	for _, x := range c.history.nodes {
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
	for ; c.ended < len(c.history.nodes); c.ended++ {
		if !c.history.nodes[c.ended].Done() {
			return false
		}
	}
	return !slices.ContainsFunc(c.streams.nodes, func(x *workload.EtcdWatch) bool { return !x.Done() })
}

// listWatchersEnded: all have had their rounds.
func (c *clients) listWatchersEnded() bool {
	return !slices.ContainsFunc(c.listWatchers.nodes, func(x *workload.ListWatcher) bool { return !x.Done() })
}

// Clients are those of the history, in its order.
func (s *System) Clients() []*workload.Client { return s.clients.history.nodes }

// Watchers are the clients that watch a cache.
func (s *System) Watchers() []*workload.Watcher { return s.clients.watchers.nodes }

// Streams are the clients that speak etcd's watch protocol themselves.
func (s *System) Streams() []*workload.EtcdWatch { return s.clients.streams.nodes }

// ListWatchers are the clients that ask for initial events.
func (s *System) ListWatchers() []*workload.ListWatcher { return s.clients.listWatchers.nodes }

// Pollers are the clients that list again and again.
func (s *System) Pollers() []*workload.Poller { return s.clients.pollers.nodes }

// DrawnWatchers are the clients that draw their watches of a cache, those that watch it
// without a resourceVersion, and those that watch it from now on.
func (s *System) DrawnWatchers() []*workload.DrawnWatcher { return s.clients.drawnWatchers.nodes }
