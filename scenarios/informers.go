package scenarios

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

// The ways in which informers list.
const (
	listWatch = "list-watch"
	watchList = "watch-list"
)

// informers are the informers of a system and what breaks them.
type informers struct {
	nodes   []*informer.Informer
	configs []informer.Config
	// first is the number of the first one among the world's nodes.
	first  sim.NodeID
	faults []plannedFault
	judged informerJudge
}

// configure makes the informers and spreads them over API servers and resources.
func (n *informers) configure(s *System) {
	p := &s.params
	for i := range p.Informers {
		c := informer.Config{
			Prefix: prefixOf(i % p.resources()), WatchList: p.InformerList == watchList,
			InitialResourceVersion: p.informerVersion(), PageSize: int64(p.InformerPage),
			ConsistencyDetector: p.InformerCheck, AwaitReady: p.AwaitReady,
			NewestAfterExpired: p.InformerNewest, NotOlderThan: p.InformerNotOlder,
		}
		for j := range s.servers {
			c.Servers = append(c.Servers, s.cacheNode(i+j, i))
		}
		n.configs = append(n.configs, c)
		n.nodes = append(n.nodes, informer.New(c))
	}
}

// informerVersion is what a process asks for first: what client-go does if
// nothing else is set.
func (p *Params) informerVersion() int64 {
	if p.InformerRV == "unset" || p.InformerRV == "" && p.InformerList == watchList {
		return wire.Unset
	}
	return 0
}

func (n *informers) build(s *System, w *sim.World) {
	for i, r := range n.nodes {
		r.Reset(n.configs[i])
		id := w.Add(numbered("informer", i, len(n.nodes)), r)
		if i == 0 && n.first == 0 {
			n.first = id
			n.planFaults(s)
		}
	}
	for _, f := range n.faults {
		w.AddFault(f.fault, f.budget)
	}
	n.judged.reset(s)
}

// planFaults spreads the faults evenly over the informers.
func (n *informers) planFaults(s *System) {
	p := &s.params
	for i := range n.nodes {
		id, name := n.first+sim.NodeID(i), numbered("informer", i, len(n.nodes))
		share := func(total int) sim.Budget {
			times := total / len(n.nodes)
			if i < total%len(n.nodes) {
				times++
			}
			return sim.Budget{Times: times, Within: p.FaultsFor}
		}
		if b := share(p.InformerBreaks); b.Times > 0 {
			f := &breakWatch{label: name}
			for _, to := range n.configs[i].Servers {
				f.streams = append(f.streams, sim.BreakStream{From: id, To: to})
			}
			n.faults = append(n.faults, plannedFault{f, b})
		}
		if b := share(p.InformerRestarts); b.Times > 0 {
			n.faults = append(n.faults, plannedFault{&sim.RestartProcess{Nodes: []sim.NodeID{id}, Label: name}, b})
		}
	}
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

func checkInformerList(v string) error {
	switch v {
	case "", listWatch, watchList:
		return nil
	}
	return fmt.Errorf("informer-list=%s: want %s or %s", v, listWatch, watchList)
}

func checkInformerRV(v string) error {
	switch v {
	case "", "0", "unset":
		return nil
	}
	return fmt.Errorf("informer-rv=%s: want 0, unset, or nothing for client-go's own", v)
}
