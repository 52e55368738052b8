package testbed

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

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

// Selects is what an informer follows, in the words of a watch.
func (n *Informer) Selects() *model.WatchRequest {
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
