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

// minimumSeats is what any request takes at least, maximumListSeats what a LIST takes at
// most.
const (
	minimumSeats     = 1
	maximumListSeats = 10
)

// maximumSeats is how many seats of a level one request may take: 15 % of them, and no
// more than the queues of a flow leave to each.
func (o *Options) maximumSeats() int {
	share := (o.Seats*15 + 99) / 100
	return min(max(1, min(share, o.Seats/o.HandSize)), maximumListSeats)
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
		// Since 1.35 one that is sent the objects unasked counts, too.
		sent := r.SendInitialEvents == wire.SendInitialEventsTrue || r.ResourceVersion == wire.Unset || r.ResourceVersion == 0
		if sent && !r.Single && !about.WithoutWatchList {
			return o.bounded(about, about.Objects)
		}
	}
	return minimumSeats
}

// CostAtEtcd is what a LIST would have been estimated at, had it been known that etcd
// answers it.
func (o *Options) CostAtEtcd(r *wire.ListRequest, about Resource) int {
	return o.listSeats(r, about, true)
}

// listSeats is seatsBasedOnObjectCount: the cache goes through all objects whatever the
// limit; those that etcd sends are counted twice, because they are decoded.
func (o *Options) listSeats(r *wire.ListRequest, about Resource, fromEtcd bool) int {
	limit := about.Objects
	if r.Limit > 0 {
		limit = min(limit, int(r.Limit))
	}
	processed := about.Objects
	switch {
	case fromEtcd && r.Selector.Empty():
		processed = 2 * limit
	case fromEtcd:
		processed = about.Objects + limit
	}
	return o.bounded(about, processed)
}

// bounded is how many seats so many objects take.
func (o *Options) bounded(about Resource, objects int) int {
	if !about.Counted {
		return minimumSeats
	}
	seats := (objects + o.ObjectsPerSeat - 1) / o.ObjectsPerSeat
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
