package etcdapi

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// LeasesKept holds the time at which etcd revokes a lease by itself against what it has
// promised. A lease lives for its whole time to live from when it was granted, and from when
// a keep-alive was asked for that was answered with it. A new leader gives each lease an
// election timeout and its whole time again (lessor.Promote), and the answer to a
// LeaseTimeToLive is a promise too. What a process promised before it restarted holds all the
// same. Only a run with a clock is judged. It is exercised by each lease that expires.
var LeasesKept = testbed.RegisterProperty(&testbed.Property{
	Name: "leases-kept", Kind: testbed.Safety,
	Promise:  "No lease expires before its whole time to live has passed since it was granted, last kept alive, or extended by a new leader.",
	Violated: "lease expires early",
	New: func(s *testbed.System) testbed.Judge {
		return &leasesKept{leaseLivesOf(s), moments.Of(s)}
	},
})

type leasesKept struct {
	lives   *leaseLives
	moments *moments.Recorder
}

// Reset implements testbed.Judge.
func (*leasesKept) Reset() {}

// Finding implements testbed.Judge.
func (j *leasesKept) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for i := range j.lives.all {
		life := &j.lives.all[i]
		if w.Mode() == sim.Untimed || !life.expired {
			continue
		}
		all.Exercised++
		if t := j.lives.term(i, j.moments); life.gone.at < t.promised {
			all.Violate("", &mistimedLease{life, fmt.Sprintf("expired at %v: it was %s, and has to live until %v", life.gone.at.Sub(0), t.last, t.promised.Sub(0)), explore.Concern{}})
		}
	}
	return all.Finding()
}

// LeasesExpire holds a lease that no client renews against the time at which it has run out: the
// lessor of the leader finds that at its next turn, and the revocation is an entry of the log
// like any other. A keep-alive that has no answer may have renewed it. What runs out while the
// network is slow and faults strike is due when that is over. Only a run with a clock is
// judged. It is exercised by each lease that is due for long enough, or gone by then.
var LeasesExpire = testbed.RegisterProperty(&testbed.Property{
	Name: "leases-expire", Kind: testbed.Liveness,
	Promise:  "A lease that is not kept alive expires soon after its time to live has passed, and is revoked with its keys.",
	Violated: "lease does not expire",
	New: func(s *testbed.System) testbed.Judge {
		return &leasesExpire{leaseLivesOf(s), moments.Of(s), s.LeaseBound()}
	},
})

type leasesExpire struct {
	lives   *leaseLives
	moments *moments.Recorder
	bound   testbed.Bound
}

// Reset implements testbed.Judge.
func (*leasesExpire) Reset() {}

// Finding implements testbed.Judge.
func (j *leasesExpire) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	if w.Mode() == sim.Untimed || w.Phase() != sim.Liveness {
		return all.Finding()
	}
	for i := range j.lives.all {
		life := &j.lives.all[i]
		t := j.lives.term(i, j.moments)
		latest := max(t.due, j.lives.calm) + sim.Time(j.bound.Total)
		until := w.Now()
		if life.over {
			until = life.gone.at
		}
		switch {
		case until > latest && !t.open:
			all.Exercised++
			all.Violate("", &mistimedLease{life, fmt.Sprintf("was there at %v: it ran out at %v, and has to be gone %v later (%s)",
				until.Sub(0), t.due.Sub(0), j.bound.Total, j.bound.Derivation), explore.Concern{Node: j.lives.system.Members()[0].Name, Began: t.began}})
		case life.expired:
			all.Exercised++
		}
	}
	return all.Finding()
}

// mistimedLease is a lease that expired early, or did not expire.
type mistimedLease struct {
	life  *leaseLife
	wrong string
	// concern is what the lessor has left undone; empty if it has done too much.
	concern explore.Concern
}

func (v *mistimedLease) String() string {
	return fmt.Sprintf("lease %d of %v, granted at %v, %s", v.life.id, v.life.ttl, v.life.granted.at.Sub(0), v.wrong)
}

// Concerns implements explore.Concerned.
func (v *mistimedLease) Concerns() explore.Concern { return v.concern }
