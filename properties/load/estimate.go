package load

import (
	"math"

	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/wire"
)

// seatsOf is what a request is to be estimated at (KEP-1040, and upstream's
// list_work_estimator.go), written down a second time. The objects are those
// that the cache has when the request comes, 0 before its first list.
func seatsOf(o *flowcontrol.Options, r *flowcontrol.Request, objects int) int {
	switch p := r.Message.Payload.(type) {
	case *wire.ListRequest:
		if p.Single {
			return 1
		}
		named := p.ResourceVersion != wire.Unset
		toEtcd := p.Match == wire.MatchExact ||
			p.Match == wire.MatchUnset && (p.Continue != "" || p.Limit > 0 && p.ResourceVersion > 0 || !named && !r.About.ConsistentReadSupported)
		if toEtcd {
			return seatsAtEtcd(o, p, objects)
		}
		return seatsFor(o, objects)
	case *wire.WatchRequest:
		unasked := p.ResourceVersion == wire.Unset || p.ResourceVersion == 0
		resumes := !unasked && p.SendInitialEvents != wire.SendInitialEventsTrue
		if p.Single || resumes || r.About.WithoutWatchList {
			return 1
		}
		return seatsFor(o, objects)
	}
	return 1
}

// seatsAtEtcd is what a LIST is to be estimated at that etcd answers: objects are fetched
// and decoded.
func seatsAtEtcd(o *flowcontrol.Options, p *wire.ListRequest, objects int) int {
	returned := objects
	if p.Limit > 0 && int(p.Limit) < objects {
		returned = int(p.Limit)
	}
	if p.Selector.Empty() {
		return seatsFor(o, 2*returned)
	}
	return seatsFor(o, objects+returned)
}

// seatsFor is how many seats so many objects take: one for each hundred, at most ten, 15 %
// of the level's, and what is left for each queue of a client.
func seatsFor(o *flowcontrol.Options, objects int) int {
	most := math.Min(10, math.Min(math.Ceil(float64(15*o.Seats)/100), math.Floor(float64(o.Seats)/float64(o.HandSize))))
	seats := math.Ceil(float64(objects) / float64(o.ObjectsPerSeat))
	return int(math.Max(1, math.Min(seats, most)))
}
