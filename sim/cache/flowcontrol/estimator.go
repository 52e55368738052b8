package flowcontrol

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Resource is what is known of a resource when a request is estimated.
type Resource struct {
	// Objects is how many there are; Counted is false before the cache has listed them.
	Objects int
	Counted bool
	// ConsistentReadSupported: the cache may answer consistent LISTs.
	ConsistentReadSupported bool
	// WithoutWatchList: the gate WatchList is off.
	WithoutWatchList bool
}

// minimumSeats is what any request takes at least, and the others what a LIST takes at
// most.
const (
	minimumSeats               = 1
	maximumListSeats           = 10
	maximumListSeatsByTheBytes = 100
)

// What the estimates are made of: upstream's bytesPerSeat and cacheWithStreamingMaxMemoryUsage, and KEP-3157's factors
// of what an answer takes in memory. A stream has the result channel of a watcher.
const (
	bytesPerSeat      = 100_000
	bytesFromCache    = 1_000_000
	takenFromEtcd     = 5
	takenFromCache    = 3
	objectsInAChannel = 10
)

// maximumSeats is how many seats of a level one request may take: 15 % of them, and no
// more than the queues of a flow leave to each.
func (o *Options) maximumSeats() int {
	if o.Uncapped {
		return o.Seats
	}
	most := maximumListSeats
	if o.SeatsBy != seatsByObjects {
		most = maximumListSeatsByTheBytes
	}
	share := (o.Seats*15 + 99) / 100
	return min(max(1, min(share, o.Seats/o.HandSize)), most)
}

// Estimate is how many seats a request takes (workEstimator.estimate). It knows the
// request and the number of objects, and nothing of the state of the cache.
func (o *Options) Estimate(request any, about Resource) int {
	switch r := request.(type) {
	case *wire.ListRequest:
		if r.Single {
			// It is a read of one object (requestInfo.Name).
			return minimumSeats
		}
		return o.listSeats(r, about, delegatesList(r, about.ConsistentReadSupported))
	case *wire.WatchRequest:
		// Since 1.35 a watch that is sent the objects unasked counts, too.
		sent := r.SendInitialEvents == wire.SendInitialEventsTrue || r.ResourceVersion == wire.Unset || r.ResourceVersion == 0
		if sent && !r.Single && !about.WithoutWatchList {
			return o.watchSeats(about)
		}
	}
	return minimumSeats
}

// CostAtEtcd is what a LIST would have been estimated at, had it been known that etcd
// answers it.
func (o *Options) CostAtEtcd(r *wire.ListRequest, about Resource) int {
	return o.listSeats(r, about, true)
}

// listSeats is seatsBasedOnObjectCount, seatsBasedOnObjectSize, or what the answer takes. By objects the cache goes
// through all whatever the limit; those that etcd sends are counted twice, because they are decoded.
func (o *Options) listSeats(r *wire.ListRequest, about Resource, fromEtcd bool) int {
	limit := about.Objects
	if r.Limit > 0 {
		limit = min(limit, int(r.Limit))
	}
	selects := fromEtcd && !r.Selector.Empty()
	switch {
	case o.SeatsBy == SeatsBySize && selects:
		return o.bounded(about, max(limit, about.Objects/2)*o.ObjectSize, bytesPerSeat)
	case o.SeatsBy == SeatsBySize && fromEtcd:
		return o.bounded(about, limit*o.ObjectSize, bytesPerSeat)
	case o.SeatsBy == SeatsBySize:
		return o.bounded(about, min(limit*o.ObjectSize, bytesFromCache), bytesPerSeat)
	case o.SeatsBy == SeatsByMemory && fromEtcd:
		return o.bounded(about, takenFromEtcd*limit, o.ObjectsPerSeat)
	case o.SeatsBy == SeatsByMemory && r.ResourceVersion == 0:
		// The cache answers all objects then, whatever the limit.
		return o.bounded(about, takenFromCache*about.Objects, o.ObjectsPerSeat)
	case o.SeatsBy == SeatsByMemory:
		return o.bounded(about, takenFromCache*limit, o.ObjectsPerSeat)
	case selects:
		return o.bounded(about, about.Objects+limit, o.ObjectsPerSeat)
	case fromEtcd:
		return o.bounded(about, 2*limit, o.ObjectsPerSeat)
	}
	return o.bounded(about, about.Objects, o.ObjectsPerSeat)
}

// watchSeats is for a watch that is sent the objects.
func (o *Options) watchSeats(about Resource) int {
	switch o.SeatsBy {
	case SeatsBySize:
		return o.bounded(about, min(about.Objects*o.ObjectSize, bytesFromCache), bytesPerSeat)
	case SeatsByMemory:
		return o.bounded(about, min(about.Objects, objectsInAChannel), o.ObjectsPerSeat)
	}
	return o.bounded(about, about.Objects, o.ObjectsPerSeat)
}

// bounded is how many seats so much costs.
func (o *Options) bounded(about Resource, cost, perSeat int) int {
	if !about.Counted {
		return minimumSeats
	}
	seats := (cost + perSeat - 1) / perSeat
	return min(max(seats, minimumSeats), o.maximumSeats())
}

// delegatesList is what the estimator takes to be etcd's to answer (ShouldDelegateListMeta
// with CacheWithoutSnapshots): it knows of no snapshots and of no cache that is not ready.
func delegatesList(r *wire.ListRequest, consistentReadSupported bool) bool {
	switch {
	case r.Match == wire.MatchExact:
		return true
	case r.Match == wire.MatchNotOlderThan:
		return false
	case r.Match == wire.MatchMostRecent:
		// KEP-3157: the cache answers, whatever else the request says.
		return false
	case r.Continue != "":
		return true
	case r.Limit > 0 && r.ResourceVersion > 0:
		return true
	}
	return r.ResourceVersion == wire.Unset && !consistentReadSupported
}

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
	Uncapped       bool
	// SeatsAtEtcd: a LIST that is put to etcd although its seats were estimated for the cache takes as many as etcd's
	// answer costs (KEP-2340, "Per-request override": the cost would change after the decision).
	SeatsAtEtcd      bool
	WatchesKeepSeats bool
	QueueTimesOut    bool
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
