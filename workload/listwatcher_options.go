package workload

import (
	"time"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// ListWatchOptions are about raw clients that ask for initial events (KEP-3157).
type ListWatchOptions struct {
	// Clients is how many there are, Rounds how often each asks.
	Clients, Rounds int
	// RV is the resourceVersion that they ask for: "unset", "0", "given" (the newest
	// that the client knows), or "every": one way after the other.
	RV string
	// Slow clients take one event at a time, Pace apart when timed.
	Slow bool
	Pace time.Duration
	// For is the time after which a cache ends their watches, in whole seconds; 0 is never.
	For time.Duration
	// Within is how soon the end has to come for the property initial-events-end; 0
	// derives it from the declared delays.
	Within time.Duration
}

var listWatchGroup = option.NewGroup("clients",
	option.Count("list-watchers", func(o *ListWatchOptions) *int { return &o.Clients }, "", "clients that ask for initial events"),
	option.Count("list-rounds", func(o *ListWatchOptions) *int { return &o.Rounds }, "", "times that each of them asks"),
	option.Words("list-rv", func(o *ListWatchOptions) *string { return &o.RV }, "resourceVersion that they ask for",
		option.Val("unset", "none: state as new as etcd"),
		option.Val("0", "any: state of any age"),
		option.Val("given", "the newest that the client knows: state not older"),
		option.Val("every", "one after the other")),
	option.Switch("list-slow", func(o *ListWatchOptions) *bool { return &o.Slow }, "they take one event at a time"),
	option.Duration("list-pace", func(o *ListWatchOptions) *time.Duration { return &o.Pace }, "", "time between two of these, timed"),
	option.Duration("list-for", func(o *ListWatchOptions) *time.Duration { return &o.For }, "never", "time after which a cache ends their watches"),
	option.Duration("list-within", func(o *ListWatchOptions) *time.Duration { return &o.Within }, "derived from the delays", "how soon initial events have to end, timed"),
)

// Versions are the resourceVersions that a client asks for, in turn.
func (o *ListWatchOptions) Versions() []int64 { return listVersions[o.RV] }

var listVersions = map[string][]int64{
	"": {wire.Unset}, "unset": {wire.Unset}, "0": {0}, "given": {Given}, "every": {wire.Unset, 0, Given},
}
