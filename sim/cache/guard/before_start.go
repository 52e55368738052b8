package guard

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// beforeStart is the safeguard that KEP-2340 proposes: the API server asks all
// endpoints for their versions before it starts.
type beforeStart struct {
	// locked: the gate ConsistentListFromCache is locked to true (GA).
	locked bool
	endpoints
	// old: some endpoint is too old. unknown: some endpoint did not give its
	// version.
	old, unknown bool
}

// statusTimeout bounds the wait for the versions. The KEP names no time; this is
// what the API server gives etcd to answer its health check. Untimed there is no
// bound: the timer could fire before every answer, and an endpoint that is down
// answers with an error.
const statusTimeout = 2 * time.Second

func (c *beforeStart) Reset() {
	c.endpoints.reset()
	*c = beforeStart{locked: c.locked, endpoints: c.endpoints}
}

func (c *beforeStart) Passes(v release.Version) bool { return fixedOvertaking.includes(v) }

func (c *beforeStart) Start(env *sim.Env, cfg *Config) Outcome {
	if c.locked && cfg.ConsistentListFromCache == GateDisabled {
		return abort(env, gateLocked)
	}
	c.askAll(env, cfg, 0)
	if env.Mode() == sim.Timed {
		env.Arm(cfg.timer(0), statusTimeout)
	}
	return waiting
}

var waiting = Outcome{Asking: true, Refusal: starting}

func (c *beforeStart) Receive(env *sim.Env, cfg *Config, m *sim.Message) (Outcome, bool) {
	i, version, ok := c.answered(env, m)
	if i < 0 {
		return Outcome{}, false
	}
	v, err := release.Parse(version)
	if !ok || err != nil {
		return c.unanswered(env, cfg, i), true
	}
	if c.Passes(v) {
		endpointNew(env, i, version)
	} else {
		endpointOld(env, i, version)
		c.old = true
	}
	return c.settled(env, cfg, i), true
}

// Fire ends the wait for all endpoints.
func (c *beforeStart) Fire(env *sim.Env, cfg *Config, _ int) Outcome {
	o := waiting
	for i := range c.all {
		if k := &c.all[i]; !k.settled {
			env.Close(k.call)
			o = c.unanswered(env, cfg, i)
		}
	}
	return o
}

func (c *beforeStart) unanswered(env *sim.Env, cfg *Config, i int) Outcome {
	env.Cover(EndpointUnknown)
	if env.Noting() {
		env.Note(versionUnknown{i})
	}
	c.unknown = true
	return c.settled(env, cfg, i)
}

func (c *beforeStart) settled(env *sim.Env, cfg *Config, i int) Outcome {
	c.settle(env, i)
	env.Reads(cellEndpoints, 0)
	if c.missing > 0 {
		return waiting
	}
	env.Disarm(cfg.timer(0))
	return c.decide(env, cfg)
}

// decide is the KEP's table. One endpoint that is too old outweighs one whose
// version is unknown: the condition passes only if all endpoints have the fix.
func (c *beforeStart) decide(env *sim.Env, cfg *Config) Outcome {
	gate := cfg.ConsistentListFromCache
	switch {
	case c.old && (c.locked || gate == GateEnabled):
		env.Cover(abortedOld)
		return abort(env, etcdNotTrusted)
	case c.old:
		env.Cover(disabledOld)
		if env.Noting() {
			env.Note(warning{"etcd is too old, ConsistentListFromCache is off"})
		}
		return Outcome{}
	case c.unknown:
		env.Cover(unknownGoesOn)
		if env.Noting() {
			env.Note(warning{"the version of etcd is unknown; the API server starts all the same"})
		}
	}
	return Outcome{Trusts: gate != GateDisabled}
}

// abort ends the API server before it serves anything.
func abort(env *sim.Env, refusal *wire.Error) Outcome {
	if env.Noting() {
		env.Note(aborted{refusal})
	}
	return Outcome{Refusal: refusal}
}

func (c *beforeStart) Clone() Check {
	d := *c
	d.endpoints = c.endpoints.clone()
	return &d
}

func (c *beforeStart) Cells(visit sim.CellVisitor) {
	visit(cellEndpoints, 0, c.endpoints.digest().Bool(c.old).Bool(c.unknown))
}

var (
	gateLocked     = &wire.Error{Code: wire.Unavailable, Message: "the feature gate ConsistentListFromCache is locked to true, and cannot be set to false"}
	etcdNotTrusted = &wire.Error{Code: wire.Unavailable, Message: "ConsistentListFromCache is on, and an etcd endpoint is older than 3.4.25 or 3.5.8, whose progress notifications overtake events"}
	starting       = &wire.Error{Code: wire.Unavailable, Message: "the API server waits for the version of etcd before it starts"}
)
