package testbed

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed/topology"
)

// InformerOptions say how many informers there are, and what each of them is.
type InformerOptions struct {
	informer.Options
	Shards ShardOptions
	// Count is how many there are.
	Count int
	// ObjectBytes is the size of each object where memory is counted; 0 counts
	// nothing.
	ObjectBytes int
}

var informerGroup = option.Join(
	option.NewGroup("informers",
		option.Count("informers", func(o *InformerOptions) *int { return &o.Count }, "", "reflectors that follow a cache (client-go)")),
	option.Lift(informer.Group, func(o *InformerOptions) *informer.Options { return &o.Options }),
	option.Lift(shardGroup, func(o *InformerOptions) *ShardOptions { return &o.Shards }),
	option.NewGroup("informers",
		option.Count("object-bytes", func(o *InformerOptions) *int { return &o.ObjectBytes }, "nothing is counted", "size of an object where memory is counted, timed")),
)

// Informer is a reflector of a system that follows a cache.
type Informer struct {
	*informer.Informer
	ID     sim.NodeID
	Name   string
	config informer.Config
	// compared says at which of its states and at which revision of etcd current
	// was found out.
	compared comparison
	current  bool
}

type comparison struct {
	record            informer.Record
	version, revision int64
	// changes is that of a shared informer.
	changes int
}

// configureInformers spreads the informers over API servers and resources.
func (s *System) configureInformers() {
	o := &s.params.Informers
	for i := range o.Count {
		c := informer.Config{Options: o.Options, Deviations: s.nodes.Informers, Prefix: topology.Prefix(i % s.topology.Resources), AwaitReady: s.params.Workload.AwaitReady}
		for j := range s.servers {
			c.Servers = append(c.Servers, s.topology.Cache(i+j, i))
		}
		s.shard(&c, i)
		n := &Informer{Informer: informer.New(c), ID: s.number(InformerNode, i), Name: topology.Numbered("informer", i, o.Count), config: c}
		s.checkRequests(n.Name, n.Informer)
		s.informers = append(s.informers, n)
	}
	s.clients.all[InformerNode] = informers{s}
}

// informers are a fleet.
type informers struct{ *System }

func (s informers) build(w *sim.World) {
	for _, n := range s.informers {
		n.Reset(n.config)
		w.Add(n.Name, n.Informer)
		n.compared, n.current = comparison{}, false
	}
}

func (s informers) adopt(place int, n sim.Node) {
	s.informers[place].Informer, s.informers[place].compared = n.(*informer.Informer), comparison{}
}

// Servers are the caches that the informer connects to, one after the other.
func (n *Informer) Servers() []sim.NodeID { return n.config.Servers }

// Prefix is that of the keys that the informer follows.
func (n *Informer) Prefix() string { return n.config.Prefix }

// Informers are in the order of their nodes.
func (s *System) Informers() []*Informer { return s.informers }

// InformersAfter are the informers that may have changed in a step: one if the
// step was its own, all after a fault.
func (s *System) InformersAfter(a sim.Action) []*Informer {
	if len(s.informers) == 0 || a.Kind == sim.Inject {
		return s.informers
	}
	if i := int(a.Node - s.informers[0].ID); i >= 0 && i < len(s.informers) {
		return s.informers[i : i+1]
	}
	return nil
}

// StreamsAtOnce reports whether the informer asks for a WatchList in its first
// step, before anything can be committed.
func (n *Informer) StreamsAtOnce() bool {
	return n.config.List == informer.ByWatchList && !n.config.AwaitReady
}

// Compare compares what an informer holds with etcd at the same revision.
func (s *System) Compare(n *Informer, version int64, contents TruthContents) *Difference {
	return s.truth.CompareSelected(n.Name, version, n.Selects(), contents)
}

// Current reports whether an informer holds the store as etcd has it now.
func (s *System) Current(n *Informer) bool {
	if at := (comparison{*n.Record(), n.ResourceVersion(), s.truth.Revision(), n.Changes()}); at != n.compared {
		n.compared = at
		n.current = n.Synced() && s.Compare(n, at.revision, n.Ascend) == nil
	}
	return n.current
}

// informersDone: every informer that lives has what there is, and so have its handlers.
func (s *System) informersDone() bool {
	return !slices.ContainsFunc(s.informers, func(n *Informer) bool { return !s.Current(n) && !n.Record().Panicked || !n.HandlersDone() })
}

// Changes counts the changes of the store of a shared informer; it is 0 for another one.
func (n *Informer) Changes() int {
	if s := n.Shared(); s != nil {
		return s.Changes()
	}
	return 0
}

// HandlersDone reports whether the handlers of a shared informer have been told of all that is in its store, and
// its program has done all that it does.
func (n *Informer) HandlersDone() bool {
	s := n.Shared()
	if s == nil {
		return true
	}
	if !s.Acted() || !s.Idle() || s.Queued() > 0 || n.Controller() != nil && !n.Controller().Idle() {
		return false
	}
	for _, h := range s.Handlers() {
		if !h.Removed() && (!h.HasSynced() || h.Pending() > 0) {
			return false
		}
	}
	return true
}
