package request

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Shards is what becomes of a request for a shard (KEP-5866).
type Shards uint8

// The values of shards.
const (
	ShardsHonoured Shards = iota
	ShardsIgnored
	shardsToEnd
	shardsOfLastState
	shardsOfChanges
	shardsOfFirstPage
	shardsUnlessDelegated
)

// ShardsGroup returns the option, whose value is where at says.
func ShardsGroup[T any](at func(*T) *Shards) option.Group[T] {
	return option.NewGroup("cache", option.Choice("shards", at, "what becomes of the shardSelector of a LIST or WATCH (KEP-5866)",
		option.Val("honoured", "both have the objects of the shard, and the answer to a LIST says so (gate ShardedListAndWatch, on since Kubernetes 1.38)"),
		option.Val("ignored", "nothing: a server that does not know it, or has the gate off"),
		option.Bug("end-included", "the object with the hash at the end of the shard is in it, too: no release"),
		option.Bug("last-state", "a watch asks of an object's last state only whether it is in the shard: no release"),
		option.Bug("changes", "initial events are of all shards: no release"),
		option.Bug("first-page", "the pages after the first are of all shards: no release"),
		option.Bug("unless-delegated", "lists that etcd answers are of all shards: no release")))
}

// Heard is a request as the API server understands it.
func (s Shards) Heard(m *sim.Message) *sim.Message {
	if s != ShardsIgnored {
		return m
	}
	heard := *m
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		list := *p
		list.Selector.Shard, heard.Payload = wire.Shard{}, &list
	case *wire.WatchRequest:
		watch := *p
		watch.Selector.Shard, heard.Payload = wire.Shard{}, &watch
	}
	return &heard
}

// OfList is what a LIST selects in the cache, or in etcd's answer.
func (s Shards) OfList(list *wire.ListRequest, fromEtcd bool) wire.Selector {
	selector := s.of(list.Selector)
	if s == shardsUnlessDelegated && fromEtcd || s == shardsOfFirstPage && list.Continue != "" {
		selector.Shard = wire.Shard{}
	}
	return selector
}

// OfEvent is what a watch selects, and the event of which it does so.
func (s Shards) OfEvent(selector wire.Selector, initial bool, e *wire.WatchEvent) (wire.Selector, *wire.WatchEvent) {
	selector = s.of(selector)
	switch {
	case selector.Shard == (wire.Shard{}):
	case s == shardsOfChanges && initial:
		selector.Shard = wire.Shard{}
	case s == shardsOfLastState && e.Prev != nil:
		last := *e
		last.Prev, e = nil, &last
	}
	return selector, e
}

func (s Shards) of(selector wire.Selector) wire.Selector {
	if s == shardsToEnd && selector.Shard.To != 0 {
		selector.Shard.To++
	}
	return selector
}
