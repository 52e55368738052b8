package testbed

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
)

// faults are what may break in a run, in the order in which they are added to the
// world.
type faults []plannedFault

type plannedFault struct {
	fault  sim.Fault
	budget sim.Budget
}

func (f *faults) add(fault sim.Fault, b sim.Budget) {
	if b.Times > 0 {
		*f = append(*f, plannedFault{fault, b})
	}
}

func (f faults) build(w *sim.World) {
	for _, x := range f {
		w.AddFault(x.fault, x.budget)
	}
}

// times is a budget for the safety phase.
func (s *System) times(n int) sim.Budget { return sim.Budget{Times: n, Within: s.params.FaultsFor} }

// share is the part of a number of faults that falls to the i-th of so many
// processes: they are spread evenly, and the first ones take the rest.
func (s *System) share(total, i, processes int) sim.Budget {
	n := total / processes
	if i < total%processes {
		n++
	}
	return s.times(n)
}

// planFaults spreads the faults over the processes.
func (s *System) planFaults() error {
	s.planInformerFaults()
	p, f, servers := &s.params, &s.faults, len(s.servers)
	for i, server := range s.servers {
		label := topology.Numbered("cache", i, servers)
		f.add(&sim.BreakStream{From: server.Client, To: s.topology.Watches, Label: topology.Numbered("client", i, servers) + ">etcd"},
			s.share(p.Breaks, i, servers))
		f.add(&sim.RestartProcess{Nodes: server.Nodes(), Label: label}, s.share(p.Restarts, i, servers))
		f.add(&cache.RecreateStorage{Node: server.Caches[0], Label: label}, s.share(p.Recreations, i, servers))
	}
	for i, server := range s.servers {
		f.add(&sim.LoseMessage{From: server.Client, To: server.Caches[0], Label: "event of " + s.topology.CacheName(i, 0), Match: isChange},
			s.share(p.LostEvents, i, servers))
	}
	f.add(&sim.RestartProcess{Nodes: []sim.NodeID{s.topology.Etcd}, Label: "etcd"}, s.times(p.EtcdRestarts))
	f.add(&etcd.InstallSnapshot{Node: s.topology.Etcd, Label: "etcd"}, s.times(p.Snapshots))
	return s.planMemberFaults()
}

// isChange reports whether a message is an event that changes an object.
func isChange(p sim.Payload) bool {
	e, ok := p.(*wire.WatchEvent)
	return ok && slices.Contains([]wire.WatchEventType{wire.Added, wire.Modified, wire.Deleted}, e.Type)
}

// planInformerFaults spreads the faults of informers over them.
func (s *System) planInformerFaults() {
	p, total := &s.params, len(s.informers)
	for i, n := range s.informers {
		f := &breakWatch{label: n.Name}
		for _, to := range n.config.Servers {
			f.streams = append(f.streams, sim.BreakStream{From: n.ID, To: to})
		}
		s.faults.add(f, s.share(p.InformerBreaks, i, total))
		s.faults.add(&sim.RestartProcess{Nodes: []sim.NodeID{n.ID}, Label: n.Name}, s.share(p.InformerRestarts, i, total))
	}
}

// planMemberFaults is about etcd as a cluster, and about the watch of the first
// API server, which may be clogged.
func (s *System) planMemberFaults() error {
	g, f, etcdNode := &s.params.Guard, &s.faults, s.topology.Etcd
	if g.Clog {
		f.add(&etcd.Clog{Node: etcdNode, Label: "etcd>" + topology.Numbered("client", 0, len(s.servers)),
			From: s.servers[0].Client, Until: sim.Time(s.params.FaultsFor)}, s.times(1))
	}
	f.add(&etcd.Failover{Node: etcdNode, Label: "etcd"}, s.times(g.Failovers))
	if g.Downgrade != "" {
		to, err := s.params.member(g.Downgrade, false)
		if err != nil {
			return err
		}
		f.add(&etcd.Downgrade{Node: etcdNode, Label: "etcd", To: to}, s.times(1))
	}
	return nil
}

// breakWatch breaks the watch of an informer, to whichever API server it leads.
type breakWatch struct {
	streams []sim.BreakStream
	label   string
}

// Name implements sim.Fault.
func (f *breakWatch) Name() string { return "break watch of " + f.label }

// Ready implements sim.Fault.
func (f *breakWatch) Ready(w *sim.World) bool {
	for i := range f.streams {
		if f.streams[i].Ready(w) {
			return true
		}
	}
	return false
}

// Strike implements sim.Fault.
func (f *breakWatch) Strike(env *sim.Env) {
	for i := range f.streams {
		f.streams[i].Strike(env)
	}
}
