package compactor

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are everything about a compactor that can be set by name. Those left at
// zero are what Kubernetes has.
type Options struct {
	// Interval is the time between two tries: 5 min.
	Interval sim.Duration
	// WatchRetry is the time before the first and between two watches of the key that
	// compactors compete for: 1 s.
	WatchRetry sim.Duration
}

// Rules are the values of the seams. The zero value is what Kubernetes does.
type Rules struct {
	Guard Guard
	Goal  Goal
}

// Guard is a value of Guards.
type Guard uint8

// Condition is what the transaction on the key compares, given the version of the key
// that this server saw last.
type Condition func(env *sim.Env, compactTime int64) []wire.Compare

// Guards let one server compact in an interval.
var Guards = option.NewSeam[Guard, Condition]("compact-guard",
	"under which condition a try of an API server to compact etcd succeeds").
	Shipped("version", "no other server has written compact_rev_key since its last try: as shipped", func(_ *sim.Env, compactTime int64) []wire.Compare {
		return []wire.Compare{{Key: wire.CompactRevKey, Target: wire.CompareVersion, Result: wire.CompareEqual, Operand: compactTime}}
	})

// Goal is a value of Goals.
type Goal uint8

// Revision is what to compact to, given what etcd's revision was at the try before and
// what it is now.
type Revision func(previous, now int64) int64

// Goals are these revisions.
var Goals = option.NewSeam[Goal, Revision]("compact-to", "the revision that an API server compacts etcd at").
	Shipped("previous", "that of its last try, an interval ago: as shipped", func(previous, _ int64) int64 { return previous })

// Choices are the seams.
var Choices = option.NewGroup("compactor",
	option.SeamOption(Guards, func(r *Rules) *Guard { return &r.Guard }),
	option.SeamOption(Goals, func(r *Rules) *Goal { return &r.Goal }),
)

// Group is all options but those of Rules.
var Group = option.NewGroup("compactor",
	option.Duration("compact-interval", func(o *Options) *time.Duration { return &o.Interval }, "5m", "time between two tries of an API server to compact etcd"),
	option.Period("compact-watch-retry", func(o *Options) *time.Duration { return &o.WatchRetry }, "1s", "time between two watches of compact_rev_key by an API server"),
)
