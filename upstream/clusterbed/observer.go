package clusterbed

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// observer asks now and then some member what it says of itself.
type observer struct {
	sim.Idle
	login
	config *Config

	member int
	conn   sim.Conn
	// called is when the question under way was asked.
	called int64
	seen   []sighting
}

// sighting is what a process of a member said of itself.
type sighting struct {
	answer
	id           uint64
	process      int
	asked, heard int64
}

func (o *observer) reset(c *Config) { *o = observer{config: c, seen: o.seen[:0]} }

// Start implements sim.Node.
func (o *observer) Start(env *sim.Env) {
	if o.config.Observe > 0 {
		env.Arm(ask, o.config.Boot)
	}
}

// Fire implements sim.Node.
func (o *observer) Fire(env *sim.Env, _ sim.Timer) {
	if o.conn != sim.NoConn {
		env.Close(o.conn)
	}
	if o.begins(env) {
		return
	}
	o.member = env.Choose(o.config.machines(), "member that is observed")
	env.Begin("observe", len(o.seen))
	o.called = env.Tick()
	o.conn = env.Call(firstMember+sim.NodeID(o.member), o.gives(&clusternode.Request{Op: protocol.OpStatus}))
	if env.Now() < sim.Time(o.config.For) {
		env.Arm(ask, o.config.Observe*time.Duration(1+env.Choose(delaySteps, "time until the next look"))/delaySteps)
	}
}

// Receive implements sim.Node.
func (o *observer) Receive(env *sim.Env, m *sim.Message) {
	if is, after := o.takes(m); is {
		env.Arm(ask, after)
		return
	}
	if m.Conn != o.conn {
		return
	}
	o.hears(env, m.Payload)
	o.conn = sim.NoConn
	if p, ok := m.Payload.(*clusternode.Response); ok {
		of := env.Node(m.From).(*clusternode.Node)
		o.seen = append(o.seen, sighting{answer{o.member, *p}, of.ID, of.Starts, o.called, env.Tick()})
	}
}

// TimerName implements sim.Node.
func (*observer) TimerName(sim.Timer) string { return "next look" }

// positions are the numbers that only rise. The term is that of the last entry that was applied, so that it says
// nothing about the leader that stands beside it.
func (s *sighting) positions() [4]int64 {
	return [4]int64{s.Status.Term, s.Status.Index, s.Status.Applied, s.Revision}
}

var positionNames = [4]string{"term", "index", "applied index", "revision"}

// honest judges what members say of themselves: their term, index, applied index and revision never go back within a
// process, and behind the last fault they are what they ever were. In between a process begins where its backend and
// its snapshots are, and says so. The leader is a member.
func (s *subject) honest() explore.Finding {
	c := claims("status-honest")
	seen := slices.Clone(s.observer.seen)
	for i := range s.auditor.statuses {
		a := &s.auditor.statuses[i]
		of := s.members[a.member]
		// It is asked last.
		seen = append(seen, sighting{*a, of.ID, 0, s.auditor.tick, s.auditor.tick})
	}
	ids := s.operator.ids
	for i := range s.config.Members {
		ids = append(slices.Clip(ids), clusternode.RaftIDOf(i))
	}
	for i := range seen {
		b := &seen[i]
		l := b.Status.Leader
		c.expect(l == 0 || slices.Contains(ids, l), "leader", "%s names %x as the leader, which is no member", memberName(b.member), l)
		for k := range i {
			a := &seen[k]
			if a.id != b.id || a.process != b.process && b.process != 0 || a.heard > b.asked {
				continue
			}
			was, is := a.positions(), b.positions()
			for n := range was {
				if was[n] > is[n] {
					c.violate(positionNames[n], "%s of process %d of %s was %d, and is %d later", positionNames[n], a.process, memberName(a.member), was[n], is[n])
				}
			}
		}
	}
	return c.Finding
}
