package plans

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// leaseIDs is how many leases clients name: few, so that they meet.
const leaseIDs = 2

// leaseTTLs are shorter than the shortest that etcd grants, longer, and longer than it takes.
var leaseTTLs = [...]int64{2, 1, 10, 60, 9_000_000_001}

func (p *planner) anyLease(s *swarm) int64 { return 1 + int64(s.env.Choose(leaseIDs, "lease")) }

// anyLeaseRequest grants a lease, or is about one that there may be.
func (p *planner) anyLeaseRequest(s *swarm) sim.Payload {
	id := p.anyLease(s)
	switch s.env.Choose(8, "kind of lease request") {
	case 0, 1, 2:
		if s.env.Choose(6, "lease that etcd names") == 1 {
			id = 0
		}
		return &wire.LeaseGrantRequest{ID: id, TTL: leaseTTLs[s.env.Choose(len(leaseTTLs), "time to live")]}
	case 3:
		return &wire.LeaseKeepAliveRequest{ID: id}
	case 4, 5, 6:
		return &wire.LeaseTimeToLiveRequest{ID: id, Keys: s.env.Choose(4, "keys of the lease") > 0}
	}
	return &wire.LeaseRevokeRequest{ID: id}
}
