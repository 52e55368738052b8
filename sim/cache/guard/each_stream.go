package guard

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// streamFollower is a Check that wants to know when the watch of the cache is created
// on a stream to etcd: the first time, and each time that clientv3 resumes it.
type streamFollower interface {
	StreamOpened(env *sim.Env, cfg *Config) Outcome
}

// eachStream asks the member that a stream leads to for its version, whenever the
// watch is created on one ("when client connections to etcd servers are established",
// the first draft of KEP-2340). Until it has answered, progress that the stream brings
// is dropped: a member that was replaced by an older one has ended all streams, so none
// of its progress is ever believed.
type eachStream struct {
	call sim.Conn
	// retry is the time until the next attempt, if this one fails.
	retry sim.Duration
	off   bool
}

// unknownStream: nothing is known of the member.
var unknownStream = Outcome{Asking: true, Deaf: true}

func (c *eachStream) Reset() { *c = eachStream{} }

func (c *eachStream) Passes(v release.Version) bool { return fixedDeferring.includes(v) }

func (c *eachStream) Start(env *sim.Env, cfg *Config) Outcome {
	env.Writes(cellEndpoints, 0)
	c.off = cfg.ConsistentListFromCache == GateDisabled
	return Outcome{Deaf: !c.off}
}

// StreamOpened implements streamFollower. What an earlier question comes to is about an
// earlier stream.
func (c *eachStream) StreamOpened(env *sim.Env, cfg *Config) Outcome {
	env.Writes(cellEndpoints, 0)
	if c.off {
		return Outcome{}
	}
	if c.call != sim.NoConn {
		env.Close(c.call)
	}
	env.Disarm(cfg.timer(0))
	c.retry = firstRetry
	c.ask(env, cfg)
	return unknownStream
}

func (c *eachStream) ask(env *sim.Env, cfg *Config) {
	env.Cover(streamAsked)
	c.call = env.Call(cfg.KV, statusOfServing)
}

func (c *eachStream) Receive(env *sim.Env, cfg *Config, m *sim.Message) (Outcome, bool) {
	env.Reads(cellEndpoints, 0)
	if c.call == sim.NoConn || m.Conn != c.call {
		return Outcome{}, false
	}
	env.Writes(cellEndpoints, 0)
	c.call = sim.NoConn
	p, ok := m.Payload.(*wire.StatusResponse)
	if !ok {
		env.Cover(EndpointUnknown)
		env.Arm(cfg.timer(0), c.retry)
		c.retry = min(2*c.retry, maxRetry)
		return unknownStream, true
	}
	if passes(env, c, 0, p.Version) {
		return Outcome{Trusts: true}, true
	}
	return Outcome{Deaf: true}, true
}

// Fire asks again.
func (c *eachStream) Fire(env *sim.Env, cfg *Config, _ int) Outcome {
	env.Cover(askedAgain)
	env.Writes(cellEndpoints, 0)
	c.ask(env, cfg)
	return unknownStream
}

func (c *eachStream) Clone() Check { d := *c; return &d }

func (c *eachStream) Conns(visit func(sim.Conn)) { visit(c.call) }

func (c *eachStream) Cells(visit sim.CellVisitor) {
	visit(cellEndpoints, 0, sim.NewDigest.Bool(c.call != sim.NoConn).Int(int64(c.retry)).Bool(c.off))
}

var statusOfServing = &wire.StatusRequest{Endpoint: wire.ServingEndpoint}
