package guard

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a guard is made of.
type Config struct {
	Options
	// KV is the node that is asked for the versions of endpoints.
	KV sim.NodeID
	// Endpoints is how many members of the etcd cluster the API server has in its
	// configuration, at most MaxEndpoints.
	Endpoints int
	// FirstTimer is the first of MaxEndpoints timers that belong to the guard.
	FirstTimer sim.Timer
}

func (c *Config) timer(endpoint int) sim.Timer { return c.FirstTimer + sim.Timer(endpoint) }

// Guard holds what is known of the etcd cluster.
type Guard struct {
	// cfg is never written to: clones share it.
	cfg     *Config
	check   Check
	outcome Outcome
}

// Reset makes the guard that of another configuration. Start follows.
func (g *Guard) Reset(cfg Config) {
	if g.check == nil || g.cfg.VersionCheck != cfg.VersionCheck {
		g.check = Checks.Of(cfg.VersionCheck)()
	}
	if g.cfg == nil || *g.cfg != cfg {
		own := cfg
		g.cfg = &own
	}
	g.Forget()
}

// Forget drops what the process knew.
func (g *Guard) Forget() {
	g.check.Reset()
	g.outcome = Outcome{}
}

// Start begins to check what etcd it is.
func (g *Guard) Start(env *sim.Env) { g.settle(env, g.check.Start(env, g.cfg)) }

// Settled reports whether the server serves and no answer of etcd is missing.
func (g *Guard) Settled(env *sim.Env) bool {
	env.LooksAt(cellTrust, 0)
	return !g.outcome.Asking && g.outcome.Refusal == nil
}

// Receive takes a message. It reports false if the message answers no question of
// the guard.
func (g *Guard) Receive(env *sim.Env, m *sim.Message) bool {
	if !g.outcome.Asking {
		return false
	}
	o, mine := g.check.Receive(env, g.cfg, m)
	if mine {
		g.settle(env, o)
	}
	return mine
}

// Fire runs when the timer of an endpoint goes off.
func (g *Guard) Fire(env *sim.Env, endpoint int) { g.settle(env, g.check.Fire(env, g.cfg, endpoint)) }

func (g *Guard) settle(env *sim.Env, o Outcome) {
	if o != g.outcome {
		env.Writes(cellTrust, 0)
		g.outcome = o
	}
}

// FollowsStreams reports whether the check wants to know of the streams of the watch.
func (g *Guard) FollowsStreams() bool {
	_, follows := g.check.(streamFollower)
	return follows
}

// StreamOpened is called when the watch of the cache is created on a stream to etcd.
func (g *Guard) StreamOpened(env *sim.Env) {
	if f, follows := g.check.(streamFollower); follows {
		g.settle(env, f.StreamOpened(env, g.cfg))
	}
}

// Deaf reports whether progress of the watch is to be dropped.
func (g *Guard) Deaf(env *sim.Env) bool {
	if g.FollowsStreams() {
		env.Reads(cellTrust, 0)
	}
	return g.outcome.Deaf
}

// ConsistentReadSupported reports whether the cache may serve reads at a revision
// that it does not know of yet: upstream's function of that name. Otherwise etcd
// answers consistent lists, no progress is requested, and a watch that is to begin
// with the present state is refused.
func (g *Guard) ConsistentReadSupported(env *sim.Env) bool {
	env.Reads(cellTrust, 0)
	return g.outcome.Trusts
}

// Distrust is why ConsistentReadSupported says no, for a note.
func (g *Guard) Distrust() string {
	switch {
	case g.cfg.ConsistentListFromCache == GateDisabled:
		return "ConsistentListFromCache is off"
	case g.outcome.Asking:
		return "it has not heard yet that etcd is new enough"
	}
	return "etcd is too old for it"
}

// Trusts is ConsistentReadSupported between two steps.
func (g *Guard) Trusts() bool { return g.outcome.Trusts }

// Waits reports whether the API server waits for a version before it starts, between two
// steps.
func (g *Guard) Waits() bool { return g.outcome.Asking && g.outcome.Refusal != nil }

// Refusal is the answer to every request while the server does not serve, nil if
// it does.
func (g *Guard) Refusal(env *sim.Env) *wire.Error {
	env.LooksAt(cellTrust, 0)
	return g.outcome.Refusal
}

// Aborted is why the API server did not start, empty if it did, or still may.
func (g *Guard) Aborted() string {
	if g.outcome.Asking || g.outcome.Refusal == nil {
		return ""
	}
	return g.outcome.Refusal.Message
}

// Clone returns a copy that goes its own way.
func (g *Guard) Clone() Guard {
	return Guard{cfg: g.cfg, check: g.check.Clone(), outcome: g.outcome}
}

// Conns visits the connections of the check.
func (g *Guard) Conns(visit func(sim.Conn)) { g.check.Conns(visit) }

// Cells visits the cells of the guard.
func (g *Guard) Cells(visit sim.CellVisitor) {
	visit(cellTrust, 0, sim.NewDigest.Bool(g.outcome.Trusts).Bool(g.outcome.Asking).Bool(g.outcome.Refusal == nil).Bool(g.outcome.Deaf))
	g.check.Cells(visit)
}
