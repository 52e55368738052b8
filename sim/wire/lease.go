package wire

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// LeaseGrantRequest is etcdserverpb.LeaseGrantRequest.
type LeaseGrantRequest struct {
	// ID is that of the lease, 0 has etcd choose one.
	ID int64
	// TTL is in seconds.
	TTL int64
}

func (r *LeaseGrantRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("grant").Int(r.ID).Int(r.TTL)
}

func (r *LeaseGrantRequest) Label() string {
	return "LeaseGrant " + itoa(r.ID) + " for " + itoa(r.TTL) + " s"
}

// LeaseGrantResponse is etcdserverpb.LeaseGrantResponse. The TTL may be longer than asked.
type LeaseGrantResponse struct {
	Headed
	Revision, ID, TTL int64
}

func (r *LeaseGrantResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("granted").Int(r.Revision).Int(r.ID).Int(r.TTL)
}

func (r *LeaseGrantResponse) Label() string { return "lease " + itoa(r.ID) }

// LeaseRevokeRequest is etcdserverpb.LeaseRevokeRequest. The leader makes one of its own when
// a lease expires.
type LeaseRevokeRequest struct{ ID int64 }

func (r *LeaseRevokeRequest) Digest(d sim.Digest) sim.Digest { return d.Text("revoke").Int(r.ID) }
func (r *LeaseRevokeRequest) Label() string                  { return "LeaseRevoke " + itoa(r.ID) }

// LeaseRevokeResponse is etcdserverpb.LeaseRevokeResponse.
type LeaseRevokeResponse struct {
	Headed
	Revision int64
}

func (r *LeaseRevokeResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("revoked").Int(r.Revision)
}

func (r *LeaseRevokeResponse) Label() string { return "rev " + itoa(r.Revision) + ": revoked" }

// LeaseKeepAliveRequest is etcdserverpb.LeaseKeepAliveRequest. Here each is a call of its
// own: of the stream that upstream sends them on, nothing but the order is left.
type LeaseKeepAliveRequest struct{ ID int64 }

func (r *LeaseKeepAliveRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("keep alive").Int(r.ID)
}

func (r *LeaseKeepAliveRequest) Label() string { return "LeaseKeepAlive " + itoa(r.ID) }

// LeaseKeepAliveResponse is etcdserverpb.LeaseKeepAliveResponse. Its revision is that of
// before the lease was renewed. TTL is 0 if there is no such lease.
type LeaseKeepAliveResponse struct {
	Headed
	Revision, ID, TTL int64
}

func (r *LeaseKeepAliveResponse) Digest(d sim.Digest) sim.Digest {
	return d.Text("kept alive").Int(r.Revision).Int(r.ID).Int(r.TTL)
}

func (r *LeaseKeepAliveResponse) Label() string {
	if r.TTL == 0 {
		return "no lease " + itoa(r.ID)
	}
	return "lease " + itoa(r.ID) + " kept alive"
}

// LeaseTimeToLiveRequest is etcdserverpb.LeaseTimeToLiveRequest.
type LeaseTimeToLiveRequest struct {
	ID int64
	// Keys asks for the keys that are attached to the lease.
	Keys bool
}

func (r *LeaseTimeToLiveRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("time to live").Int(r.ID).Bool(r.Keys)
}

func (r *LeaseTimeToLiveRequest) Label() string { return "LeaseTimeToLive " + itoa(r.ID) }

// LeaseTimeToLiveResponse is etcdserverpb.LeaseTimeToLiveResponse.
type LeaseTimeToLiveResponse struct {
	Headed
	Revision, ID int64
	// TTL is the whole seconds that are left, -1 if there is no such lease; GrantedTTL
	// those that it has from one renewal on.
	TTL, GrantedTTL int64
	// Keys are in no order upstream, here in their own.
	Keys []string
}

func (r *LeaseTimeToLiveResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("lives").Int(r.Revision).Int(r.ID).Int(r.TTL).Int(r.GrantedTTL).Int(int64(len(r.Keys)))
	for _, k := range r.Keys {
		d = d.Text(k)
	}
	return d
}

func (r *LeaseTimeToLiveResponse) Label() string {
	if r.TTL < 0 {
		return "no lease " + itoa(r.ID)
	}
	return "lease " + itoa(r.ID) + ": " + strconv.Itoa(len(r.Keys)) + " keys"
}
