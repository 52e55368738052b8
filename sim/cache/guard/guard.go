// Package guard (unstable) keeps a cache from trusting an etcd whose progress notifications are
// wrong.
//
//	Guard      what is known of etcd, and what follows from it
//	Check      how the versions of etcd's endpoints are found out: a seam
//
// The checks are those of KEP-2340, "Bug in etcd progress notification", and
// FeatureSupportChecker of k8s.io/apiserver. Upstream has one check in a process,
// which asks each endpoint once for all resources. Here each cache has its own,
// which is the same unless a process has several; package shell has the answers shared.
//
// The package must never import sim/cache or another package below it.
package guard

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/state"
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

// MaxEndpoints is how many endpoints of one etcd cluster can be asked: an etcd
// cluster has seven members at most.
const MaxEndpoints = 7

const (
	// statusTimeout bounds the wait for the versions before the start. The KEP names no time; this is
	// what the API server gives etcd to answer its health check. Untimed there is no
	// bound: the timer could fire before every answer, and an endpoint that is down
	// answers with an error.
	statusTimeout = 2 * time.Second
	// The first retry comes after 10 ms, each other after twice the time.
	firstRetry = 10 * time.Millisecond
	maxRetry   = 15 * time.Second
	// askPeriod is when an endpoint is asked again that has answered: the first draft of KEP-2340 says "maybe
	// periodically", and names no time.
	askPeriod = time.Minute
	// untimedTurns is how often an untimed run asks again: its timers could fire for ever.
	untimedTurns = 2
)

// Guard holds what is known of the etcd cluster.
type Guard struct {
	// cfg is never written to: clones share it.
	cfg   *Config
	check Check
	// asked is what each endpoint has answered so far; an item is the number of an endpoint, from 1. outcome is what
	// follows: whether progress notifications are trusted, and whether the server serves.
	asked   state.Var[asked]   `cell:"cache: versions of endpoints"`
	outcome state.Var[outcome] `cell:"cache: trust in etcd"`
	// pauses are, by endpoint, those before it is asked again. They are for judges.
	pauses [MaxEndpoints]Pause
}

// Pause is how long the guard waits before it asks an endpoint again, and how often it got no version since the last
// one.
type Pause struct {
	Failures int
	sim.Duration
}

var layout = state.Of[Guard]()

type asked struct {
	endpoints []endpoint
	// turns is how often an untimed run has asked again.
	turns int
}

func (a *asked) has(h heard) bool {
	return slices.ContainsFunc(a.endpoints, func(e endpoint) bool { return e.heard == h })
}

// endpoint is a member of the etcd cluster: with EachStream there is one, that behind the stream.
type endpoint struct {
	call sim.Conn
	// retry is the time until the next attempt, if this one fails.
	retry sim.Duration
	heard heard
}

// heard is what an endpoint has answered last.
type heard uint8

const (
	heardNothing heard = iota
	// heardNoVersion: it is not waited for any more.
	heardNoVersion
	heardNew
	heardOld
)

// outcome is what follows from the answers so far.
type outcome struct {
	// trusts: reads may rely on progress notifications.
	trusts bool
	// asking: an endpoint has not answered yet.
	asking bool
	// deaf: progress of the watch is dropped, since nothing is known of the member that
	// it comes from.
	deaf bool
	// refusal is the answer to every request while the server does not serve; nil
	// if it does.
	refusal *wire.Error
}

// Digest implements state.Digester: of a refusal it does not matter which.
func (o *outcome) Digest(d sim.Digest) sim.Digest {
	return d.Bool(o.trusts).Bool(o.asking).Bool(o.refusal == nil).Bool(o.deaf)
}

// Reset makes the guard that of another configuration. Start follows.
func (g *Guard) Reset(cfg Config) {
	if g.cfg == nil || *g.cfg != cfg {
		own := cfg
		g.cfg = &own
	}
	g.check = Checks.Of(cfg.VersionCheck)
	g.Forget()
}

// Forget drops what the process knew.
func (g *Guard) Forget() {
	endpoints := g.asked.Value().endpoints[:0]
	layout.Reset(g, 0, Guard{cfg: g.cfg, check: g.check})
	g.asked.Value().endpoints = endpoints
}

// Start begins to check what etcd it is.
func (g *Guard) Start(env *sim.Env) {
	off := g.cfg.ConsistentListFromCache == GateDisabled
	switch asks := g.check.Asks; {
	case asks == BeforeStart && g.check.Locked && off:
		g.settle(env, abort(env, gateLocked))
		return
	case asks == Never || asks != BeforeStart && off:
		g.settle(env, outcome{trusts: !off})
		return
	case asks != EachStream:
		g.askAll(env, g.cfg.Endpoints)
	}
	if g.check.Asks == BeforeStart && env.Mode() == sim.Timed {
		env.Arm(g.cfg.FirstTimer, statusTimeout)
	}
	g.look(env)
}

func (g *Guard) askAll(env *sim.Env, endpoints int) {
	a := g.asked.Change(env)
	clear(g.pauses[:])
	for range endpoints {
		a.endpoints = append(a.endpoints, endpoint{retry: firstRetry})
	}
	for i := range a.endpoints {
		g.ask(env, i)
	}
}

func (g *Guard) ask(env *sim.Env, i int) {
	request := statusRequests[i]
	if g.check.Asks == EachStream {
		env.Cover(streamAsked)
		request = statusOfServing
	}
	g.endpoint(env, i).call = env.Call(g.cfg.KV, request)
}

// endpoint is an endpoint for a change.
func (g *Guard) endpoint(env *sim.Env, i int) *endpoint {
	return &g.asked.ChangeItem(env, int64(i+1)).endpoints[i]
}

// StreamOpened is called when the watch of the cache is created on a stream to etcd: the first time, and each time that
// clientv3 resumes it. What an earlier question comes to is about an earlier stream.
func (g *Guard) StreamOpened(env *sim.Env) {
	if !g.FollowsStreams() || g.cfg.ConsistentListFromCache == GateDisabled {
		return
	}
	a := g.asked.Value()
	for _, e := range a.endpoints {
		if e.call != sim.NoConn {
			env.Close(e.call)
		}
	}
	env.Disarm(g.cfg.FirstTimer)
	a.endpoints = a.endpoints[:0]
	g.askAll(env, 1)
	g.look(env)
}

// Receive takes a message. It reports false if the message answers no question of
// the guard.
func (g *Guard) Receive(env *sim.Env, m *sim.Message) bool {
	if !g.outcome.Value().asking {
		return false
	}
	i := slices.IndexFunc(g.asked.Look(env).endpoints, func(e endpoint) bool { return e.call == m.Conn })
	if i < 0 {
		return false
	}
	g.endpoint(env, i).call = sim.NoConn
	if p, ok := m.Payload.(*wire.StatusResponse); ok {
		g.hear(env, i, p.Version)
	} else {
		g.unanswered(env, i)
	}
	g.look(env)
	return true
}

// hear takes the version of an endpoint. One that cannot be read counts as too old, or before the start as none.
func (g *Guard) hear(env *sim.Env, i int, version string) {
	a := g.asked.Value()
	e := &a.endpoints[i]
	v, err := release.Parse(version)
	if err != nil && g.check.Asks == BeforeStart {
		g.unanswered(env, i)
		return
	}
	verdict := "too old, its progress notifications are not trusted"
	if err == nil && g.check.Passes(v) {
		verdict = "new enough"
		env.Cover(endpointFixed)
		e.heard = heardNew
	} else {
		env.Cover(endpointTooOld)
		if g.check.Asks == WhileStarting && g.Trusts() {
			env.Cover(supportTakenBack)
		}
		e.heard = heardOld
	}
	versionHeard.Say(env, i, version, verdict)
	g.pauses[i] = Pause{}
	if g.check.Asks == Periodically {
		e.retry = firstRetry
		if env.Mode() == sim.Timed || a.turns < untimedTurns {
			env.Arm(g.timer(i), askPeriod)
		}
	}
}

// unanswered: an endpoint gave no version. It is asked again, each time after a longer pause, or before the start not
// waited for any more.
func (g *Guard) unanswered(env *sim.Env, i int) {
	env.Cover(EndpointUnknown)
	if g.check.Asks != BeforeStart {
		e := &g.asked.Value().endpoints[i]
		env.Arm(g.timer(i), e.retry)
		g.pauses[i] = Pause{g.pauses[i].Failures + 1, e.retry}
		e.retry = min(2*e.retry, maxRetry)
		return
	}
	g.endpoint(env, i).heard = heardNoVersion
	versionUnknown.Say(env, i)
}

func (g *Guard) timer(endpoint int) sim.Timer { return g.cfg.FirstTimer + sim.Timer(endpoint) }

// Fire runs when the timer of an endpoint goes off: it is asked again, or the wait ends for all.
func (g *Guard) Fire(env *sim.Env, endpoint int) {
	if g.check.Asks != BeforeStart {
		env.Cover(askedAgain)
		if g.check.Asks == Periodically {
			g.asked.Value().turns++
		}
		g.ask(env, endpoint)
		g.look(env)
		return
	}
	endpoints := g.asked.Value().endpoints
	for i := range endpoints {
		if e := &endpoints[i]; e.heard == heardNothing {
			env.Close(e.call)
			e.call = sim.NoConn
			g.unanswered(env, i)
		}
	}
	g.look(env)
}

// look sees what follows from the answers so far. As shipped, etcd is trusted once an endpoint has answered and as long
// as none is too old: nothing takes that back while the process lives.
func (g *Guard) look(env *sim.Env) {
	a := g.asked.Read(env)
	o := outcome{trusts: a.has(heardNew) && !a.has(heardOld), asking: a.has(heardNothing)}
	switch {
	case g.check.Asks == EachStream:
		o.deaf = !o.trusts
	case g.check.Asks == Periodically:
		o.asking = slices.ContainsFunc(a.endpoints, func(e endpoint) bool { return e.call != sim.NoConn })
	case g.check.Asks == BeforeStart && o.asking:
		o = outcome{asking: true, refusal: starting}
	case g.check.Asks == BeforeStart:
		env.Disarm(g.cfg.FirstTimer)
		o = g.decide(env)
	}
	g.settle(env, o)
}

// decide is the KEP's table. One endpoint that is too old outweighs one whose
// version is unknown: the condition passes only if all endpoints have the fix.
func (g *Guard) decide(env *sim.Env) outcome {
	gate, a := g.cfg.ConsistentListFromCache, g.asked.Value()
	switch old := a.has(heardOld); {
	case old && (g.check.Locked || gate == GateEnabled):
		env.Cover(abortedOld)
		return abort(env, etcdNotTrusted)
	case old:
		env.Cover(disabledOld)
		warning.Say(env, "etcd is too old, ConsistentListFromCache is off")
		return outcome{}
	case a.has(heardNoVersion):
		env.Cover(unknownGoesOn)
		warning.Say(env, "the version of etcd is unknown; the API server starts all the same")
	}
	return outcome{trusts: gate != GateDisabled}
}

// abort ends the API server before it serves anything.
func abort(env *sim.Env, refusal *wire.Error) outcome {
	aborted.Say(env, refusal.Message)
	return outcome{refusal: refusal}
}

func (g *Guard) settle(env *sim.Env, o outcome) {
	if o != *g.outcome.Value() {
		g.outcome.Set(env, o)
	}
}

// Settled reports whether the server serves and no answer of etcd is missing.
func (g *Guard) Settled(env *sim.Env) bool {
	o := g.outcome.Look(env)
	return !o.asking && o.refusal == nil
}

// FollowsStreams reports whether the check wants to know of the streams of the watch.
func (g *Guard) FollowsStreams() bool { return g.check.Asks == EachStream }

// Deaf reports whether progress of the watch is to be dropped.
func (g *Guard) Deaf(env *sim.Env) bool {
	return g.FollowsStreams() && g.outcome.Read(env).deaf
}

// ConsistentReadSupported reports whether the cache may serve reads at a revision
// that it does not know of yet: upstream's function of that name. Otherwise etcd
// answers consistent lists, no progress is requested, and a watch that is to begin
// with the present state is refused.
func (g *Guard) ConsistentReadSupported(env *sim.Env) bool {
	return g.outcome.Read(env).trusts
}

// Distrust is why ConsistentReadSupported says no, for a note.
func (g *Guard) Distrust() string {
	switch {
	case g.cfg.ConsistentListFromCache == GateDisabled:
		return "ConsistentListFromCache is off"
	case g.outcome.Value().asking:
		return "it has not heard yet that etcd is new enough"
	}
	return "etcd is too old for it"
}

// Trusts is ConsistentReadSupported between two steps.
func (g *Guard) Trusts() bool { return g.outcome.Value().trusts }

// Waits reports whether the API server waits for a version before it starts, between two
// steps.
func (g *Guard) Waits() bool {
	o := g.outcome.Value()
	return o.asking && o.refusal != nil
}

// Refusal is the answer to every request while the server does not serve, nil if
// it does.
func (g *Guard) Refusal(env *sim.Env) *wire.Error { return g.outcome.Look(env).refusal }

// Aborted is why the API server did not start, empty if it did, or still may.
func (g *Guard) Aborted() string {
	if o := g.outcome.Value(); !o.asking && o.refusal != nil {
		return o.refusal.Message
	}
	return ""
}

// Pauses are, by endpoint, the pauses before the next question after a question that brought no version.
func (g *Guard) Pauses() []Pause { return g.pauses[:] }

// Clone returns a copy that goes its own way.
func (g *Guard) Clone() Guard { return *layout.Clone(g) }

// Conns visits the calls under way, by endpoint.
func (g *Guard) Conns(visit func(sim.Conn)) { layout.Conns(g, visit) }

// Cells visits the cells of the guard.
func (g *Guard) Cells(visit sim.CellVisitor) { layout.Cells(g, visit) }

var statusRequests = func() (all [MaxEndpoints]*wire.StatusRequest) {
	for i := range all {
		all[i] = &wire.StatusRequest{Endpoint: i}
	}
	return all
}()

var statusOfServing = &wire.StatusRequest{Endpoint: wire.ServingEndpoint}

var (
	gateLocked     = &wire.Error{Code: wire.Unavailable, Message: "the feature gate ConsistentListFromCache is locked to true, and cannot be set to false"}
	etcdNotTrusted = &wire.Error{Code: wire.Unavailable, Message: "ConsistentListFromCache is on, and an etcd endpoint is older than 3.4.25 or 3.5.8, whose progress notifications overtake events"}
	starting       = &wire.Error{Code: wire.Unavailable, Message: "the API server waits for the version of etcd before it starts"}
)
