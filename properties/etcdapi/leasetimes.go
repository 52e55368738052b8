package etcdapi

import (
	"fmt"
	"math"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// LeasesKept holds the time at which etcd revokes a lease by itself against its
// promise. A lease lives for its whole time to live from its grant on, and from the request
// of each keep-alive that was answered with it. A new leader gives each lease an
// election timeout and its whole time again (lessor.Promote), and the answer to a
// LeaseTimeToLive is a promise too. What a process promised before it restarted holds all the
// same. Only a run with a clock is judged. It is exercised by each lease that expires.
var LeasesKept = testbed.RegisterProperty(&testbed.Property{
	Name: "leases-kept", Kind: testbed.Safety, Inside: true,
	Promise:  "No lease expires before its whole time to live has passed since it was granted, last kept alive, or extended by a new leader.",
	Violated: "lease expires early",
	New:      testbed.RecordedBy(func(s *testbed.System) *leasesKept { return &leasesKept{leaseLivesOf(s), evidence.Of(s)} }, (*leasesKept).judge),
})

type leasesKept struct {
	lives    *leaseLives
	evidence *evidence.Recorder
}

func (j *leasesKept) judge(w *sim.World, all *testbed.Tally) {
	for i := range j.lives.all {
		life := &j.lives.all[i]
		if w.Mode() == sim.Untimed || !life.expired {
			continue
		}
		all.Exercised++
		if t := j.lives.term(i, j.evidence); life.gone.at < t.promised {
			life.violate(all, testbed.Concern{}, "expired at %v: it was %s, and has to live until %v", life.gone.at.Sub(0), t.last, t.promised.Sub(0))
		}
	}
}

// LeasesExpire holds a lease that no client renews against the time at which it has run out: the
// lessor of the leader finds that at its next turn, and the revocation is an entry of the log
// like any other. A keep-alive that has no answer may have renewed it. What runs out while the
// network is slow and faults strike is due when that is over. Only a run with a clock is
// judged. It is exercised by each lease that is due for long enough, or gone by then.
var LeasesExpire = testbed.RegisterProperty(&testbed.Property{
	Name: "leases-expire", Kind: testbed.Liveness, Inside: true,
	Promise:  "A lease that is not kept alive expires soon after its time to live has passed, and is revoked with its keys.",
	Violated: "lease does not expire",
	New: testbed.RecordedBy(func(s *testbed.System) *leasesExpire {
		return &leasesExpire{leaseLivesOf(s), evidence.Of(s), s.LeaseBound()}
	}, (*leasesExpire).judge),
})

type leasesExpire struct {
	lives    *leaseLives
	evidence *evidence.Recorder
	bound    testbed.Bound
}

func (j *leasesExpire) judge(w *sim.World, all *testbed.Tally) {
	if w.Mode() == sim.Untimed || w.Phase() != sim.Liveness {
		return
	}
	for i := range j.lives.all {
		life := &j.lives.all[i]
		t := j.lives.term(i, j.evidence)
		latest := max(t.due, j.lives.calm) + sim.Time(j.bound.Total)
		until := w.Now()
		if life.over {
			until = life.gone.at
		}
		switch {
		case until > latest && !t.open:
			all.Exercised++
			life.violate(all, testbed.Concern{Node: j.lives.system.Members()[0].Name, Began: t.began},
				"was there at %v: it ran out at %v, and has to be gone %v later (%s)", until.Sub(0), t.due.Sub(0), j.bound.Total, j.bound.Derivation)
		case life.expired:
			all.Exercised++
		}
	}
}

// violate notes that a lease expired early, or did not expire.
func (l *leaseLife) violate(all *testbed.Tally, about testbed.Concern, format string, args ...any) {
	all.Violatef("", about, "lease %d of %v, granted at %v, "+format, append([]any{l.id, l.ttl, l.granted.at.Sub(0)}, args...)...)
}

// leaseLife is a lease from the write that granted it to the write that removed it.
type leaseLife struct {
	id  int64
	ttl time.Duration
	// granted is when it was granted, gone when it was revoked, if it is over: by etcd, if it
	// has expired, or by a client.
	granted, gone instant
	over, expired bool
}

// election is when there was a leader again, and whether revocations may have been committed
// before that.
type election struct {
	instant
	afterRevocations bool
}

// instant is a step of a run and its time.
type instant struct {
	step int
	at   sim.Time
}

func now(w *sim.World) instant { return instant{w.Steps(), w.Now()} }

// has reports whether the lease was there at the end of a step.
func (l *leaseLife) has(i instant) bool {
	return i.step > l.granted.step && (!l.over || i.step < l.gone.step)
}

// leaseLives are the leases of a run, and what etcd did to all of them at once. They are
// those of the writes that etcd committed: what its lessor keeps of a lease is not looked at.
type leaseLives struct {
	system *testbed.System
	all    []leaseLife
	// committed is how many writes have been looked at.
	committed int
	// elected are the times at which there was a leader again, started those at which the
	// process of a member began anew.
	elected  []election
	started  []instant
	leads    bool
	restarts uint64
	// waits: writes are committed and not applied. A revocation may be among them.
	waits bool
	// calm is when the liveness phase began, 0 before.
	calm sim.Time
}

func leaseLivesOf(s *testbed.System) *leaseLives {
	return testbed.Shared(s, func(s *testbed.System) *leaseLives { return &leaseLives{system: s, leads: true} })
}

func (l *leaseLives) Reset() {
	*l = leaseLives{system: l.system, all: l.all[:0], elected: l.elected[:0], started: l.started[:0], leads: true}
}

func (*leaseLives) Follows(p testbed.Part) bool {
	return p == testbed.EtcdMember || p == testbed.TheWorld
}

func (l *leaseLives) AfterStep(w *sim.World, _ sim.Action) {
	server := l.system.Simulated()
	if leads := server.HasLeader(); leads != l.leads {
		if l.leads = leads; leads {
			l.elected = append(l.elected, election{now(w), l.waits})
		}
	}
	l.waits = server.Waits()
	if n := w.Count(etcd.Restarted); n != l.restarts {
		l.restarts = n
		l.started = append(l.started, now(w))
	}
	if l.calm == 0 && w.Phase() == sim.Liveness {
		l.calm = w.Now()
	}
	for all := server.Committed(); l.committed < len(all); l.committed++ {
		l.commit(w, &all[l.committed])
	}
}

func (l *leaseLives) commit(w *sim.World, c *etcd.Commit) {
	switch r := c.Request.(type) {
	case *wire.LeaseGrantRequest:
		ttl, _ := model.Grants(r.TTL)
		l.all = append(l.all, leaseLife{id: r.ID, ttl: time.Duration(ttl) * time.Second, granted: now(w)})
	case *wire.LeaseRevokeRequest:
		if life := l.present(r.ID); life != nil {
			life.over, life.gone, life.expired = true, now(w), c.From == 0
		}
	}
}

// present is the lease that has an id now, nil if there is none.
func (l *leaseLives) present(id int64) *leaseLife {
	for i := range l.all {
		if life := &l.all[i]; life.id == id && !life.over {
			return life
		}
	}
	return nil
}

// next reports whether a lease of the same id was granted before a step, after the i-th one.
func (l *leaseLives) next(i, by int) bool {
	for k := i + 1; k < len(l.all); k++ {
		if l.all[k].id == l.all[i].id && l.all[k].granted.step <= by {
			return true
		}
	}
	return false
}

// term is until when a lease has to live, and from when on it must not.
type term struct {
	promised, due sim.Time
	// began is when the time began that ends when it is due.
	began sim.Time
	// last is what promised most, in words.
	last string
	// open: it may have been renewed by a request that has no answer, or no leader looks after
	// it.
	open bool
}

func (t *term) promise(until sim.Time, last string) {
	if until > t.promised {
		t.promised, t.last = until, last
	}
}

// term works it out for the i-th lease, from what its clients asked and were answered.
func (l *leaseLives) term(i int, recorder *evidence.Recorder) term {
	life := &l.all[i]
	t := term{open: !l.leads}
	t.promise(life.granted.at+sim.Time(life.ttl), "granted")
	t.due, t.began = t.promised, life.granted.at
	begins := func(at, extend sim.Time) {
		if due := at + extend + sim.Time(life.ttl); due > t.due {
			t.due, t.began = due, at
		}
	}
	// A renewal takes the extension away: the time begins anew without it (lessor.Renew).
	renewed := 0
	for op := range l.system.Operations() {
		// It may be about an earlier or later lease of the same id.
		call, client := recorder.Of(op), op.Client.Name()
		if op.Request.Lease != life.id || life.over && call.Asked.Step >= life.gone.step {
			continue
		}
		switch op.Request.Kind {
		case model.LeaseKeepAlive:
			if !call.Over {
				t.open, renewed = true, math.MaxInt
				continue
			}
			if op.Outcome == model.Done && op.Result.Lease.TTL == 0 {
				continue
			}
			begins(call.Answered.Time, 0)
			renewed = max(renewed, call.Answered.Step)
			if l.about(i, op.Operation, call) {
				t.promise(call.Asked.Time+sim.Time(life.ttl), "kept alive by "+client)
			}
		case model.LeaseTimeToLive:
			if l.about(i, op.Operation, call) {
				left := min(time.Duration(op.Result.Lease.TTL)*time.Second, life.ttl)
				t.promise(call.Asked.Time+sim.Time(left), fmt.Sprintf("said to have %v left to %s", left, client))
			}
		}
	}
	extend := sim.Time(l.system.ElectionTimeout())
	for _, e := range l.elected {
		if !life.has(e.instant) {
			continue
		}
		begins(e.at, extend)
		if renewed < e.step && !e.afterRevocations {
			t.promise(e.at+extend+sim.Time(life.ttl), "extended by a new leader")
		}
	}
	for _, r := range l.started {
		if life.has(r) {
			begins(r.at, extend)
		}
	}
	return t
}

// about reports whether an answer is about the i-th lease for certain. What was asked before
// its grant may be about an earlier one.
func (l *leaseLives) about(i int, op *model.Operation, call *evidence.Call) bool {
	return op.Outcome == model.Done && call.Asked.Step > l.all[i].granted.step && !l.next(i, call.Answered.Step)
}
