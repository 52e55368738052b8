package faults

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options say what may break, and how often.
type Options struct {
	// Breaks is how many watch streams to etcd break, Restarts how many API servers
	// restart, Recreations how many caches are replaced by new ones in the same
	// process, as that of a custom resource whose definition changes.
	Breaks, Restarts, Recreations int
	// Replacements is how many API servers are replaced, one after the other, by one
	// without options of its own (topology.Options.ServerSettings); after all of them by
	// one that has these again, and so on. It is a restart if it has none.
	Replacements int
	// LostEvents is how many events get lost on the way to a cache.
	LostEvents int
	// Lost is the part of such an event that does not reach the cache: "event", all of any
	// event; "deletion", all of a deletion; "value", so that the object has none; "version",
	// so that the object's revision is one lower than that of the event; or "snapshot": the
	// event comes whole, and leaves no snapshot. Empty is "event".
	Lost string
	// EtcdRestarts is how often etcd restarts, Snapshots how often it installs a
	// snapshot, Failovers how often the next member of its cluster takes over.
	EtcdRestarts, Snapshots, Failovers int
	// FollowerRestarts is how often the member restarts that serves the watches, if it is
	// not the one that takes reads and writes.
	FollowerRestarts int
	// Timeouts is how many requests etcd does not carry out in time, LeaderChanges how
	// often linearizable reads fail because the leader changes, Overloads how many
	// writes etcd refuses because it has too many to apply.
	Timeouts, LeaderChanges, Overloads int
	// LeaderLosses is how often etcd is without a leader for some time, StreamEnds how
	// many times the watch streams of an API server end in order.
	LeaderLosses, StreamEnds int
	// CallBreaks is how many calls to the client library of an API server are given up
	// by their callers.
	CallBreaks int
	// Partitions is how often the connection between an API server and etcd lets nothing
	// through for some time, ServerPartitions how often etcd is cut off from all clients.
	Partitions, ServerPartitions int
	// MemberPartitions is how often the member that serves the watches is cut off from the
	// one that takes reads and writes, which stays the leader.
	MemberPartitions int
	// ReadPartitions is how often an API server is cut off from the member that takes reads and
	// writes, and not from the one that serves its watches.
	ReadPartitions int
	// Downgrade is the version that etcd comes back as, once; empty is never.
	Downgrade string
	// Clog keeps the watch of the first API server from getting anything, from
	// some time before For is over until then.
	Clog bool
	// Defragment has the member that serves the watches defragment its backend, until For is over.
	Defragment bool
	// InformerBreaks is how many watches of informers break, InformerRestarts how
	// many informers restart.
	InformerBreaks, InformerRestarts int
	// InformerStorms is how often all informers restart at the same time, as after a power
	// cut.
	InformerStorms int
	// InformerRefusals is how many requests and watches of informers are refused.
	InformerRefusals int
	// InformerOverloads is how many LISTs of informers a busy API server refuses, for half
	// a minute each.
	InformerOverloads int
	// For is how long faults strike, timed: the safety phase lasts at least as long.
	For time.Duration
}

// Group is all options of the faults.
var Group = option.NewGroup("faults",
	option.Count("breaks", func(o *Options) *int { return &o.Breaks }, "", "watch streams that break"),
	option.Count("restarts", func(o *Options) *int { return &o.Restarts }, "", "API servers that restart"),
	option.Count("recreations", func(o *Options) *int { return &o.Recreations }, "", "caches that are replaced by new ones in the same process"),
	option.Count("replacements", func(o *Options) *int { return &o.Replacements }, "", "API servers that are replaced in a rollout: each by one without its server-settings, then back"),
	option.Count("lost-events", func(o *Options) *int { return &o.LostEvents }, "", "events that get lost on the way to a cache, those of its caches one after the other"),
	option.Words("lost", func(o *Options) *string { return &o.Lost }, "the part of such an event that does not reach the cache",
		option.Val("event", "all of any event"),
		option.Val("deletion", "all of an event that deletes"),
		option.Val("value", "the value of the object"),
		option.Val("version", "the revision of the object, which is one lower then"),
		option.Val(lostSnapshot, "the snapshot that the event should leave")),
	option.Count("etcd-restarts", func(o *Options) *int { return &o.EtcdRestarts }, "", "restarts of etcd"),
	option.Count("follower-restarts", func(o *Options) *int { return &o.FollowerRestarts }, "", "restarts of the member of etcd that lags"),
	option.Count("etcd-snapshots", func(o *Options) *int { return &o.Snapshots }, "", "snapshots that etcd installs"),
	option.Count("failovers", func(o *Options) *int { return &o.Failovers }, "", "times that the next member of the etcd cluster takes over"),
	option.Count("timeouts", func(o *Options) *int { return &o.Timeouts }, "", "requests that etcd does not carry out in time"),
	option.Count("leader-changes", func(o *Options) *int { return &o.LeaderChanges }, "", "changes of etcd's leader, with which reads under way fail"),
	option.Count("overloads", func(o *Options) *int { return &o.Overloads }, "", "writes that etcd refuses because it has too many to apply"),
	option.Count("leader-losses", func(o *Options) *int { return &o.LeaderLosses }, "", "times that etcd has no leader for a while"),
	option.Count("stream-ends", func(o *Options) *int { return &o.StreamEnds }, "", "times that etcd ends the watch streams of an API server in order"),
	option.Count("call-breaks", func(o *Options) *int { return &o.CallBreaks }, "", "calls to the client library of an API server whose caller goes away"),
	option.Count("partitions", func(o *Options) *int { return &o.Partitions }, "", "times that nothing gets from an API server to etcd, or back, for a while"),
	option.Count("server-partitions", func(o *Options) *int { return &o.ServerPartitions }, "", "times that etcd is cut off from all its clients for a while"),
	option.Count("member-partitions", func(o *Options) *int { return &o.MemberPartitions }, "", "times that the member of etcd that lags is cut off from the leader for a while"),
	option.Count("read-partitions", func(o *Options) *int { return &o.ReadPartitions }, "", "times that nothing gets from an API server to the member of etcd that takes reads, or back, while its watches go on"),
	option.Text("downgrade", func(o *Options) *string { return &o.Downgrade }, checkDowngrade, "a version", "version that etcd is downgraded to in the run (empty: never)"),
	option.Switch("clog", func(o *Options) *bool { return &o.Clog }, "nothing gets through to the watch of the first API server until faults end, timed"),
	option.Switch("defragment", func(o *Options) *bool { return &o.Defragment }, "the member of etcd that serves the watches defragments its backend until faults end: it applies nothing and begins no read"),
	option.Count("informer-breaks", func(o *Options) *int { return &o.InformerBreaks }, "", "watches of informers that break"),
	option.Count("informer-restarts", func(o *Options) *int { return &o.InformerRestarts }, "", "informers that restart"),
	option.Count("informer-storms", func(o *Options) *int { return &o.InformerStorms }, "", "times that all informers restart at once"),
	option.Count("informer-refusals", func(o *Options) *int { return &o.InformerRefusals }, "", "requests and watches of informers that are refused: 429, 500, 410"),
	option.Count("informer-overloads", func(o *Options) *int { return &o.InformerOverloads }, "", "LISTs of informers that are refused with 429 and Retry-After: 30"),
	option.Duration("faults-for", func(o *Options) *time.Duration { return &o.For }, "", "how long faults strike, timed"),
)

func checkDowngrade(v string) error {
	if v == "" {
		return nil
	}
	_, err := etcd.Release(v)
	return err
}

// Unbearable are the options of the faults that break what every network promises: an
// event of a stream that lives on is lost. No cache can make up for that, so where
// such a fault is needed for a violation it is the cause.
var Unbearable = []string{"lost-events"}

// Set returns the options that say which faults may strike. The time in which they may
// (faults-for) and the part of an event that is lost (lost) are left out.
func (o *Options) Set() []option.Setting {
	var set []option.Setting
	nothing := Group.Expand(&Options{})
	for i, s := range Group.Expand(o) {
		if s != nothing[i] && s.Name != "faults-for" && s.Name != "lost" {
			set = append(set, s)
		}
	}
	return set
}

// Without is what may break but for the faults of one option.
func (o *Options) Without(name string) (Options, error) {
	option, err := Group.Find(name)
	if err != nil {
		return *o, err
	}
	return o.with(name, option.Get(&Options{}))
}

// Once is what may break with one fault of an option. It reports whether there are
// fewer faults then.
func (o *Options) Once(name string) (once Options, fewer bool) {
	option, err := Group.Find(name)
	if err != nil {
		return *o, false
	}
	if n, err := strconv.Atoi(option.Get(o)); err != nil || n <= 1 {
		return *o, false
	}
	once, err = o.with(name, "1")
	return once, err == nil
}

func (o *Options) with(name, value string) (Options, error) {
	with := *o
	return with, Group.Set(&with, name, value)
}

// refuse refuses a request of an informer, or ends its watch with an error, whichever
// API server it is at.
func refuse(label string, n *Informer, with *sim.Refuse) sim.Fault {
	f := &wherever{name: "refuse " + label}
	for _, to := range n.Servers {
		at := *with
		at.From, at.To, at.Label = n.ID, to, label
		f.each = append(f.each, &at)
	}
	return f
}

// refusals are what an API server answers that has nothing to do with its cache: API
// Priority and Fairness has no seat, with and without Retry-After; an error inside; and
// history that this server does not have.
var refusals = []*wire.Error{
	{Code: wire.TooManyRequests, Message: "too many requests: retry after 1 s", RetryAfter: 1},
	{Code: wire.TooManyRequests, Message: "too many requests"},
	{Code: wire.Internal, Message: "internal error"},
	{Code: wire.ErrCompacted, Message: "too old resource version"},
}

func refusal(kind int, call bool) sim.Payload {
	if call {
		return refusals[kind]
	}
	return &wire.WatchEvent{Type: wire.Failed, Err: refusals[kind]}
}

// busy is what API Priority and Fairness answers when no seat gets free for long: its
// Retry-After grows to 32 s.
func busy(int, bool) sim.Payload {
	return &wire.Error{Code: wire.TooManyRequests, Message: "too many requests: retry after 30 s", RetryAfter: 30}
}

// Nodes are those of a world.
type Nodes interface{ Node(id sim.NodeID) sim.Node }

// Replaceable is the process of an API server in whose place one with other options may
// come.
type Replaceable interface {
	// Generation is how often it was replaced in a world.
	Generation(in Nodes) int
	// Ready reports whether it serves.
	Ready(in Nodes) bool
	// Reconfigure gives its nodes the options of the next one.
	Reconfigure(in Nodes)
}

// Server is the process of an API server, as faults need it.
type Server interface {
	Replaceable
	// WatchClients are the nodes that open its watch streams with etcd: its client library, or caches that bring one of
	// their own.
	WatchClients() []sim.NodeID
}

// replace ends the process of an API server and starts one with other options in its
// place. Servers are replaced in order, as in a rollout: each once before any of them
// twice, and none before the one that was replaced last is ready.
type replace struct {
	all   []Replaceable
	which int
	nodes []sim.NodeID
	label string
}

// Name implements sim.Fault.
func (f *replace) Name() string { return "replace " + f.label }

// Ready implements sim.Fault.
func (f *replace) Ready(w *sim.World) bool {
	own := f.all[f.which].Generation(w)
	for i, s := range f.all {
		if !s.Ready(w) && i != f.which || i < f.which && s.Generation(w) != own+1 || i > f.which && s.Generation(w) != own {
			return false
		}
	}
	return true
}

var (
	replaced     = sim.NewSituation("an API server is replaced by one with other options")
	replacedBack = sim.NewSituation("an API server is replaced by one with the options of the one before the last")
)

// Strike implements sim.Fault.
func (f *replace) Strike(env *sim.Env) {
	server := f.all[f.which]
	env.Cover(replaced)
	if server.Generation(env) > 0 {
		env.Cover(replacedBack)
	}
	server.Reconfigure(env)
	(&sim.RestartProcess{Nodes: f.nodes, Label: f.label}).Strike(env)
}

// wherever is a fault that may strike at several servers: at each of them where it can.
type wherever struct {
	name string
	each []sim.Fault
}

// Name implements sim.Fault.
func (f *wherever) Name() string { return f.name }

// Ready implements sim.Fault.
func (f *wherever) Ready(w *sim.World) bool {
	for _, at := range f.each {
		if at.Ready(w) {
			return true
		}
	}
	return false
}

// Strike implements sim.Fault. At a server where the fault has nothing to strike it does
// nothing.
func (f *wherever) Strike(env *sim.Env) {
	for _, at := range f.each {
		at.Strike(env)
	}
}
