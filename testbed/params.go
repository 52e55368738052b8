package testbed

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed/topology"
)

// Params are everything that, with the choices, makes a run. Every field is a
// setting with a name, so that a recording holds them all, expanded, and a
// person can change each one.
type Params struct {
	// Etcd and Client are versions, Cache is a design.
	Etcd, Client, Cache string
	// Bugs are values of single behaviour dimensions, set on top of the version
	// or design: by the name of a bug, or as dimension=value.
	Bugs []string
	// Settings are values of dimensions, as dimension=value, that a scenario sets
	// on top of the version or design. Bugs override them.
	Settings []string
	// Unmask names the options of races that are not masked: see Races.
	Unmask []string
	Mode   sim.Mode

	Writers, Writes int
	// Txns and Deletes are among the writes, beside puts; Wide ones change all
	// watched keys at one revision.
	Txns, Deletes, Wide  bool
	Noise, NoiseWrites   int
	Readers, Reads, Gets int
	// Read is what readers ask for: "consistent", "any" (resourceVersion 0),
	// "not-older" (the revision of the initial contents or later), or "every":
	// one way after the other; or "pages", the newest state page by page; or
	// "past", earlier states exactly and in pages.
	Read string
	// AsConsistent holds reads to what consistent ones promise, whatever they
	// asked for.
	AsConsistent bool
	// AwaitReady makes clients of a cache begin when it is ready, as behind a
	// load balancer that asks /readyz.
	AwaitReady bool
	// AtRest makes an untimed run begin when the caches have listed and watch.
	AtRest bool
	// Move makes readers go to the next cache with every read.
	Move bool
	// OwnReaders write a key and then list it, Rounds times.
	OwnReaders, Rounds int
	// Leave is after how many events a watcher leaves and watches again; 0 is
	// never.
	Watchers, Leave int
	// Caches is how many API servers there are, Resources how many caches each
	// of them has: one for each kind of object. SharedStream has those watch on
	// one gRPC stream (kubernetes/kubernetes#114458).
	Caches, Resources int
	SharedStream      bool
	// Lagging has the watches served by a member of etcd that applies what the
	// leader commits when it hears of it.
	Lagging bool
	Keys    int
	// Items is how many keys exist before the run, History how many revisions
	// of them came after the first.
	Items, History int

	// Informers is how many reflectors follow a cache. InformerList is how they
	// list, "list-watch" or "watch-list"; InformerRV what a process asks for
	// first, "0" or "unset", or "" for what client-go asks for; InformerPage the
	// objects in a page. InformerCheck switches their consistency detector on.
	Informers                int
	InformerList, InformerRV string
	InformerPage             int
	InformerCheck            bool
	// InformerNewest makes informers ask for the newest state as soon as a watch
	// has ended with 410, InformerNotOlder makes their lists say in so many words
	// that a resourceVersion is the least that they want.
	InformerNewest, InformerNotOlder bool
	// ObjectBytes is what each object weighs where memory is counted; 0 counts
	// nothing.
	ObjectBytes int

	// Streams is how many clients speak etcd's watch protocol themselves.
	Streams int

	Breaks, Restarts, EtcdRestarts, Snapshots, Compactions int
	// Recreations is how often a cache is replaced by a new one in the same
	// process, as that of a custom resource whose definition changes.
	Recreations int
	// Namespaces is how many namespaces the watched keys are in; 0 is none. Lists
	// are of one of them, and its name begins that of the next.
	Namespaces int
	// Apart has writers write the last resource only, and readers list the first.
	Apart bool
	// Compactors makes each API server try to compact etcd every CompactInterval
	// (0 is the original's 5 min) and tell its caches of compactions.
	Compactors      bool
	CompactInterval time.Duration
	// CheckPeriod is the least time between two consistency checks of a cache, 0
	// the original's 5 min.
	CheckPeriod time.Duration
	// LostEvents is how many events get lost on the way to a cache.
	LostEvents int
	// ReadFrom is when readers begin, timed.
	ReadFrom                         time.Duration
	InformerBreaks, InformerRestarts int

	// The sizes of buffers and batches, of etcd, the client and the cache; 0 is
	// the original's.
	ChanBuf, CtrlBuf, SendWindow, WatchersPerSync, SyncBatch, CompactionBatch int
	ClientBuf, Ring, Incoming, WatchBuf, Page                                 int
	// Notify is the period of etcd's progress ticker. 0 is the original's in timed
	// runs and none in others: untimed it could tick at every point.
	Notify time.Duration
	// ClientKV sends the caches' reads of etcd through the client library, with
	// its retries, instead of straight to etcd.
	ClientKV bool

	// Timed runs: the bounds of each delay, and how long clients think.
	Network, Scheduling, Think time.Duration
	// NoiseFor is how long noise goes on, FaultsFor how long the safety phase
	// lasts at least, Horizon when the run ends at the latest.
	NoiseFor, FaultsFor, Horizon time.Duration
	// Steps bounds an untimed run.
	Steps int

	Guard GuardParams
	// WatchList is what raw clients of KEP-3157 do.
	WatchList WatchListParams
}

// maxClients bounds the nodes of one world: beyond it a run is no longer one
// that anybody explores.
const maxClients = 2_000

// fit reports settings that are fine by themselves and make no run together.
func (p *Params) fit() error {
	ofCache := p.Readers + p.OwnReaders + p.Watchers + p.Informers + p.WatchList.Clients + p.Guard.Pollers
	switch {
	case p.Caches == 0 && ofCache > 0:
		return fmt.Errorf("caches=0: there are readers, watchers or informers, so there must be a cache")
	case p.Caches == 0 && p.Guard.Clog:
		return fmt.Errorf("clog=true: there is no API server whose watch could be clogged")
	case p.Mode == sim.Timed && p.Horizon == 0:
		return fmt.Errorf("mode=timed: a timed run needs a horizon, such as horizon=20s")
	case ofCache+p.Writers+p.Noise+p.Streams+p.Caches*max(1, p.Resources) > maxClients:
		return fmt.Errorf("there are more than %d clients and caches", maxClients)
	}
	return nil
}

// shape is what the topology is made from.
func (p *Params) shape() topology.Shape {
	return topology.Shape{
		Servers: p.Caches, Resources: p.Resources, Namespaces: p.Namespaces,
		Follower: p.Lagging, Compactors: p.Compactors, SharedStream: p.SharedStream,
	}
}
