package flowcontrol

import "github.com/watchbed/watchbed/sim/wire"

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
