package etcd

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/lease"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// lessor is the leases, the keys that are attached to them, and the leader's revocation of expired leases.
type lessor struct {
	state.Cell[lessor] `cell:"etcd: lessor"`

	lease.Lessor
	// since is when the lessor's runLoop had its first turn, looping whether it has one in
	// this process.
	since   sim.Time
	looping bool
	// renewals are those of expired leases, which wait for the revocation.
	renewals []read
	// granted counts the ids that etcd chose.
	granted int64
}

const (
	// lessorPeriod is that of the lessor's runLoop.
	lessorPeriod = 500 * time.Millisecond
	// lessorPhases is how many phases runLoop may have.
	lessorPhases = 5
	// firstChosenID is the first id that etcd chooses.
	firstChosenID = 1_000_000
)

// forget drops what a process keeps in memory.
func (l *lessor) forget() {
	l.Demote()
	l.since, l.looping, l.renewals = 0, false, nil
}

// proposeGrant is EtcdServer.LeaseGrant: it chooses the id if the client does not.
func (s *Server) proposeGrant(env *sim.Env, e entry, r *wire.LeaseGrantRequest) {
	if r.ID == 0 {
		l := s.lessor.Change(env)
		e.payload = &wire.LeaseGrantRequest{ID: firstChosenID + l.granted, TTL: r.TTL}
		l.granted++
	}
	s.propose(env, e)
}

// lookup is lessor.Lookup.
func (s *Server) lookup(env *sim.Env, id int64) *lease.Lease {
	return s.lessor.Read(env).Lookup(id)
}

// leaseGrant is lessor.Grant.
func (s *Server) leaseGrant(env *sim.Env, e *entry, r *wire.LeaseGrantRequest) sim.Payload {
	switch {
	case r.TTL > lease.MaxTTL:
		return v3rpc.ErrLeaseTooLong
	case s.lookup(env, r.ID) != nil:
		env.Cover(coverLeaseExists)
		return v3rpc.ErrLeaseExists
	}
	env.Cover(coverLeaseGranted)
	l := s.lessor.Change(env).Grant(r.ID, r.TTL, env.Now())
	ttl := l.TTL
	s.awaitExpiry(env)
	return &wire.LeaseGrantResponse{Revision: s.endTxn(env, e), ID: r.ID, TTL: ttl}
}

// leaseRevoke is lessor.Revoke: one transaction deletes the keys, in their order.
func (s *Server) leaseRevoke(env *sim.Env, e *entry, r *wire.LeaseRevokeRequest) sim.Payload {
	if s.lookup(env, r.ID) == nil {
		return v3rpc.ErrLeaseNotFound
	}
	keys := s.lessor.Keys(r.ID)
	for _, key := range keys {
		s.store.DeleteRange(env, key, "")
	}
	env.Cover(coverLeaseRevoked)
	if len(keys) > 1 {
		env.Cover(coverLeaseKeys)
	}
	rev := s.endTxn(env, e)
	s.lessor.Change(env).Revoke(r.ID)
	s.revoked(env, r.ID)
	s.awaitExpiry(env)
	return &wire.LeaseRevokeResponse{Revision: rev}
}

// revoked lets the renewals of a lease go on, which is no more.
func (s *Server) revoked(env *sim.Env, id int64) {
	s.lessor.renewals = slices.DeleteFunc(s.lessor.renewals, func(r read) bool {
		if r.payload.(*wire.LeaseKeepAliveRequest).ID != id {
			return false
		}
		s.release(env, s.reads.add(env, r))
		return true
	})
}

// attach tells the lessor which keys the open transaction has put or deleted.
func (s *Server) attach(env *sim.Env) {
	s.store.Leases(func(key string, id int64) {
		switch had := s.lessor.GetLease(key); {
		case had == id:
			return
		case had != 0:
			env.Cover(coverDetached)
		}
		s.lessor.Change(env).Attach(key, id)
	})
}

// detachLost: a store that is made anew attaches the keys of its backend to their leases.
func (s *Server) detachLost() {
	s.store.Lost(func(key string) { s.lessor.Attach(key, 0) })
}

// receiveKeepAlive is LeaseServer.leaseKeepAlive: the header of the answer is made before the
// lease is renewed.
func (s *Server) receiveKeepAlive(env *sim.Env, e entry) {
	place := s.newRead(env, e)
	s.reads.at(place).revision = s.store.Rev(env)
	// A leader whose raft loop stands still asks the other members first (ensureLeadership).
	stalled := s.disk.Look(env).stalled
	if s.members.options().Leases.RenewsKnown && s.lessor.Primary() && !stalled && s.lookup(env, e.payload.(*wire.LeaseKeepAliveRequest).ID) != nil {
		env.Cover(coverRenewsKnown)
		s.release(env, place)
		return
	}
	s.linearizableReadNotify(env, place)
}

// leaseRenew is lessor.Renew. What is expired is about to be revoked, which it waits for.
func (s *Server) leaseRenew(env *sim.Env, r *read, p *wire.LeaseKeepAliveRequest) {
	resp := &wire.LeaseKeepAliveResponse{Revision: r.revision, ID: p.ID}
	if !s.lessor.Primary() {
		// ErrNotPrimary: the next leader is asked.
		s.linearizableReadNotify(env, s.reads.add(env, *r))
		return
	}
	if l := s.lookup(env, p.ID); l != nil {
		lessor := s.lessor.Change(env)
		if l.Expired || l.Retry != 0 || env.Mode() == sim.Timed && l.Expiry <= env.Now() {
			env.Cover(coverRenewsExpired)
			lessor.renewals = append(lessor.renewals, *r)
			return
		}
		env.Cover(coverRenewed)
		resp.TTL = l.TTL
		lessor.Renew(l, env.Now())
		renewed := lease.Renewed
		if s.members.options().Leases.RenewalsAnswered {
			renewed = lease.RenewedInVain
		}
		renewed.Say(env, p.ID, lease.Until{At: l.Expiry, Timed: env.Mode() == sim.Timed})
		s.awaitExpiry(env)
	}
	env.Send(r.conn, s.stamped(resp))
}

// leaseTimeToLive is EtcdServer.LeaseTimeToLive.
func (s *Server) leaseTimeToLive(env *sim.Env, r *read, p *wire.LeaseTimeToLiveRequest) {
	resp := &wire.LeaseTimeToLiveResponse{Revision: s.store.Rev(env), ID: p.ID, TTL: -1}
	if l := s.lookup(env, p.ID); l != nil {
		if !s.lessor.Primary() {
			env.Cover(coverTimeLeftLeaderless)
			if s.members.options().Leases.RefusesTimeLeft {
				s.noteFailure(env, p, errLeaderChanged, "")
				env.Send(r.conn, errLeaderChanged)
				return
			}
			lease.LooksUpLeaderless.Say(env, p.ID)
		}
		resp.TTL, resp.GrantedTTL = l.Remaining(env.Now()), l.TTL
		if p.Keys {
			resp.Keys = s.lessor.Keys(p.ID)
		}
	}
	env.Send(r.conn, s.stamped(resp))
}

// promote has a member that leads look after expiry (lessor.Promote).
func (s *Server) promote(env *sim.Env) {
	if s.cfg.Leader != 0 {
		return
	}
	if len(s.lessor.Leases()) > 0 {
		env.Cover(coverPromoted)
		began := lease.BeganToLead
		if s.members.options().Leases.ForgetsPromoted {
			began = lease.BeganToForget
		}
		began.Say(env, sim.Counted{N: len(s.lessor.Leases()), Thing: "lease"})
	}
	s.lessor.Change(env).Promote(env.Now(), s.cfg.Elections.Timeout)
	s.awaitExpiry(env)
}

// demote: there is no leader, so that no lease expires. A renewal asks the next leader.
func (s *Server) demote(env *sim.Env) {
	l := s.lessor.Change(env)
	l.Demote()
	for _, r := range l.renewals {
		s.linearizableReadNotify(env, s.reads.add(env, r))
	}
	l.renewals = l.renewals[:0]
	s.awaitExpiry(env)
}

// awaitExpiry sets the timer for the turn of the lessor's runLoop that finds the next expired
// lease. Turns that find none are left out.
func (s *Server) awaitExpiry(env *sim.Env) {
	if len(s.lessor.Leases()) == 0 && !s.lessor.looping {
		return
	}
	next, waits := sim.Time(0), false
	for _, l := range s.lessor.Leases() {
		if l.Queued() && s.lessor.Primary() && (!waits || l.Due() < next) {
			next, waits = l.Due(), true
		}
	}
	if !waits {
		env.Disarm(leaseTimer)
		return
	}
	if !s.lessor.looping {
		s.lessor.looping, s.lessor.since = true, env.Now()
		if env.Mode() == sim.Timed {
			s.lessor.since -= sim.Time(lessorPeriod/lessorPhases) * sim.Time(env.Choose(lessorPhases, "phase of the lessor"))
		}
	}
	turns := (max(next, env.Now()) - s.lessor.since + sim.Time(lessorPeriod) - 1) / sim.Time(lessorPeriod)
	env.Arm(leaseTimer, sim.Duration(s.lessor.since+turns*sim.Time(lessorPeriod)-env.Now()))
}

// leaseTimerFires is a turn of the lessor's runLoop, and what revokeExpiredLeases of the
// server does with one of the leases that it has found: it proposes the revocation. Others
// follow in steps of their own, in any order. When untimed, any lease may have expired.
func (s *Server) leaseTimerFires(env *sim.Env) {
	s.lessor.Read(env)
	s.lessor.Change(env)
	var expired []*lease.Lease
	all := s.lessor.Leases()
	for i := range all {
		if all[i].Queued() && (env.Mode() == sim.Untimed || all[i].Due() <= env.Now()) {
			expired = append(expired, &all[i])
		}
	}
	if len(expired) == 0 {
		s.awaitExpiry(env)
		return
	}
	l := expired[0]
	if len(expired) > 1 {
		l = expired[env.Choose(len(expired), "lease that expires")]
	}
	env.Cover(coverLeaseExpires)
	lease.RanOut.Say(env, l.ID)
	revoke := &wire.LeaseRevokeRequest{ID: l.ID}
	if s.refuseOverload(env, sim.NoConn, revoke) {
		env.Cover(coverRevocationRefused)
		l.Retry = env.Now() + sim.Time(lease.RetryInterval)
	} else {
		l.Expired = true
		s.append(env, &entry{payload: revoke})
	}
	s.awaitExpiry(env)
}
