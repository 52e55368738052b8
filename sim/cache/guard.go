package cache

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type guardState uint8

const (
	// guardSettled: there is nothing to ask, or everybody has answered.
	guardSettled guardState = iota
	// guardHolding: the versions are asked for, and the server starts after that
	// (KEP-2340).
	guardHolding
	// guardAsking: the versions are asked for, and the server has started already
	// (shipped).
	guardAsking
	// guardAborted: the server does not start.
	guardAborted
)

// progressSupport is what is known of the etcd cluster: upstream's
// progressNotifySupported, a pointer to a bool.
type progressSupport uint8

const (
	supportUnknown progressSupport = iota
	supportSeen
	// supportDenied: an endpoint is too old. The shipped check never takes that
	// back while the process lives.
	supportDenied
)

// guard is the etcd version safeguard of KEP-2340. Upstream has one in a
// process, and it asks each endpoint once for all resources; here each cache has
// its own, which is the same unless a process has several.
type guard struct {
	state guardState
	known progressSupport
	// enabled: reads may rely on progress notifications.
	enabled bool
	checks  []endpointCheck
	// missing is the number of checks that have come to no end yet.
	missing int
	// unknown: some endpoint did not say its version (KEP-2340 policies).
	unknown bool
	// refusal is why the server did not start.
	refusal *wire.Error
}

// endpointCheck asks one endpoint for its version.
type endpointCheck struct {
	call sim.Conn
	// retry is the time until the next attempt, if this one fails.
	retry sim.Duration
	ended bool
}

// MaxEndpoints is how many endpoints of one etcd cluster the version check can
// ask: an etcd cluster has at most seven members.
const MaxEndpoints = 7

const (
	// statusTimeout bounds the wait for a version where the server does not start
	// before. The KEP names none; this is what the API server gives etcd to answer
	// its health check. Untimed there is none: it would strike before every answer
	// that is right, and an endpoint that is down says so by an error.
	statusTimeout = 2 * time.Second
	// The shipped check tries again after 10 ms, and then twice as long each
	// time.
	firstStatusRetry = 10 * time.Millisecond
	lastStatusRetry  = 15 * time.Second
)

var statusRequests = func() (all [MaxEndpoints]*wire.StatusRequest) {
	for i := range all {
		all[i] = &wire.StatusRequest{Endpoint: i}
	}
	return all
}()

// consistentReadSupported reports whether the cache may serve reads at a
// revision that it has yet to hear of: upstream's ConsistentReadSupported.
// Otherwise etcd answers consistent lists, nobody asks for progress, and a watch
// that is to begin with the present state is refused.
func (c *Cache) consistentReadSupported() bool { return c.guard.enabled }

// startGuard begins to check what etcd it is. It returns false if the server
// must not start before that is known, or not at all.
func (c *Cache) startGuard(env *sim.Env) bool {
	g := &c.guard
	gate := c.cfg.Guard.ConsistentListFromCache
	switch c.cfg.Guard.VersionCheck {
	case VersionCheckKEPBeta:
		g.state = guardHolding
	case VersionCheckKEPGA:
		if gate == GateDisabled {
			c.abort(env, gateLocked)
			return false
		}
		g.state = guardHolding
	case VersionCheckShipped:
		if gate == GateDisabled {
			return true
		}
		g.state = guardAsking
	default:
		g.enabled = gate != GateDisabled
		return true
	}
	for range c.cfg.Endpoints {
		g.checks = append(g.checks, endpointCheck{retry: firstStatusRetry})
	}
	g.missing = len(g.checks)
	for i := range g.checks {
		g.checks[i].call = env.Call(c.cfg.KV, statusRequests[i])
	}
	if g.state == guardHolding {
		if c.timed {
			env.Arm(statusTimer(0), statusTimeout)
		}
		return false
	}
	return true
}

// guarded takes what the guard asked for, and refuses everything while the
// server has not started. It returns false if the message is somebody else's.
func (c *Cache) guarded(env *sim.Env, m *sim.Message) bool {
	for i := range c.guard.checks {
		if k := &c.guard.checks[i]; k.call == m.Conn && !k.ended {
			k.call = sim.NoConn
			if p, ok := m.Payload.(*wire.StatusResponse); ok {
				c.versionSaid(env, i, p.Version)
			} else {
				c.versionUnsaid(env, i)
			}
			return true
		}
	}
	if c.guard.state == guardAsking {
		return false
	}
	switch m.Payload.(type) {
	case *wire.ReadyzRequest:
		c.ready.asking = append(c.ready.asking, m.Conn)
	case *sim.Hangup:
	case *wire.WatchRequest:
		env.Cover(guardNotServing)
		refuse(env, m.Conn, c.notServing())
	default:
		env.Cover(guardNotServing)
		env.Send(m.Conn, c.notServing())
	}
	return true
}

func (c *Cache) notServing() *wire.Error {
	if c.guard.state == guardAborted {
		return c.guard.refusal
	}
	return starting
}

// versionSaid takes the version of one endpoint.
func (c *Cache) versionSaid(env *sim.Env, i int, version string) {
	g := &c.guard
	v, ok := parseVersion(version)
	fixed := &fixedOvertaking
	if c.cfg.Guard.VersionCheck == VersionCheckShipped {
		fixed = &fixedDeferring
	} else if !ok {
		c.versionUnsaid(env, i)
		return
	}
	if ok && fixed.includes(v) {
		env.Cover(guardEndpointNew)
		c.noteVersion(env, i, version, "new enough")
		if g.known == supportUnknown {
			g.known = supportSeen
		}
	} else {
		// A version that cannot be read counts as too old where it was shipped.
		env.Cover(guardEndpointOld)
		c.noteVersion(env, i, version, "too old for progress requests to be trusted")
		if g.state == guardAsking && g.known == supportSeen {
			env.Cover(guardTakenBack)
		}
		g.known = supportDenied
	}
	c.checkEnded(env, i)
}

// versionUnsaid: an endpoint gave no version. The shipped check asks again, for
// as long as it takes.
func (c *Cache) versionUnsaid(env *sim.Env, i int) {
	k := &c.guard.checks[i]
	env.Cover(guardEndpointUnknown)
	if c.guard.state == guardAsking {
		env.Arm(statusTimer(i), k.retry)
		k.retry = min(2*k.retry, lastStatusRetry)
		return
	}
	c.noteVersion(env, i, "nothing", "its version is unknown")
	c.guard.unknown = true
	c.checkEnded(env, i)
}

// checkEnded: one endpoint less to wait for.
func (c *Cache) checkEnded(env *sim.Env, i int) {
	g := &c.guard
	g.checks[i].ended = true
	g.missing--
	if g.state == guardAsking {
		g.enabled = g.known == supportSeen
		if g.missing == 0 {
			g.state = guardSettled
		}
		return
	}
	if g.missing == 0 {
		env.Disarm(statusTimer(0))
		c.decide(env)
	}
}

// fireStatus: it is time to ask one endpoint again, or, where the server waits
// for all of them, to wait no longer.
func (c *Cache) fireStatus(env *sim.Env, i int) {
	g := &c.guard
	if g.state == guardAsking {
		env.Cover(guardAskedAgain)
		g.checks[i].call = env.Call(c.cfg.KV, statusRequests[i])
		return
	}
	for j := range g.checks {
		if k := &g.checks[j]; !k.ended {
			env.Close(k.call)
			c.versionUnsaid(env, j)
		}
	}
}

// decide is the KEP's table: all endpoints have answered, or never will. One
// that is too old outweighs one that is unknown: the condition only passes if all
// endpoints have the fix.
func (c *Cache) decide(env *sim.Env) {
	g := &c.guard
	gate := c.cfg.Guard.ConsistentListFromCache
	locked := c.cfg.Guard.VersionCheck == VersionCheckKEPGA
	g.state = guardSettled
	g.enabled = gate != GateDisabled
	switch {
	case g.known == supportDenied && (locked || gate == GateEnabled):
		env.Cover(guardAbortedOld)
		c.abort(env, etcdNotTrusted)
		return
	case g.known == supportDenied:
		env.Cover(guardDisabledOld)
		if env.Noting() {
			env.Say("warns: etcd is too old, ConsistentListFromCache is off")
		}
		g.enabled = false
	case g.unknown:
		env.Cover(guardUnknownGoesOn)
		if env.Noting() {
			env.Say("warns: the version of etcd is unknown, and goes on")
		}
	}
	c.startServing(env)
}

// abort: the API server ends before it serves anything.
func (c *Cache) abort(env *sim.Env, why *wire.Error) {
	c.guard.state, c.guard.refusal, c.guard.enabled = guardAborted, why, false
	if env.Noting() {
		env.Say("does not start: " + why.Message)
	}
}

func (c *Cache) noteVersion(env *sim.Env, i int, version, means string) {
	if env.Noting() {
		env.Say("hears " + version + " from endpoint " + strconv.Itoa(i) + " of etcd: " + means)
	}
}

// reset forgets what the process knew, and keeps its memory.
func (g *guard) reset() { *g = guard{checks: g.checks[:0]} }

// Aborted is why the API server did not start, "" if it did, or still may.
func (c *Cache) Aborted() string {
	if c.guard.state != guardAborted {
		return ""
	}
	return c.guard.refusal.Message
}

func (g *guard) fingerprint(d sim.Digest) sim.Digest {
	if g.state == guardSettled && len(g.checks) == 0 {
		return d.Bool(g.enabled)
	}
	d = d.Word(uint64(g.state)<<8 | uint64(g.known)).Bool(g.enabled).Bool(g.unknown)
	for i := range g.checks {
		d = d.Bool(g.checks[i].ended).Int(int64(g.checks[i].retry))
	}
	return d
}

var (
	gateLocked     = &wire.Error{Code: wire.Unavailable, Message: "the feature gate ConsistentListFromCache is locked to true, and cannot be set to false"}
	etcdNotTrusted = &wire.Error{Code: wire.Unavailable, Message: "ConsistentListFromCache is on, and an etcd endpoint is older than 3.4.25 or 3.5.8, whose progress notifications overtake events"}
	starting       = &wire.Error{Code: wire.Unavailable, Message: "the API server waits for the version of etcd before it starts"}
)
