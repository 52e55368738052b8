package flowcontrol

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are those of a priority level. The zero value has no limit, and nothing waits. Queues, HandSize and
// QueueLength are as in upstream's workload-low and global-default.
type Options struct {
	// Seats is the limit of the level (nominalConcurrencyLimit).
	Seats       int `option:"seats" zero:"no limit" doc:"seats on which requests of clients are executed (API Priority and Fairness)"`
	Queues      int `option:"queues" zero:"128" doc:"queues in which requests wait for seats"`
	HandSize    int `option:"hand-size" zero:"6" doc:"queues that each client is dealt"`
	QueueLength int `option:"queue-length" zero:"50" doc:"requests that a queue holds; more are refused"`
	// QueueWait is a fourth of a request's time: --request-timeout is a minute.
	QueueWait      sim.Duration `option:"queue-wait" zero:"15s" doc:"how long a request waits for seats before it is refused"`
	ObjectsPerSeat int          `option:"objects-per-seat" zero:"100" doc:"objects that a LIST looks at for each of its seats"`
	// SeatsAtEtcd: a LIST that is put to etcd although its seats were estimated for the cache takes as many as etcd's
	// answer costs (KEP-2340, "Per-request override": the cost would change after the decision).
	SeatsAtEtcd bool
	// WatchesKeepSeats: a watch has its seats until it ends.
	WatchesKeepSeats bool
	// QueueTimesOut: all requests of a queue are refused when the oldest has waited too long.
	QueueTimesOut bool
}

// Amounts are the sizes and times of a level.
var Amounts = option.Fields[Options]("cache")

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
