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
	ObjectsPerSeat int          `option:"objects-per-seat" zero:"100" doc:"objects that a LIST looks at for each of its seats, or has in memory with seats-by=memory"`
	ObjectSize     int          `option:"object-size" zero:"1000" doc:"bytes of an object on average, for seats-by=size"`
	SeatsBy        SeatsBy
	// Uncapped: a request may take all seats of the level.
	Uncapped bool
	// SeatsAtEtcd: a LIST that is put to etcd although its seats were estimated for the cache takes as many as etcd's
	// answer costs (KEP-2340, "Per-request override": the cost would change after the decision).
	SeatsAtEtcd bool
	// WatchesKeepSeats: a watch has its seats until it ends.
	WatchesKeepSeats bool
	// QueueTimesOut: all requests of a queue are refused when the oldest has waited too long.
	QueueTimesOut bool
}

// SeatsBy is what the seats of a LIST are estimated from.
type SeatsBy uint8

// The values of seats-by.
const (
	seatsByObjects SeatsBy = iota
	SeatsBySize
	SeatsByMemory
)

// Amounts are the sizes and times of a level.
var Amounts = option.Fields[Options]("cache")

// Group is the options of a level with named values.
var Group = option.NewGroup("cache",
	option.Choice("seats-by", func(o *Options) *SeatsBy { return &o.SeatsBy }, "what the seats of a LIST are estimated from",
		option.Val("objects", "the objects that it looks at, twice if etcd sends them: one for objects-per-seat"),
		option.Val("size", "their bytes, a megabyte at most from the cache: one for 100 kB (since 1.34, the gate SizeBasedListCostEstimate)"),
		option.Val("memory", "what the answer takes: five times its objects from etcd, three times from the cache, a channel for a stream (KEP-3157, alternative 1)")),
	option.Either("seats-cap", func(o *Options) *bool { return &o.Uncapped }, "how many seats a request takes at most",
		option.Val("shipped", "15 % of the level's, what the hand of a client leaves for each queue, and ten, or a hundred by size or memory"),
		option.Val("none", "all of the level, if it costs as much: it is executed alone")),
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
