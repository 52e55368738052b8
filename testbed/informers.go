package testbed

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
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
	return s.truth.CompareSelected(n.Name, version, n.Selection(), contents)
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

// ShardOptions say how informers divide the objects among themselves (KEP-5866).
type ShardOptions struct {
	By ShardKey
	// Moves is how often the bounds move while informers follow, each of which learns of it at a time of its own.
	Moves int
}

// ShardKey is the field whose hash says which informer follows an object.
type ShardKey uint8

// The keys. The uid of an object and its namespace, which are those of the KEP, never change.
const (
	Unsharded ShardKey = iota
	ByUID
	ByWriter
)

var shardGroup = option.NewGroup("informers",
	option.Choice("informer-shards", func(o *ShardOptions) *ShardKey { return &o.By }, "the field by whose hash informers divide the objects among themselves (KEP-5866)",
		option.Off("none", "none: each follows all objects"),
		option.Val("uid", "the uid, which no object changes"),
		option.Val("writer", "the indexed field, which changes as spec.nodeName does: the KEP thinks of such keys for later")),
	option.Count("informer-reshards", func(o *ShardOptions) *int { return &o.Moves }, "", "with informer-shards: times that the bounds of shards move while informers follow"))

// shard has an informer follow its part of the objects: as many informers as there are of its resource have the others.
func (s *System) shard(c *informer.Config, i int) {
	o := &s.params.Informers
	resources := s.topology.Resources
	place, of := i/resources, (o.Count-i%resources+resources-1)/resources
	if o.Shards.By == Unsharded || of < 2 {
		return
	}
	by := wire.Shard{}
	c.ShardKey = (*wire.KeyValue).UID
	if o.Shards.By == ByWriter {
		by.By, c.ShardKey = workload.IndexedField, writerOf
	}
	for move := range o.Shards.Moves + 1 {
		bounds := s.shardBounds(c, of, move)
		by.From, by.To = bounds[place], bounds[place+1]
		c.Shards = append(c.Shards, by)
	}
}

// shardBounds divide all hashes: behind the last move, and each second one before it, at hashes that objects have,
// where one more or less shows; in between into equal parts. The last bound is 0.
func (s *System) shardBounds(c *informer.Config, of, move int) []uint64 {
	var hashes []uint64
	for _, kv := range s.etcd.config.Initial {
		if strings.HasPrefix(kv.Key, c.Prefix) {
			hashes = append(hashes, wire.HashOf(c.ShardKey(kv)))
		}
	}
	if s.params.Informers.Shards.By == ByWriter {
		for i := range s.params.Workload.Writers {
			hashes = append(hashes, wire.HashOf("w"+strconv.Itoa(i+1)))
		}
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	bounds := make([]uint64, of+1)
	for i := 1; i < of; i++ {
		if (s.params.Informers.Shards.Moves-move)%2 == 0 && len(hashes) >= of {
			bounds[i] = hashes[i*len(hashes)/of]
		} else {
			bounds[i] = uint64(i) * (math.MaxUint64 / uint64(of))
		}
	}
	return bounds
}

// Selection is what an informer follows, in the words of a watch.
func (n *Informer) Selection() *model.WatchRequest {
	return &model.WatchRequest{
		Key: n.config.Prefix, End: model.PrefixEnd(n.config.Prefix), Values: workload.Values(wire.Selector{Shard: n.Shard()}),
	}
}

// ShardsOf are the informers that divide the objects of one's resource among themselves, nil if they do not.
func (s *System) ShardsOf(one *Informer) (all []*Informer) {
	for _, n := range s.informers {
		if n.Prefix() == one.Prefix() && len(n.config.Shards) > 0 {
			all = append(all, n)
		}
	}
	return all
}
