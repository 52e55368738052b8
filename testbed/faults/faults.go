package faults

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options say what may break, and how often.
type Options struct {
	Breaks    int `option:"breaks" doc:"watch streams that break"`
	HalfOpens int `option:"half-opens" doc:"watch streams of API servers of which etcd's end is gone: the client library notices by its keepalive, after 10 to 40 s with a clock"`
	Restarts  int `option:"restarts" doc:"API servers that restart"`
	// Recreations are as that of a custom resource whose definition changes.
	Recreations int `option:"recreations" doc:"caches that are replaced by new ones in the same process"`
	// Replacements come one after the other. After all of them each server gets its
	// topology.Options.ServerSettings back, and so on. Without any such settings a replacement is a restart.
	Replacements int `option:"replacements" doc:"API servers that are replaced in a rollout: each by one without its server-settings, then back"`
	LostEvents   int `option:"lost-events" doc:"events that get lost on the way to a cache, those of its caches one after the other"`
	// Lost is the part of such an event that does not reach the cache.
	Lost         string `option:"lost"`
	EtcdRestarts int    `option:"etcd-restarts" doc:"restarts of etcd"`
	// FollowerRestarts are of the member that serves the watches, if another member takes reads and writes.
	FollowerRestarts int `option:"follower-restarts" doc:"restarts of the member of etcd that lags"`
	Snapshots        int `option:"etcd-snapshots" doc:"snapshots that etcd installs"`
	Restores         int `option:"restores" doc:"times that etcd loses its data and is restored from a backup, which lacks its last writes (backup-restore)"`
	Failovers        int `option:"failovers" doc:"times that the next member of the etcd cluster takes over"`
	Timeouts         int `option:"timeouts" doc:"requests that etcd does not carry out in time"`
	LeaderChanges    int `option:"leader-changes" doc:"changes of etcd's leader, with which reads under way fail"`
	Overloads        int `option:"overloads" doc:"writes, revocations of expired leases among them, that etcd refuses because it has too many to apply"`
	LeaderLosses     int `option:"leader-losses" doc:"times that etcd has no leader for a while"`
	StreamEnds       int `option:"stream-ends" doc:"times that etcd ends the watch streams of an API server in order"`
	WatchRefusals    int `option:"watch-refusals" doc:"watches that an API server asks of etcd and is refused, because its user has lost its permission"`
	CallBreaks       int `option:"call-breaks" doc:"calls to the client library of an API server whose caller goes away"`
	Partitions       int `option:"partitions" doc:"times that nothing gets from an API server to etcd, or back, for a while"`
	ServerPartitions int `option:"server-partitions" doc:"times that etcd is cut off from all its clients for a while"`
	// MemberPartitions: the member that takes reads and writes stays the leader.
	MemberPartitions int    `option:"member-partitions" doc:"times that the member of etcd that lags is cut off from the leader for a while"`
	ReadPartitions   int    `option:"read-partitions" doc:"times that nothing gets from an API server to the member of etcd that takes reads, or back, while its watches go on"`
	Downgrade        string `option:"downgrade"`
	// Clog begins some time before For is over.
	Clog              bool `option:"clog" doc:"nothing gets through to the watch of the first API server until faults end, timed"`
	Defragment        bool `option:"defragment" doc:"the member of etcd that serves the watches defragments its backend until faults end: it applies nothing and begins no read"`
	StallDisk         bool `option:"stall-disk" doc:"the disk of the member of etcd that serves the watches stalls until faults end: it writes nothing, and knows its leader"`
	InformerBreaks    int  `option:"informer-breaks" doc:"watches of informers that break"`
	InformerHalfOpens int  `option:"informer-half-opens" doc:"watches of informers of which the API server's end is gone: HTTP/2's pings notice after 15 to 45 s with a clock"`
	InformerRestarts  int  `option:"informer-restarts" doc:"informers that restart"`
	InformerStorms    int  `option:"informer-storms" doc:"times that all informers restart at once"`
	InformerRefusals  int  `option:"informer-refusals" doc:"requests and watches of informers that are refused: 429, 500, 410"`
	InformerOverloads int  `option:"informer-overloads" doc:"LISTs of informers that are refused with 429 and Retry-After: 30"`
	// For: the safety phase lasts at least as long.
	For time.Duration `option:"faults-for" doc:"how long faults strike, timed"`
}

// Group is all options of the faults.
var Group = option.Fields("faults",
	option.Words("lost", func(o *Options) *string { return &o.Lost }, "the part of such an event that does not reach the cache",
		option.Val("event", "all of any event"),
		option.Val("deletion", "all of an event that deletes"),
		option.Val("value", "the value of the object"),
		option.Val("version", "the revision of the object, which is one lower then"),
		option.Val(lostSnapshot, "the snapshot that the event should leave")),
	option.Text("downgrade", func(o *Options) *string { return &o.Downgrade }, checkDowngrade, "a version", "version that etcd is downgraded to in the run (empty: never)"),
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

// Inside names the options of those faults that only the simulated server of etcd knows.
func (o *Options) Inside() []string {
	var names []string
	for _, s := range o.Set() {
		if slices.Contains(inside, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

var inside = []string{"etcd-snapshots", "restores", "timeouts", "overloads", "watch-refusals", "stall-disk"}

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
// twice, and none before the last replacement is ready.
type replace struct {
	all   []Replaceable
	which int
	nodes []sim.NodeID
	label string
}

func (f *replace) Name() string { return "replace " + f.label }

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
	replaced     = sim.NewCoveragePoint("an API server is replaced by one with other options")
	replacedBack = sim.NewCoveragePoint("an API server is replaced by one with the options of the one before the last")
)

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

func (f *wherever) Name() string { return f.name }

func (f *wherever) Ready(w *sim.World) bool {
	return slices.ContainsFunc(f.each, func(at sim.Fault) bool { return at.Ready(w) })
}

// Strike implements sim.Fault. At a server where the fault has nothing to strike it does
// nothing.
func (f *wherever) Strike(env *sim.Env) {
	for _, at := range f.each {
		at.Strike(env)
	}
}

func (f *wherever) Heal(env *sim.Env) {
	for _, at := range f.each {
		if lasts, ok := at.(sim.Healer); ok {
			lasts.Heal(env)
		}
	}
}
