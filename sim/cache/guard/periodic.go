package guard

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
)

// periodic asks each endpoint again a minute after its answer, and goes by the newest
// answers ("maybe periodically after that as well", the first draft of KEP-2340, which
// names no time).
type periodic struct {
	endpoints
	versions [MaxEndpoints]heard
	// turns is how often an untimed run has asked again: its timers could fire for ever.
	turns int
}

// heard is what an endpoint has answered last.
type heard uint8

const (
	heardNothing heard = iota
	heardNew
	heardOld
)

const (
	askPeriod    = time.Minute
	untimedTurns = 2
)

func (c *periodic) Reset() {
	c.endpoints.reset()
	*c = periodic{endpoints: c.endpoints}
}

func (c *periodic) Passes(v release.Version) bool { return fixedDeferring.includes(v) }

func (c *periodic) Start(env *sim.Env, cfg *Config) Outcome {
	if cfg.ConsistentListFromCache == GateDisabled {
		return Outcome{}
	}
	c.askAll(env, cfg, firstRetry)
	return c.outcome(env)
}

// outcome trusts etcd once an endpoint has answered and as long as none was too old
// when it answered last.
func (c *periodic) outcome(env *sim.Env) Outcome {
	env.Reads(cellEndpoints, 0)
	o := Outcome{}
	for i := range c.all {
		o.Asking = o.Asking || c.all[i].call != sim.NoConn
		o.Trusts = o.Trusts || c.versions[i] == heardNew
	}
	for i := range c.all {
		o.Trusts = o.Trusts && c.versions[i] != heardOld
	}
	return o
}

func (c *periodic) Receive(env *sim.Env, cfg *Config, m *sim.Message) (Outcome, bool) {
	i, version, ok := c.answered(env, m)
	if i < 0 {
		return Outcome{}, false
	}
	if !ok {
		c.askLater(env, cfg, i)
		return c.outcome(env), true
	}
	c.versions[i] = heardOld
	if passes(env, c, i, version) {
		c.versions[i] = heardNew
	}
	c.all[i].retry = firstRetry
	if env.Mode() == sim.Timed || c.turns < untimedTurns {
		env.Arm(cfg.timer(i), askPeriod)
	}
	return c.outcome(env), true
}

// Fire asks an endpoint again.
func (c *periodic) Fire(env *sim.Env, cfg *Config, i int) Outcome {
	env.Cover(askedAgain)
	c.turns++
	c.ask(env, cfg, i)
	return c.outcome(env)
}

func (c *periodic) Clone() Check {
	d := *c
	d.endpoints = c.endpoints.clone()
	return &d
}

func (c *periodic) Cells(visit sim.CellVisitor) {
	d := c.endpoints.digest().Int(int64(c.turns))
	for _, v := range c.versions {
		d = d.Word(uint64(v))
	}
	visit(cellEndpoints, 0, d)
}
