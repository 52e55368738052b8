package cache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Design is a cache that can be put under test: the Cache of this package with a
// preset of options, or a node of another kind. Another module registers its own
// with RegisterDesign.
type Design struct {
	// Preset has the name, a sentence, and what the design sets in Options. Etcd
	// and its client library read some of these too, so a node of another kind
	// may have settings as well.
	option.Preset
	// New makes the node. It speaks sim/wire, as doc.go says. Beside sim.Node it
	// may have the optional capabilities of package sim, and those below. nil
	// stands for New of this package.
	New func(Config) sim.Node
	// Reads are the options of this package that a node of another kind reads, and those of
	// Storage: NAME, or NAME=VALUE if it can be told that value and not every one. Settings of all
	// others do not reach it: what the preset and Storage say of them holds, for judges as well.
	// nil: it may read any.
	Reads []string
	// Storage are the settings of Kubernetes' etcd3 watcher, which this package knows nothing of,
	// that a node has which brings one of its own, whatever the release of etcd; nil if it has none.
	Storage []option.Setting
	// Lacks are the names of properties that say nothing of the node, since it has nothing that they are about:
	// "reliable" of one that serves no watches. Where they were not checked they are not claimed; where they were, they
	// count.
	Lacks []string
	// SpeaksEtcd: its errors and events are etcd's, and not those of the Kubernetes API: no refusal says when to ask
	// again, a future revision is refused as one, and a deletion comes with the key and the revision alone.
	SpeaksEtcd bool
	// Refuses says which kind of request a request is that the node has no answer for, empty if it has one. It depends
	// on nothing else. nil: it has an answer for each.
	Refuses func(sim.Payload) string
	// Neighbours are designs that can stand in for a node of another kind. nil: there are none.
	Neighbours func() []option.Neighbour
	// Rests: the timers of its own node do not go on for ever.
	Rests bool
	// Unlisted: it is named by scenarios of its own, and in no table over all designs.
	Unlisted bool

	ownNode bool
}

// Ignores reports whether a setting of an option does not reach the node. Without a value it is asked whether
// any would.
func (d *Design) Ignores(name, value string) bool {
	return d.Reads != nil && Group.Lookup(name) != nil && !d.IsTold(name, value)
}

// IsTold reports whether an option is among Reads, with this value.
func (d *Design) IsTold(name, value string) bool {
	return slices.ContainsFunc(d.Reads, func(read string) bool {
		option, only, _ := strings.Cut(read, "=")
		return option == name && (only == "" || value == "" || only == value)
	})
}

// OwnNode reports whether the node is another one than the Cache of this package.
func (d *Design) OwnNode() bool { return d.ownNode }

// Capabilities that the node of a design may have. Without one, what depends on
// it is left out, and the property that needs it counts as not checked.
type (
	// Resetter can be used for another run. Without it each run has a new node.
	Resetter interface{ Reset(Config) }
	// Readiness is known of a node whose clients may have to wait for its start.
	// Without it the node counts as ready.
	Readiness interface{ Ready() bool }
	// Mirror shows its contents between steps: the objects that it has, in key
	// order, until f returns false, and the revision up to which it claims to be
	// complete. The property that compares a cache with etcd needs it.
	Mirror interface {
		ResourceVersion() int64
		Ascend(f func(*wire.KeyValue) bool)
	}
	// Hiding may have goroutines that are stopped in a critical section. It then shows its state before that section,
	// which may differ from its answers.
	Hiding interface{ Hidden() bool }
	// Remembering shows the past states that LISTs may be answered from, each with the
	// newest resourceVersion for which it stands. The objects must not be changed.
	Remembering interface {
		AscendSnapshots(f func(until int64, ascend func(func(*wire.KeyValue) bool)))
	}
	// Compacting knows the compaction below which it serves no past state, 0 if
	// it has not learned of one.
	Compacting interface{ CompactRevision() int64 }
	// Starter may wait before it starts, or not start at all: Aborted is why.
	Starter interface {
		Starting() bool
		Aborted() string
	}
	// Trusting checks whether reads may rely on etcd's progress notifications. A node
	// without it always relies on them.
	Trusting interface{ TrustsProgress() bool }
	// Waiting says how many reads wait for it to be fresh.
	Waiting interface{ Waiting() int }
	// Holding says what is in memory, between steps, and visits the connections of the watches in it: to the client,
	// and to the client library if etcd serves the watch.
	Holding interface {
		Holds() Held
		Watches(visit func(client, upstream sim.Conn))
	}
	// Backlogged says how much the fullest channel to one of its watchers holds.
	Backlogged interface{ Backlog() dispatch.Backlog }
	// Timed says which of its timers that are armed belong to nothing that is there, and
	// how long its dispatcher has waited for watchers that do not keep up, since the cache began.
	Timed interface {
		Ownerless(armed sim.Armed) []sim.Timer
		DispatchWaits() (began sim.Time, all []dispatch.Wait)
	}
	// Following keeps how its watches of etcd ended, and what it did then.
	Following interface{ Endings() []reflector.Ending }
	// Relisting keeps when each of its ListAndWatch began and ended, timed.
	Relisting interface{ Turns() []reflector.Turn }
	// Detecting compares itself with etcd and keeps what came of it.
	Detecting interface{ Detections() []check.Detection }
	// FlowControlled is behind API Priority and Fairness.
	FlowControlled interface{ Flow() *flowcontrol.Level }
	// Killable tells when its process was killed because it was out of memory.
	Killable interface{ Kills() []Kill }
)

var _ interface {
	Resetter
	Killable
	Readiness
	Mirror
	Compacting
	Starter
	Trusting
	Waiting
	Holding
	Backlogged
	Timed
	Following
	Relisting
	Detecting
	Remembering
	FlowControlled
} = (*Cache)(nil)

// Options are those of the preset on top of the zero value.
func (d *Design) Options() Options {
	var o Options
	// RegisterDesign has seen that they can be set.
	_ = Group.Apply(&o, &d.Preset)
	return o
}

var designs []Design

// RegisterDesign adds a design; call it in init functions only. It panics if
// there is one of that name, or if a setting of the preset cannot be set.
func RegisterDesign(d Design) {
	if slices.ContainsFunc(designs, func(other Design) bool { return other.Name == d.Name }) {
		panic("cache: design registered twice: " + d.Name)
	}
	designs = append(designs, *d.complete())
}

// complete is the design with what follows from the rest of it.
func (d *Design) complete() *Design {
	var o Options
	if err := Group.Apply(&o, &d.Preset); err != nil {
		panic("cache: design " + err.Error())
	}
	d.ownNode = d.New != nil
	if !d.ownNode {
		d.New = func(cfg Config) sim.Node { return New(cfg) }
	}
	return d
}

// families make designs of names that follow a rule.
var families []func(name string) *Design

// RegisterFamily adds designs that are too many to be listed; call it in init functions only. of is called with a
// name that no registered design has, and returns nil if the name does not follow its rule. For a name it always
// returns the same design.
func RegisterFamily(of func(name string) *Design) { families = append(families, of) }

// AllDesigns lists all designs, those of this package first.
func AllDesigns() []Design { return slices.Clone(designs) }

// Designs lists all designs but the Unlisted ones.
func Designs() []Design {
	return slices.DeleteFunc(AllDesigns(), func(d Design) bool { return d.Unlisted })
}

// FindDesign returns the design of a name. The error names the nearest one.
func FindDesign(name string) (*Design, error) {
	names := make([]string, len(designs))
	for i := range designs {
		if designs[i].Name == name {
			return &designs[i], nil
		}
		names[i] = designs[i].Name
	}
	for _, of := range families {
		if d := of(name); d != nil {
			return d.complete(), nil
		}
	}
	if strings.Contains(name, "@") && len(families) == 0 {
		return nil, fmt.Errorf("%q is compiled code, and no design of this program: the simrun of the folder upstream has the code of releases, such as kubernetes@v0.37.2 (cd upstream && go run ./simrun)", name)
	}
	return nil, fmt.Errorf("unknown cache design %q%s", name, registry.Suggest(name, names))
}

// ForDesign returns the options of a design.
func ForDesign(name string) (Options, error) {
	d, err := FindDesign(name)
	if err != nil {
		return Options{}, err
	}
	return d.Options(), nil
}

func init() {
	for _, p := range presets {
		RegisterDesign(Design{Preset: p})
	}
}

// beta is v0.38.0-beta.0.
var beta = option.Settings(
	"on-timeout=fallback", "continue-with-version=refused",
	"snapshots=on", "compaction-notice=polled", "compacted-snapshot=kept-on",
	"equal-progress=skipped", "consistency-checker=fallback", "version-check=shipped",
	"watch-prev-kv=unasked", "watch-start=at-once",
)

// presets are the designs of this package: the Cache with options.
var presets = []option.Preset{
	{Name: "kep-2340", Doc: "a consistent LIST waits until the cache is as new as etcd was; 504 after 3 s (KEP-2340)"},
	{Name: "kep-2340-fallback", Doc: "kep-2340, but etcd answers after 3 s (Kubernetes 1.31 and later)",
		Settings: option.Settings("on-timeout=fallback")},
	{Name: "direct", Doc: "etcd answers every LIST and GET; the cache serves watches only",
		Settings: option.Settings("freshness=direct")},
	{Name: "stale", Doc: "a LIST without resourceVersion is answered like one with \"0\": from the cache, however old (#59848)",
		Settings: option.Settings("freshness=none")},
	{Name: "single-request", Doc: "one progress request for each waiting read, and etcd answers after 3 s (a rejected alternative of the first draft)",
		Settings: option.Settings("progress-requests=once", "on-timeout=fallback")},
	{Name: "draft-2019", Doc: "etcd sends progress every 250 ms by itself; 504 after 3 s, and etcd answers all pages (the first draft of KEP-2340)",
		Settings: option.Settings("progress-requests=notify", "notify-detection=on", "pagination=etcd")},
	{Name: "progress-echo", Doc: "the progress that echoes a read's id proves the cache fresh: no revision is read (an idea of the first draft)",
		Settings: option.Settings("progress-requests=echo")},
	{Name: "accumulated-reads", Doc: "kep-2340 with one revision read for all lists of 10 ms (an idea of the first draft)",
		Settings: option.Settings("revision-sharing=accumulated")},
	{Name: "dynamic-fallback", Doc: "kep-2340, but etcd answers while the cache is slow (KEP-2340, Alternatives)",
		Settings: option.Settings("on-timeout=fallback", "dynamic-fallback=wait-time")},
	{Name: "kep-4988", Doc: "kep-2340 with snapshots for exact reads and later pages; a failed consistency check sends those to etcd (KEP-4988, beta)",
		Settings: option.Settings("on-timeout=fallback", "snapshots=on", "consistency-checker=fallback")},
	{Name: "kep-3157", Doc: "a watch with initial events begins at once, and the bookmark timer finds their end (KEP-3157)",
		Settings: option.Settings("initial-events-end=timer")},
	{Name: "v0.37.2", Doc: "what k8s.io/apiserver v0.37.2 ships, with its check of etcd's version (reflector-list=watch-list adds how it starts by default)",
		Settings: option.Settings(
			"on-timeout=fallback", "continue-with-version=refused",
			"snapshots=on", "compaction-notice=polled", "late-snapshot=kept",
			"mark-consistent=unlocked", "consistency-checker=fallback",
			"version-check=shipped", "not-found-rv=none",
		)},
	{Name: "v0.38.0-alpha.2", Doc: "what k8s.io/apiserver v0.38.0-alpha.2 ships: store, index and snapshots have a lock of their own, and a consistency check that passes drops all snapshots",
		Settings: option.Settings(
			"on-timeout=fallback", "continue-with-version=refused",
			"snapshots=on", "compaction-notice=polled", "late-snapshot=kept",
			"equal-progress=skipped", "consistency-checker=fallback", "passed-check=drops-snapshots",
			"version-check=shipped",
		)},
	{Name: "v0.38.0-beta.0", Doc: "what k8s.io/apiserver v0.38.0-beta.0 ships by default: no previous values asked of etcd, a watch begins by an item of its channel, snapshots know the compaction",
		Settings: beta},
	{Name: "kep-6404", Doc: "v0.38.0-beta.0 with GETs and writes through the cache (KEP-6404; the gate ConsistentGetFromCache has the writes in v0.38.0-beta.0)",
		Settings: append(beta[:len(beta):len(beta)], option.Settings("write-state=cache", "get-unset=cache")...)},
}

// LibraryOptions are those of etcd's own cache library, the node of package sim/etcdcache. Package cache reads none
// of them.
type LibraryOptions struct {
	LeavesOutNextProgress bool
	EndsStoreWatcher      bool
	EndsWatchers          bool
	Mistake               LibraryMistake
}

// LibraryMistake is what the library does otherwise than its source.
type LibraryMistake uint8

// The mistakes that can be planted.
const (
	_ LibraryMistake = iota
	LostWakeUp
	ShortHistory
	TakenForSent
	UnawaitedRead
)

var libraryOptions = option.NewGroup("cache",
	option.Either("library-progress", func(o *LibraryOptions) *bool { return &o.LeavesOutNextProgress },
		"progress up to the very revision that a watcher of etcd's cache library needs next",
		option.Val("next", "it is sent: no release"),
		option.Val("later", "it is not sent, and the watcher hears of a later one: as etcd ships it")).
		Undrawn("no scenario with draws has etcd's cache library"),
	option.Either("library-store", func(o *LibraryOptions) *bool { return &o.EndsStoreWatcher },
		"what becomes of the watcher that fills the store of etcd's cache library when a new watch of etcd ends all watchers",
		option.Val("kept", "it goes on: no release"),
		option.Val("ended", "it is ended with the others, and another one begins, of which the cache never becomes ready: as etcd ships it")).
		Undrawn("no scenario with draws has etcd's cache library"),
	option.Either("library-watchers", func(o *LibraryOptions) *bool { return &o.EndsWatchers },
		"what becomes of the watchers of etcd's cache library when it watches etcd anew from the revision behind its last one",
		option.Val("go-on", "they go on, though an event that it refused never came to them: as etcd ships it"),
		option.Val("ended", "they end, and watch again: no release")).
		Undrawn("no scenario with draws has etcd's cache library"),
	option.Choice("library-mistake", func(o *LibraryOptions) *LibraryMistake { return &o.Mistake }, "what etcd's cache library does otherwise than its source",
		option.Val("none", "nothing"),
		option.Bug("lost-wake-up", "progress raises the revision of the store and wakes no read"),
		option.Bug("short-history", "the revision that the full history has just lost counts as one that it has"),
		option.Bug("taken-for-sent", "an event for which a watcher has no room counts as sent"),
		option.Bug("unawaited-read", "a consistent read does not wait until the store has the revision")),
)
