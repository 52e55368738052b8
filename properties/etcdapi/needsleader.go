package etcdapi

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// NeedsLeader holds what etcd does without a leader against what it promises. Raft takes no
// proposals then, so that a write has no answer before there is a leader again. A
// linearizable read has none either, because a leader has to say what is committed; a
// serializable read is answered. monitorLeader ends the streams that require one after three
// election timeouts (clientv3.WithRequireLeader), and no others. A member that is cut off from
// the leader knows none either: its streams are judged, and requests go to the leader. Only a
// run with a clock is judged, and of each member the first time without a leader. It is
// exercised by each write and each linearizable read that is asked for, and each stream that
// is open meanwhile.
var NeedsLeader = testbed.RegisterProperty(&testbed.Property{
	Name: "needs-leader", Kind: testbed.Safety,
	Promise:  "While etcd has no leader it answers no write and no linearizable read, and it ends the watch streams that require a leader and no others.",
	Violated: "acts without a leader",
	Labels: map[string]string{
		"answered": "answer without a leader", "open": "stream open without a leader", "ended": "stream ended, needs no leader",
	},
	Monitor: testbed.Monitor{Runs: testbed.Timed},
	New: testbed.AfterStepsBy(func(s *testbed.System) *needsLeader {
		return &needsLeader{system: s, moments: moments.Of(s), bound: s.WithoutLeader(s.DeliveryBound()), members: make([]leaderless, len(s.Members()))}
	}, (*needsLeader).step, testbed.EtcdMember),
})

type needsLeader struct {
	system  *testbed.System
	moments *moments.Recorder
	// bound is how long a stream that requires a leader may stay open.
	bound testbed.Bound
	// members are those of System.Members.
	members []leaderless
}

// leaderless is the first time in which a member knows no leader; lost is false if there is
// none.
type leaderless struct {
	since, until sim.Time
	lost, over   bool
}

// by is what is known of it at a time.
func (l leaderless) by(now sim.Time) leaderless {
	if !l.over {
		l.until = now
	}
	return l
}

// Reset implements testbed.Observer.
func (j *needsLeader) Reset() { clear(j.members) }

func (j *needsLeader) step(w *sim.World, _ sim.Action, _ *testbed.Tally) {
	for i, m := range j.system.Members() {
		l := &j.members[i]
		switch {
		case l.over:
		case !l.lost && !m.Server.HasLeader():
			l.since, l.lost = w.Now(), true
			if !m.Server.CutOff() {
				// The fault says when, and not the server.
				l.until, l.over = sim.Time(j.system.Params().Faults.For), true
			}
		case l.lost && !m.Server.CutOff():
			l.until, l.over = w.Now(), true
		}
	}
}

// Copy has seen what the same judge of another system has.
func (j *needsLeader) Copy(seen *needsLeader) *needsLeader {
	c := *j
	c.members = slices.Clone(seen.members)
	return &c
}

// Digest is when each member knew no leader, since when each request waits, and which streams had
// begun before that.
func (j *needsLeader) Digest(d sim.Digest) sim.Digest {
	for _, l := range j.members {
		d = d.Bool(l.lost).Bool(l.over).Int(int64(l.since)).Int(int64(l.until))
	}
	for _, c := range j.system.Clients() {
		if d = d.Bool(c.Waiting()); c.Waiting() {
			d = d.Int(int64(c.Spans()[len(c.Spans())-1].Call))
		}
	}
	for _, c := range j.system.Streams() {
		if all := c.Responses(); len(all) > 0 {
			d = d.Int(int64(all[0].At))
		}
	}
	return d
}

// Conclude implements testbed.Concluder.
func (j *needsLeader) Conclude(w *sim.World, all *testbed.Tally) {
	if w.Mode() == sim.Untimed {
		return
	}
	if asked := j.members[0].by(w.Now()); asked.lost {
		for i, c := range j.system.Clients() {
			j.requests(all, c, j.moments.Operations(i), &asked)
		}
	}
	if watched := j.members[len(j.members)-1].by(w.Now()); watched.lost {
		for _, c := range j.system.Streams() {
			j.stream(w, all, c, &watched)
		}
	}
}

// requests judges what a client asked for while there was no leader, but for what the cache
// is asked and what may be served from any state. A refusal needs no leader.
func (j *needsLeader) requests(all *testbed.Tally, c *workload.Client, at []moments.Call, l *leaderless) {
	for k := range c.Operations() {
		op, span := &c.Operations()[k], &c.Spans()[k]
		if span.Call <= l.since || span.Call >= l.until {
			continue
		}
		read := at[k].To == j.system.Topology().Etcd && op.Request.Kind != model.LeaseKeepAlive && !serializable(c.Requests()[k])
		if !read && onlyReads(op.Request) {
			continue
		}
		all.Exercised++
		if span.Answered && op.Outcome == model.Done && span.Return < l.until {
			all.Violate("answered", l.wrong(c.Name(), fmt.Sprintf("was answered %s at %v", c.Requests()[k].Label(), span.Return.Sub(0))))
		}
	}
}

// stream judges how a stream ended, and when. Whether one stays open for too long is not
// known in a run that is over earlier, because all clients are done.
func (j *needsLeader) stream(w *sim.World, all *testbed.Tally, c *workload.EtcdWatch, l *leaderless) {
	plan := c.Plan()
	if len(plan.Creates) == 0 || len(c.Responses()) == 0 || c.Responses()[0].At > l.since {
		return
	}
	all.Exercised++
	at, failure := c.End()
	refused := c.Ended() && failure != nil && failure.Code == wire.NoLeader
	switch due := l.since + sim.Time(j.bound.Total); {
	case !plan.Creates[0].RequireLeader && refused:
		all.Violate("ended", l.wrong(c.Name(), "has a stream that requires no leader, which etcd ended"))
	case plan.Creates[0].RequireLeader && due < min(l.until, w.Now()) && (!c.Ended() || at > due):
		all.Violate("open", l.wrong(c.Name(), fmt.Sprintf("has a stream that requires a leader, and was open for more than %v (%s)", j.bound.Total, j.bound.Derivation)))
	}
}

// wrong is what etcd must not do without a leader.
func (l *leaderless) wrong(client, what string) fmt.Stringer {
	return testbed.Wrong(explore.Concern{Node: client}, "etcd has no leader from %v to %v, and %s %s", l.since.Sub(0), l.until.Sub(0), client, what)
}
