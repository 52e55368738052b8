package client_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// covered sums up the situations of all worlds of this test binary.
var covered = map[string]uint64{}

func tally(w *sim.World) {
	for _, s := range sim.Situations() {
		covered[s.String()] += w.Count(s)
	}
}

// TestMain fails a run of all tests that left a situation untried.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && allTests() {
		for _, s := range sim.Situations() {
			ours := strings.HasPrefix(s.String(), "clientv3: ") || strings.HasPrefix(s.String(), "etcd3: ")
			if ours && covered[s.String()] == 0 {
				println("never came about:", s.String())
				code = 1
			}
		}
	}
	os.Exit(code)
}

func allTests() bool {
	for _, a := range os.Args[1:] {
		for _, flag := range []string{"run", "skip", "list", "bench", "short", "fuzz"} {
			if strings.HasPrefix(a, "-test."+flag+"=") && a != "-test.short=false" {
				return false
			}
		}
	}
	return true
}

// actor is a node that runs what the test gives it, in its task "act".
type actor struct {
	act      func(*sim.Env)
	received []string
	conns    []sim.Conn
	last     sim.Payload
}

func (a *actor) Start(env *sim.Env) { env.Enable(0) }
func (a *actor) Run(env *sim.Env, _ sim.Task) {
	if a.act != nil {
		a.act(env)
		env.Enable(0)
	}
}
func (a *actor) Receive(_ *sim.Env, m *sim.Message) {
	at := 0
	for at < len(a.conns) && a.conns[at] != m.Conn {
		at++
	}
	if at == len(a.conns) {
		a.conns = append(a.conns, m.Conn)
	}
	a.last = m.Payload
	a.received = append(a.received, strconv.Itoa(at)+" "+m.Payload.Label())
}
func (a *actor) Restart(env *sim.Env)       { env.Enable(0) }
func (a *actor) Fire(*sim.Env, sim.Timer)   {}
func (a *actor) TaskName(sim.Task) string   { return "act" }
func (a *actor) TimerName(sim.Timer) string { return "" }

// take returns what was received since the last time. Each line begins with
// the number of the connection, counted from 0 by its first message.
func (a *actor) take() []string {
	got := a.received
	a.received = nil
	return got
}

const (
	etcdID sim.NodeID = iota + 1
	clientID
	cacheID
)

// bench is a client between a cache and an etcd that the test plays.
type bench struct {
	t           *testing.T
	w           *sim.World
	client      *client.Client
	etcd, cache *actor
	// choices answers the choices inside steps, 0 when used up.
	choices []int
	control sim.Conn
}

func (b *bench) Pick(*sim.World, []sim.Action) int { panic("the test picks") }
func (b *bench) Choose(_ *sim.World, n int, _ string) int {
	if len(b.choices) == 0 {
		return 0
	}
	v := b.choices[0] % n
	b.choices = b.choices[1:]
	return v
}

func config(t testing.TB, version string) client.Config {
	cfg, err := client.DefaultConfig(version)
	require.NoError(t, err)
	cfg.Etcd = etcdID
	return cfg
}

func newBench(t *testing.T, cfg client.Config) *bench { return newBenchIn(t, cfg, sim.Options{}) }

// newBenchIn prepares the world with the functions before it starts.
func newBenchIn(t *testing.T, cfg client.Config, o sim.Options, prepare ...func(*bench)) *bench {
	b := &bench{t: t, w: sim.NewWorld(o), client: client.New(cfg), etcd: &actor{}, cache: &actor{}}
	b.w.Add("etcd", b.etcd)
	b.w.Add("client", b.client)
	b.w.Add("cache", b.cache)
	b.w.AddFault(&sim.BreakStream{From: []sim.NodeID{clientID}, To: etcdID, Label: "client>etcd"}, sim.Budget{Times: 100, Within: time.Hour})
	if o.Mode == sim.Untimed {
		b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{clientID}, Label: "client"}, sim.Budget{Times: 1})
		b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{etcdID}, Label: "etcd"}, sim.Budget{Times: 10})
		b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1})
	}
	for _, f := range prepare {
		f(b)
	}
	b.w.Start(b)
	t.Cleanup(func() { tally(b.w) })
	return b
}

// do carries out the one enabled action whose name begins with prefix.
func (b *bench) do(prefix string) {
	b.t.Helper()
	var names []string
	for _, a := range b.w.Enabled() {
		name := b.w.Name(a)
		if strings.HasPrefix(name, prefix) {
			b.w.Do(b, a)
			return
		}
		names = append(names, name)
	}
	require.Failf(b.t, "not enabled", "%q is not among %q", prefix, names)
}

func (b *bench) enabled(prefix string) bool {
	for _, a := range b.w.Enabled() {
		if strings.HasPrefix(b.w.Name(a), prefix) {
			return true
		}
	}
	return false
}

// settle carries out everything but timers, faults and what the test itself
// plays, and but what leads to one of the nodes to be left out.
func (b *bench) settle(without ...string) {
	for again := true; again; {
		again = false
	next:
		for _, a := range b.w.Enabled() {
			name := b.w.Name(a)
			if a.Kind == sim.Fire || a.Kind == sim.Inject || strings.HasSuffix(name, " act") {
				continue
			}
			for _, prefix := range without {
				if strings.HasPrefix(name, prefix) {
					continue next
				}
			}
			b.w.Do(b, a)
			again = true
			break
		}
	}
}

// toCache is settle's word for leaving the cache's messages where they are.
const toCache = "deliver client>cache"

// watch has the cache start a watch on a stream of its own.
func (b *bench) watch(prefix string, after int64, metadata string) (c sim.Conn) {
	b.cache.act = func(env *sim.Env) {
		env.Begin("watch "+prefix, 0)
		c = env.Open(clientID)
		env.Send(c, &wire.WatchStart{Prefix: prefix, Revision: after, ProgressNotify: true, Metadata: metadata})
	}
	b.do("run cache act")
	return c
}

// stop has the cache stop a watch.
func (b *bench) stop(c sim.Conn) {
	b.cache.act = func(env *sim.Env) { env.Close(c) }
	b.do("run cache act")
}

func (b *bench) requestProgress(metadata string) {
	b.cache.act = func(env *sim.Env) {
		if b.control == sim.NoConn {
			b.control = env.Open(clientID)
		}
		env.Send(b.control, &wire.ProgressRequest{Metadata: metadata})
	}
	b.do("run cache act")
}

// call has the cache send a unary request.
func (b *bench) call(p sim.Payload) (c sim.Conn) {
	b.cache.act = func(env *sim.Env) { c = env.Call(clientID, p) }
	b.do("run cache act")
	return c
}

// respond has etcd send on the connection that it heard of as number n.
func (b *bench) respond(n int, all ...sim.Payload) {
	b.etcd.act = func(env *sim.Env) {
		for _, p := range all {
			env.Send(b.etcd.conns[n], p)
		}
	}
	b.do("run etcd act")
}

// breakStream cuts the stream to etcd and lets the client hear of it; everything
// under way survives.
func (b *bench) breakStream() {
	b.choices = []int{1 << 20, 1 << 20}
	b.do("inject break client>etcd")
	b.choices = nil
	b.settle()
}

func (b *bench) count(situation string) uint64 {
	b.t.Helper()
	for _, s := range sim.Situations() {
		if name := s.String(); name == "clientv3: "+situation || name == "etcd3: "+situation {
			return b.w.Count(s)
		}
	}
	require.Failf(b.t, "no such situation", "%q", situation)
	return 0
}

func createdAt(id, rev int64) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Created: true, Revision: rev}
}

func progress(id, rev int64) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Revision: rev}
}

func events(id int64, all ...wire.Event) *wire.WatchResponse {
	return &wire.WatchResponse{WatchID: id, Revision: all[len(all)-1].Kv.ModRevision, Events: all}
}

func putAt(key string, rev int64) wire.Event {
	return wire.Event{Kv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: rev, ModRevision: rev, Version: 1}}
}

func updateAt(key string, rev, created int64) wire.Event {
	return wire.Event{
		Kv:     &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(rev, 10), CreateRevision: created, ModRevision: rev, Version: 2},
		PrevKv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(created, 10), CreateRevision: created, ModRevision: created, Version: 1},
	}
}

func deleteAt(key string, rev, created int64) wire.Event {
	return wire.Event{
		Type: wire.Delete, Kv: &wire.KeyValue{Key: key, ModRevision: rev},
		PrevKv: &wire.KeyValue{Key: key, Value: "v" + strconv.FormatInt(created, 10), CreateRevision: created, ModRevision: created, Version: 1},
	}
}
