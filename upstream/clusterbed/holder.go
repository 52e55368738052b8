package clusterbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// holder has a lease, which it keeps alive three times in its time to live, as clientv3 does. If a member does not
// answer in time, it asks the next one. When the lease is gone, it asks for another one. No key is attached to it.
type holder struct {
	sim.Idle
	login
	name       string
	begin, ttl sim.Duration
	members    int

	conn sim.Conn
	at   int
	// lease is the id of the lease, has that there is one. It was granted, or last kept alive, after kept. asked is
	// when the request under way was sent.
	lease       int64
	has         bool
	kept, asked sim.Time

	// renewed counts answers to keep-alives. lost is what is said of a lease that was gone before its time.
	renewed int
	lost    string
}

const (
	renew sim.Timer = iota
	giveUp
)

// leases is how many leases a holder may have, one after the other.
const leases = 1000

func (c *holder) reset(index, members int, begin, ttl sim.Duration) {
	*c = holder{name: holderName(index), lease: int64(index+1) * leases, at: index, members: members, begin: begin, ttl: ttl}
}

// Start implements sim.Node.
func (c *holder) Start(env *sim.Env) { env.Arm(renew, c.begin) }

// Fire implements sim.Node.
func (c *holder) Fire(env *sim.Env, t sim.Timer) {
	if t == giveUp {
		c.ends(env)
		c.next(env)
		return
	}
	if c.begins(env) {
		env.Arm(giveUp, c.ttl/3)
		return
	}
	var p sim.Payload = &wire.LeaseKeepAliveRequest{ID: c.lease}
	if !c.has {
		c.lease++
		p = &wire.LeaseGrantRequest{ID: c.lease, TTL: int64(c.ttl.Seconds())}
	}
	env.Begin("lease", c.renewed)
	c.asked = env.Now()
	c.conn = env.Call(firstMember+sim.NodeID(c.at%c.members), c.gives(p))
	env.Arm(giveUp, c.ttl/3)
}

// next asks the next member.
func (c *holder) next(env *sim.Env) {
	env.Close(c.conn)
	c.conn = sim.NoConn
	c.at++
	env.Disarm(giveUp)
	env.Arm(renew, retry)
}

// Receive implements sim.Node.
func (c *holder) Receive(env *sim.Env, m *sim.Message) {
	if is, after := c.takes(m); is {
		env.Disarm(giveUp)
		env.Arm(renew, after)
		return
	}
	if m.Conn != c.conn {
		return
	}
	c.hears(env, m.Payload)
	switch p := m.Payload.(type) {
	case *wire.LeaseGrantResponse:
		c.has = true
	case *wire.LeaseKeepAliveResponse:
		if p.TTL <= 0 {
			c.gone(env)
			return
		}
		c.renewed++
	default:
		c.next(env)
		return
	}
	c.kept = c.asked
	env.Disarm(giveUp)
	env.Arm(renew, c.ttl/3)
}

// gone takes it that the lease is there no more.
func (c *holder) gone(env *sim.Env) {
	if since := env.Now().Sub(c.kept); since < c.ttl && c.lost == "" {
		c.lost = fmt.Sprintf("the lease %d of %s is gone %v after the request that kept it alive for %v", c.lease, c.name, since, c.ttl)
	}
	c.has = false
	env.Disarm(giveUp)
	env.Arm(renew, retry)
}

// TimerName implements sim.Node.
func (*holder) TimerName(t sim.Timer) string {
	return [...]string{"keep the lease alive", "give up the request"}[t]
}

// keeps judges that no lease is revoked that was kept alive in time.
func (s *subject) keeps() explore.Finding {
	f := claims("leases-kept")
	if s.operator.strikes[clockJumps] {
		// A member whose clock goes ahead has leases end before their time, and may.
		return f.Finding
	}
	for _, c := range s.holders {
		if f.exercise(c.renewed); c.lost != "" {
			f.violate("revoked", "%s", c.lost)
		}
	}
	return f.Finding
}
