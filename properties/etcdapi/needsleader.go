package etcdapi

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

// NeedsLeader holds what etcd does without a leader against what it promises. Raft takes no
// proposals then, so that a write has no answer before there is a leader again. A
// linearizable read has none either, because a leader has to say what is committed, nor has a
// keep-alive: only a leader renews leases. A serializable read is answered. monitorLeader ends
// the streams that require one after three election timeouts (clientv3.WithRequireLeader), and
// no others. A member that is cut off from the leader knows none either: its streams are
// judged, and requests go to the leader. Only a run with a clock is judged, and of each member
// the first time without a leader. It is exercised by each write, each linearizable read and
// each keep-alive that is asked for, and each stream that is open meanwhile.
var NeedsLeader = testbed.RegisterProperty(&testbed.Property{
	Name: "needs-leader", Kind: testbed.Safety, Inside: true,
	Promise:  "While etcd has no leader it answers no write, no linearizable read and no keep-alive, and it ends the watch streams that require a leader and no others. Each member knows when there is a leader again. One that is cut off from its leader knows none after one election timeout at the earliest, and after two at the latest.",
	Violated: "acts without a leader",
	Labels: map[string]string{
		"answered": "answer without a leader", "open": "stream open without a leader", "ended": "stream ended, needs no leader", "never": "knows no leader any more", "soon": "gives up its leader too soon", "late": "knows a leader for too long",
	},
	Monitor: testbed.Monitor{Runs: testbed.Timed},
	New:     evidence.With(testbed.Each(testbed.EtcdMember, needsLeader, testbed.EtcdMember)),
})

// leaderless is the first time in which a member knows no leader; lost is false if there is
// none.
type leaderless struct {
	since, until sim.Time
	lost, over   bool
	// cutOff: the member is cut off from the leader since cut, and still knows it.
	cutOff bool
	cut    sim.Time
}

// by is what is known of it at a time.
func (l leaderless) by(now sim.Time) leaderless {
	if !l.over {
		l.until = now
	}
	return l
}

func needsLeader(s *testbed.System, w *sim.World, member int, l *leaderless, all *testbed.Tally) {
	l.heartbeats(s, w, &s.Members()[member], all)
	switch m := s.Members()[member]; {
	case l.over:
	case !l.lost && !m.Server.HasLeader():
		l.since, l.lost = w.Now(), true
		if !m.Server.CutOff() {
			// The fault says when, and not the server.
			l.until, l.over = sim.Time(s.Params().Faults.For), true
		}
	case l.lost && !m.Server.CutOff():
		l.until, l.over = w.Now(), true
	}
}

// heartbeats judges how long a member hears nothing of its leader until it knows none: raft draws an election timeout
// between the one that is set and twice that.
func (l *leaderless) heartbeats(s *testbed.System, w *sim.World, m *testbed.Member, all *testbed.Tally) {
	least, silent := s.ElectionTimeout(), w.Now().Sub(l.cut)
	switch knows := m.Server.HasLeader(); {
	case !m.Server.CutOff():
		l.cutOff = false
	case !l.cutOff && knows:
		l.cutOff, l.cut = true, w.Now()
	case l.cutOff && !knows:
		if l.cutOff = false; silent < least {
			all.Violatef("soon", testbed.Concern{Node: m.Name}, "%s hears nothing of its leader for %v, and knows none any more; an election timeout is %v at least",
				m.Name, silent, least)
		}
	case l.cutOff && silent > 2*least:
		all.Violatef("late", testbed.Concern{Node: m.Name}, "%s hears nothing of its leader for %v, and takes it for its leader; an election timeout is %v at most",
			m.Name, silent, 2*least)
	}
}

// Digest is when a member knew no leader, and, once for all, since when each request waits, and which streams had
// begun before that.
func (l *leaderless) Digest(s *testbed.System, member int, d sim.Digest) sim.Digest {
	d = d.Bool(l.lost).Bool(l.over).Int(int64(l.since)).Int(int64(l.until)).Bool(l.cutOff).Int(int64(l.cut))
	if member > 0 {
		return d
	}
	for _, c := range s.Clients() {
		if d = d.Bool(c.Waiting()); c.Waiting() {
			d = d.Int(int64(c.Spans()[len(c.Spans())-1].Call))
		}
	}
	for _, c := range s.Streams() {
		if all := c.Responses(); len(all) > 0 {
			d = d.Int(int64(all[0].At))
		}
	}
	return d
}

// Conclude judges requests by the first member, which is asked, and streams by the last one, at which clients watch.
func (l *leaderless) Conclude(s *testbed.System, w *sim.World, member int, all *testbed.Tally) {
	if w.Mode() == sim.Untimed || !l.lost {
		return
	}
	known, m := l.by(w.Now()), &s.Members()[member]
	if w.Now() > known.until && !m.Server.HasLeader() {
		known.violate(all, "never", m.Name, "knows no leader at %v", w.Now().Sub(0))
	}
	if member == 0 {
		for o := range s.Operations() {
			known.request(s, all, o)
		}
	}
	if member == len(s.Members())-1 {
		bound := s.WithoutLeader(s.DeliveryBound())
		for _, c := range s.Streams() {
			known.stream(w, all, c, bound)
		}
	}
}

// request judges what a client asked for while there was no leader, but for what the cache
// is asked and what may be served from any state. A refusal needs no leader.
func (l *leaderless) request(s *testbed.System, all *testbed.Tally, o *testbed.Operation) {
	if o.Span.Call <= l.since || o.Span.Call >= l.until {
		return
	}
	read := s.Topology().IsEtcd(evidence.Of(s).Of(o).To) && !serializable(o.Message)
	if !read && onlyReads(o.Request) {
		return
	}
	all.Exercised++
	if o.Span.Answered && o.Outcome == model.Done && o.Span.Return < l.until {
		l.violate(all, "answered", o.Client.Name(), "was answered %s at %v", o.Message.Label(), o.Span.Return.Sub(0))
	}
}

// stream judges how a stream ended, and when. Whether one stays open for too long is not
// known in a run that is over earlier, because all clients are done.
func (l *leaderless) stream(w *sim.World, all *testbed.Tally, c *workload.EtcdWatch, bound testbed.Bound) {
	plan := c.Plan()
	if len(plan.Creates) == 0 || len(c.Responses()) == 0 || c.Responses()[0].At > l.since {
		return
	}
	all.Exercised++
	at, failure := c.End()
	refused := c.Ended() && failure != nil && failure.Code == wire.NoLeader
	switch due := l.since + sim.Time(bound.Total); {
	case !plan.Creates[0].RequireLeader && refused:
		l.violate(all, "ended", c.Name(), "has a stream that requires no leader, which etcd ended")
	case plan.Creates[0].RequireLeader && due < min(l.until, w.Now()) && (!c.Ended() || at > due):
		l.violate(all, "open", c.Name(), "has a stream that requires a leader, and was open for more than %v (%s)", bound.Total, bound.Derivation)
	}
}

// violate notes what etcd must not do without a leader.
func (l *leaderless) violate(all *testbed.Tally, label, client, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: client}, "etcd has no leader from %v to %v, and %s "+format,
		append([]any{l.since.Sub(0), l.until.Sub(0), client}, args...)...)
}
