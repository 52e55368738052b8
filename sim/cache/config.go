package cache

import (
	"cmp"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
)

// Config is what one cache is made of: its design, and how it is connected.
// Prefix, KV and Watch have no defaults.
type Config struct {
	Options
	// Prefix of the resource's keys; it ends in "/": "/registry/pods/".
	Prefix string
	// KV is the node that takes unary requests: etcd, or the client before it.
	KV sim.NodeID
	// Etcd is the member that takes RangeStreams, and Storage all that can be set of Kubernetes'
	// etcd3 watcher, for a node that brings a client library and a watcher of its own.
	Etcd    sim.NodeID
	Storage []option.Setting
	// Watch is the node that takes watches and progress requests: the client.
	Watch sim.NodeID
	// WatchEndpoints are the members of etcd that watch streams are opened at, one after the
	// other, for a node that brings a client library of its own. The Cache of this package
	// watches by Watch. CallsTakeTurns: its calls go to them, too.
	WatchEndpoints []sim.NodeID
	CallsTakeTurns bool
	// Endpoints is how many members of the etcd cluster the API server has in its
	// configuration, at most guard.MaxEndpoints: 1. The version check asks each.
	Endpoints int
	// Metadata goes with the watch and with progress requests, so that both
	// travel on one gRPC stream (the gate SeparateCacheWatchRPC).
	Metadata string
	// DelegatedMetadata goes with the watches that etcd serves for clients of this
	// resource. Upstream these have none, and each resource has an etcd client of its
	// own, so that they share a stream with no watch of another resource.
	DelegatedMetadata string
	// Compactor is the node that knows how far etcd is compacted; 0 if the API
	// server has none.
	Compactor sim.NodeID
	// Process are the nodes that go down when the cache panics, in the order in
	// which they start again; nil is the cache alone.
	Process []sim.NodeID

	// Fields are those by which lists and watches can be selected, none by default. One
	// of them at most is indexed.
	Fields []store.Field
}

func (c *Config) setDefaults() {
	c.Endpoints = min(cmp.Or(c.Endpoints, 1), guard.MaxEndpoints)
	c.Amounts.setDefaults()
}

// storeConfig is what the store is made of.
func (c *Cache) storeConfig() store.Config {
	return store.Config{
		Options: c.cfg.Store, Prefix: c.cfg.Prefix, Fields: c.cfg.Fields,
		RingCapacity: c.cfg.RingCapacity, RingCapacityMax: c.cfg.RingCapacityMax, EventFreshDuration: c.cfg.EventFreshDuration,
	}
}
