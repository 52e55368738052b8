package etcd

import "github.com/watchbed/watchbed/sim"

// Members.
var (
	coverStatusDown = sim.NewSituation("etcd: version of a member that is down asked for")
	coverFailover   = sim.NewSituation("etcd: another member serves")
	coverDowngrade  = sim.NewSituation("etcd: downgraded")
)
