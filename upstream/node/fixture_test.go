package node_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// goroutine is one of a scripted guest that can run: its name, and what it does until it waits again.
type goroutine struct {
	name string
	do   func(*scripted, engine.Host)
}

// handed is how a message to the guest begins.
type handed struct {
	kind protocol.Kind
	conn uint32
}

// scripted is a guest that does what a test has it do.
type scripted struct {
	on script
	// handed are the messages so far, but for Inspect, and clock the time at which it ran last.
	handed []handed
	clock  int64
	// shown is what it answers to the next Inspect, which takes it away: nil is nothing.
	shown []byte
	// runnable are its goroutines that can run, and until is when its next timer is due.
	runnable []goroutine
	until    int64
}

// Run implements node.Guest.
func (g *scripted) Run(h engine.Host, now int64, message []byte) (int64, error) {
	g.clock = now
	if message != nil {
		g.take(h, message)
	}
	for len(g.runnable) > 0 {
		names := make([]engine.Goroutine, len(g.runnable))
		for i, r := range g.runnable {
			names[i] = engine.Goroutine{Function: r.name, Site: r.name}
		}
		i := h.Pick(names, true)
		if i == engine.None {
			break
		}
		runs := g.runnable[i]
		g.runnable = slices.Delete(g.runnable, i, i+1)
		runs.do(g, h)
	}
	return g.until, nil
}

func (g *scripted) take(h engine.Host, message []byte) {
	r := protocol.Reader{Bytes: message}
	kind, conn := r.Begin()
	if kind == protocol.Inspect {
		if g.shown != nil {
			h.Send(g.shown)
			g.shown = nil
		}
		return
	}
	g.handed = append(g.handed, handed{kind, conn})
	if do := g.on[kind]; do != nil {
		do(g, h, conn, &r)
	}
}

// Reset implements node.Guest.
func (g *scripted) Reset() { *g = scripted{on: g.on} }

// Clone implements node.Guest.
func (g *scripted) Clone() node.Guest {
	c := *g
	c.handed, c.runnable = slices.Clone(g.handed), slices.Clone(g.runnable)
	return &c
}

// peer is etcd or a client: it keeps what it receives, and sends what the test gives it.
type peer struct{ told []sim.Message }

func (*peer) Start(*sim.Env)                       {}
func (p *peer) Receive(_ *sim.Env, m *sim.Message) { p.told = append(p.told, *m) }
func (*peer) Fire(*sim.Env, sim.Timer)             {}
func (*peer) Run(*sim.Env, sim.Task)               {}
func (*peer) TaskName(sim.Task) string             { return "" }
func (*peer) TimerName(sim.Timer) string           { return "" }
func (p *peer) Clone() sim.Node                    { return &peer{slices.Clone(p.told)} }

const (
	etcdID sim.NodeID = iota + 1
	otherEtcdID
	cacheID
	clientID
)

// bed is a scripted guest between two members of etcd and a client. The test names each step.
type bed struct {
	t       *testing.T
	w       *sim.World
	guest   *scripted
	node    *node.Node
	choices map[string]int
}

// script is what a guest does with messages, by their kinds.
type script map[protocol.Kind]func(g *scripted, h engine.Host, conn uint32, r *protocol.Reader)

func newBed(t *testing.T, mode sim.Mode, how guests.Schedule, on script) *bed {
	o, err := cache.ForDesign("v0.37.2")
	require.NoError(t, err)
	cfg := cache.Config{
		Options: o, Prefix: "/registry/pods/", KV: etcdID, Etcd: etcdID, WatchEndpoints: []sim.NodeID{etcdID, otherEtcdID}, Endpoints: 2,
	}
	g := &scripted{on: on}
	b := &bed{t: t, w: sim.NewWorld(sim.Options{Mode: mode}), guest: g, node: node.New(cfg, g, how), choices: map[string]int{}}
	b.w.Add("etcd", &peer{})
	b.w.Add("other", &peer{})
	b.w.Add("cache", b.node)
	b.w.Add("client", &peer{})
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1})
	b.w.Start(b)
	return b
}

// Pick implements sim.Chooser.
func (b *bed) Pick(*sim.World, []sim.Action) int { panic("the test picks") }

// Choose implements sim.Chooser: the answer that the test gave, or the first one.
func (b *bed) Choose(_ *sim.World, _ int, what string) int { return b.choices[what] }

// names are what can happen next.
func (b *bed) names() []string {
	var names []string
	for _, a := range b.w.Enabled() {
		names = append(names, b.w.Name(a))
	}
	return names
}

// step carries out the first thing whose name contains the text.
func (b *bed) step(name string) {
	b.t.Helper()
	i := slices.IndexFunc(b.names(), func(n string) bool { return strings.Contains(n, name) })
	require.GreaterOrEqual(b.t, i, 0, "%q among %q", name, b.names())
	b.w.Do(b, b.w.Enabled()[i])
}

// deliver delivers all that is under way.
func (b *bed) deliver() {
	for {
		all := b.w.Enabled()
		i := slices.IndexFunc(all, func(a sim.Action) bool { return a.Kind == sim.Deliver })
		if i < 0 {
			return
		}
		b.w.Do(b, all[i])
	}
}

// admit has a node do something.
func (b *bed) admit(n sim.NodeID, do func(*sim.Env)) { b.w.Admit(b, n, do) }

// ask sends the guest a request of the client, which arrives.
func (b *bed) ask(p sim.Payload) {
	b.admit(clientID, func(env *sim.Env) { env.Call(cacheID, p) })
	b.deliver()
}

// answer has etcd send something on the connection of the i-th message that it has received, which arrives.
func (b *bed) answer(i int, p sim.Payload) {
	conn := b.told(etcdID)[i].Conn
	b.admit(etcdID, func(env *sim.Env) { env.Send(conn, p) })
	b.deliver()
}

// told is what a node has received.
func (b *bed) told(n sim.NodeID) []sim.Message { return b.w.Node(n).(*peer).told }

// answered is what the client has received last.
func answered[P sim.Payload](b *bed) (payload P) {
	b.t.Helper()
	all := b.told(clientID)
	require.NotEmpty(b.t, all)
	require.IsType(b.t, payload, all[len(all)-1].Payload)
	return all[len(all)-1].Payload.(P)
}

// message is one of the guest's.
func message(k protocol.Kind, conn uint32) *protocol.Writer {
	return new(protocol.Writer).Begin(k, conn)
}

// asksRange is a Range of the guest for all pods.
func asksRange(k protocol.Kind, number uint32) []byte {
	w := message(k, number).Text("/registry/pods/").Text("/registry/pods0").Int(0).Int(0).Bool(false).Bool(false).Bool(false)
	return w.Byte(0).Byte(0).Int(0).Int(0).Int(0).Int(0).Bytes
}

// comparison is one with etcd, as the guest tells it.
type comparison struct {
	resourceVersion int64
	outcome         byte
}

// shows is the answer to Inspect of a guest whose cache has one object of the resourceVersion, if that is not 0, and
// whose comparisons from the one at from on are these.
func shows(resourceVersion int64, from int64, comparisons ...comparison) []byte {
	w := message(protocol.Shown, 0).Int(resourceVersion).Bool(true).Bool(true).Int(0)
	w.Int(from).Int(int64(len(comparisons)))
	for _, c := range comparisons {
		w.Int(c.resourceVersion).Byte(c.outcome)
	}
	if resourceVersion == 0 {
		return w.Int(0).Bytes
	}
	return w.Int(1).Text("/registry/pods/a").Text("v").Int(resourceVersion).Bytes
}

func kv(key, value string, created, modified int64) *wire.KeyValue {
	return &wire.KeyValue{Key: "/registry/pods/" + key, Value: value, CreateRevision: created, ModRevision: modified, Version: modified - created + 1}
}
