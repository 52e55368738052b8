package guard

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
)

// featureSupportChecker is upstream's type of that name: it asks while the API
// server starts, and asks an endpoint again until it answers.
type featureSupportChecker struct {
	endpoints
	progressNotify support
}

// support is upstream's progressNotifySupported, a pointer to a bool.
type support uint8

const (
	supportUnknown support = iota
	supportSeen
	// supportDenied: an endpoint is too old. Nothing takes that back while the
	// process lives.
	supportDenied
)

// The first retry comes after 10 ms, each other after twice the time.
const (
	firstRetry = 10 * time.Millisecond
	maxRetry   = 15 * time.Second
)

func (c *featureSupportChecker) Reset() {
	c.endpoints.reset()
	c.progressNotify = supportUnknown
}

func (c *featureSupportChecker) Passes(v release.Version) bool { return fixedDeferring.includes(v) }

func (c *featureSupportChecker) Start(env *sim.Env, cfg *Config) Outcome {
	if cfg.ConsistentListFromCache == GateDisabled {
		return Outcome{}
	}
	c.askAll(env, cfg, firstRetry)
	return c.outcome(env)
}

func (c *featureSupportChecker) outcome(env *sim.Env) Outcome {
	env.Reads(cellEndpoints, 0)
	return Outcome{Trusts: c.progressNotify == supportSeen, Asking: c.missing > 0}
}

// Receive is checkClient for the version of one endpoint. A version that cannot
// be read counts as too old.
func (c *featureSupportChecker) Receive(env *sim.Env, cfg *Config, m *sim.Message) (Outcome, bool) {
	i, version, ok := c.answered(env, m)
	switch {
	case i < 0:
		return Outcome{}, false
	case !ok:
		c.askLater(env, cfg, i)
		return c.outcome(env), true
	}
	if passes(env, c, i, version) {
		if c.progressNotify == supportUnknown {
			c.progressNotify = supportSeen
		}
	} else {
		if c.progressNotify == supportSeen {
			env.Cover(supportTakenBack)
		}
		c.progressNotify = supportDenied
	}
	c.settle(env, i)
	return c.outcome(env), true
}

// Fire asks an endpoint again.
func (c *featureSupportChecker) Fire(env *sim.Env, cfg *Config, i int) Outcome {
	env.Cover(askedAgain)
	c.ask(env, cfg, i)
	return c.outcome(env)
}

func (c *featureSupportChecker) Clone() Check {
	d := *c
	d.endpoints = c.endpoints.clone()
	return &d
}

func (c *featureSupportChecker) Cells(visit sim.CellVisitor) {
	visit(cellEndpoints, 0, c.endpoints.digest().Word(uint64(c.progressNotify)))
}
