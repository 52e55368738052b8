package etcd

import "github.com/watchbed/watchbed/sim"

// What reads cost, and watch streams that are clogged.
var (
	coverRangeQueued     = sim.NewSituation("etcd: Range waits for another")
	coverSendBehindReads = sim.NewSituation("etcd: response to a watch waits behind the answers to reads")
	coverSendClogged     = sim.NewSituation("etcd: response to a watch does not get through")
)

// Members.
var (
	coverStatusDown = sim.NewSituation("etcd: version of a member that is down asked for")
	coverFailover   = sim.NewSituation("etcd: another member serves")
	coverFollows    = sim.NewSituation("etcd: entry of the log taken from the leader")
	coverDowngrade  = sim.NewSituation("etcd: downgraded")
)
