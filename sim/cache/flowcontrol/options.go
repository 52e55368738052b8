package flowcontrol

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are those of a priority level. The zero value has no limit, and nothing waits.
type Options struct {
	// Seats is the limit of the level (nominalConcurrencyLimit): 0 is none.
	Seats int
	// Queues is how many there are, HandSize how many of them a flow is dealt, and
	// QueueLength how many requests each may hold: 128, 6 and 50, as in upstream's
	// workload-low and global-default.
	Queues, HandSize, QueueLength int
	// QueueWait is how long a request may wait: a fourth of its time, 15 s
	// (--request-timeout is a minute).
	QueueWait sim.Duration
	// ObjectsPerSeat is how many objects a LIST looks at for each seat: 100.
	ObjectsPerSeat int
	// SeatsAtEtcd: a LIST that is put to etcd although its seats were estimated for the cache takes as many as etcd's
	// answer costs (KEP-2340, "Per-request override": the cost would change after the decision).
	SeatsAtEtcd bool
	// WatchesKeepSeats: a watch has its seats until it ends.
	WatchesKeepSeats bool
	// QueueTimesOut: all requests of a queue are refused when the oldest has waited too long.
	QueueTimesOut bool
}

// AmountGroup is the amounts of a level.
var AmountGroup = option.NewGroup("cache",
	option.Count("seats", func(o *Options) *int { return &o.Seats }, "no limit", "seats on which requests of clients are executed (API Priority and Fairness)"),
	option.Count("queues", func(o *Options) *int { return &o.Queues }, "128", "queues in which requests wait for seats"),
	option.Count("hand-size", func(o *Options) *int { return &o.HandSize }, "6", "queues that each client is dealt"),
	option.Count("queue-length", func(o *Options) *int { return &o.QueueLength }, "50", "requests that a queue holds; more are refused"),
	option.Duration("queue-wait", func(o *Options) *time.Duration { return &o.QueueWait }, "15s", "how long a request waits for seats before it is refused"),
	option.Count("objects-per-seat", func(o *Options) *int { return &o.ObjectsPerSeat }, "100", "objects that a LIST looks at for each of its seats"),
)

// Group is the options of a level with named values.
var Group = option.NewGroup("cache",
	option.Either("fallback-seats", func(o *Options) *bool { return &o.SeatsAtEtcd },
		"the seats of a LIST that is put to etcd although they were estimated for the cache",
		option.Val("kept", "it keeps those that it has"),
		option.Val("at-etcd", "it takes as many as etcd's answer costs, or is refused with 429 if these are not free")),
	option.Either("watch-seats", func(o *Options) *bool { return &o.WatchesKeepSeats }, "until when a watch has its seats",
		option.Val("initialized", "until it has sent its initial events"),
		option.Bug("ended", "until it ends (kubernetes#105409)")),
	option.Either("queue-timeout", func(o *Options) *bool { return &o.QueueTimesOut },
		"which requests of a queue are refused when the oldest has waited too long",
		option.Val("oldest", "that one"),
		option.Bug("queue", "all of them")),
)

func (o *Options) setDefaults() {
	o.Queues = cmp.Or(o.Queues, 128)
	o.HandSize = cmp.Or(o.HandSize, 6)
	o.HandSize = min(o.HandSize, o.Queues)
	o.QueueLength = cmp.Or(o.QueueLength, 50)
	o.QueueWait = cmp.Or(o.QueueWait, 15*time.Second)
	o.ObjectsPerSeat = cmp.Or(o.ObjectsPerSeat, 100)
}
