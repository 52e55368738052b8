package etcdapi

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// StalledDisk holds a member's behavior while the disk of its log stalls against its promises. It answers serializable
// reads from its applied state. Nothing gets into its log, and raft gives it no index: a write or
// a linearizable read waits for the disk, or is refused after the time that a request may take. A read may have to wait
// for those before it to be refused first. Only a run with a clock is judged. It is exercised by each request that is
// asked for meanwhile.
var StalledDisk = testbed.RegisterProperty(&testbed.Property{
	Name: "stalled-disk", Kind: testbed.Liveness, Inside: true,
	Promise:  "While the disk of a member of etcd stalls it answers each serializable read at once, and no write and no linearizable read: each of these is refused in time, or answered when the disk is back.",
	Violated: "acts wrongly on a stalled disk",
	Labels: map[string]string{
		"serializable": "serializable read has to wait", "answered": "answer without the disk", "late": "neither answered nor refused",
	},
	New: evidence.With(testbed.Each(testbed.EtcdMember, diskStalls)),
})

// requestTimeout is etcd's: five seconds, and two election timeouts (ServerConfig.ReqTimeout).
func requestTimeout(s *testbed.System) time.Duration { return 5*time.Second + 2*s.ElectionTimeout() }

// stall is the time in which the disk of a member stalls.
type stall struct {
	since, until  sim.Time
	stalled, over bool
}

func diskStalls(s *testbed.System, w *sim.World, member int, t *stall, _ *testbed.Tally) {
	switch stalls := s.Members()[member].Server.StalledDisk(); {
	case stalls && !t.stalled:
		t.since, t.stalled = w.Now(), true
	case !stalls && t.stalled && !t.over:
		t.until, t.over = w.Now(), true
	}
}

// Conclude judges the requests to a member.
func (t *stall) Conclude(s *testbed.System, w *sim.World, member int, all *testbed.Tally) {
	if w.Mode() == sim.Untimed || !t.stalled {
		return
	}
	if !t.over {
		t.until = w.Now()
	}
	m := s.Members()[member]
	// Delays are up to ten times as long before faults end.
	soon := sim.Time(10 * s.DeliveryBound().Total)
	for o := range s.Operations() {
		if evidence.Of(s).Of(o).To != m.ID || o.Span.Call <= t.since || o.Span.Call >= t.until {
			continue
		}
		all.Exercised++
		early := o.Request.Kind != model.LeaseKeepAlive && onlyReads(o.Request) && serializable(o.Message)
		due := min(o.Span.Call+sim.Time(2*requestTimeout(s)), t.until) + soon
		if early {
			due = o.Span.Call + soon
		}
		switch {
		case o.Span.Answered && o.Outcome == model.Done && !early && o.Span.Return < t.until:
			t.violate(all, "answered", m.Name, o, "was answered %s at %v", o.Message.Label(), o.Span.Return.Sub(0))
		case (o.Span.Answered || w.Now() <= due) && (!o.Span.Answered || o.Span.Return <= due):
		case early:
			t.violate(all, "serializable", m.Name, o, "had no answer to the serializable %s of %v by %v", o.Message.Label(), o.Span.Call.Sub(0), due.Sub(0))
		default:
			t.violate(all, "late", m.Name, o, "had no answer to %s of %v by %v", o.Message.Label(), o.Span.Call.Sub(0), due.Sub(0))
		}
	}
}

func (t *stall) violate(all *testbed.Tally, label, member string, o *testbed.Operation, format string, args ...any) {
	all.Violatef(label, testbed.Concern{Node: o.Client.Name()}, "the disk of %s stalls from %v to %v, and %s "+format,
		append([]any{member, t.since.Sub(0), t.until.Sub(0), o.Client.Name()}, args...)...)
}
