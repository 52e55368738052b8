package cache

import (
	"cmp"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/write"
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

// Options is a design of the cache: a value for each option of Group. The zero
// value is KEP-2340 as written, with the amounts of k8s.io/apiserver.
type Options struct {
	Reads            read.Options
	Writes           write.Options
	ProgressRequests progress.Requests
	Store            store.Options
	Checks           check.Options
	Ingestion        IngestionOptions
	Watches          dispatch.Options
	Guard            guard.Options
	Flow             flowcontrol.Options
	Library          LibraryOptions
	Shards           request.Shards
	Amounts
}

// Choices are the options with named values: in what designs differ.
var Choices = option.Join(
	option.Lift(read.Group, func(o *Options) *read.Options { return &o.Reads }), requesterOptions,
	request.ShardsGroup(func(o *Options) *request.Shards { return &o.Shards }),
	option.Lift(write.Group, func(o *Options) *write.Options { return &o.Writes }),
	option.Lift(store.Group, func(o *Options) *store.Options { return &o.Store }),
	option.Lift(check.Group, func(o *Options) *check.Options { return &o.Checks }),
	option.Lift(ingestionOptions, func(o *Options) *IngestionOptions { return &o.Ingestion }),
	option.Lift(dispatch.Group, func(o *Options) *dispatch.Options { return &o.Watches }),
	option.Lift(guard.Group, func(o *Options) *guard.Options { return &o.Guard }),
	option.Lift(flowcontrol.Group, func(o *Options) *flowcontrol.Options { return &o.Flow }),
	option.Lift(libraryOptions, func(o *Options) *LibraryOptions { return &o.Library }))

var requesterOptions = option.NewGroup("cache",
	option.Choice("progress-requests", func(o *Options) *progress.Requests { return &o.ProgressRequests },
		"when the cache asks etcd for progress",
		option.Val("periodic", "every 100 ms while a read waits"),
		option.Val("once", "once for each read that begins to wait (rejected by the draft of 2019)"),
		option.Val("notify", "never: etcd sends progress by itself at a configured interval (the draft of 2019)"),
		option.Val("echo", "with an id when a consistent read begins; the notification that echoes the id proves the watch as new as the read (the draft of 2019, Potential Future Improvements)")).
		Undrawn("a ticker of etcd may go off again and again in an untimed run", "notify"))

// Group is all options of the cache: the choices, then the amounts.
var Group = option.Join(Choices,
	option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }),
	option.Lift(flowcontrol.Amounts, func(o *Options) *flowcontrol.Options { return &o.Flow }))

// With returns the options with one of them set. The error names the option
// and what it takes.
func (o Options) With(name, value string) (Options, error) {
	err := Group.Set(&o, name, value)
	return o, err
}
