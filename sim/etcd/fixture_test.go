package etcd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// user is a client that sends what the test gives it, in its task "act", and keeps the answers.
type user struct {
	act  func(*sim.Env)
	told []sim.Payload
	// conns are the streams and the last calls, by names that the test gives them.
	conns map[string]sim.Conn
	// plan is what it does at a time.
	plan []func(*sim.Env)
	// receive, if it is there, is given what is received, with the name of the connection.
	receive func(env *sim.Env, name string, p sim.Payload)
}

func (u *user) Start(env *sim.Env) { env.Enable(0) }
func (u *user) Receive(env *sim.Env, m *sim.Message) {
	u.told = append(u.told, m.Payload)
	for name, c := range u.conns {
		if c == m.Conn && u.receive != nil {
			u.receive(env, name, m.Payload)
		}
	}
}
func (u *user) Run(env *sim.Env, _ sim.Task) {
	if u.act != nil {
		u.act(env)
		env.Enable(0)
	}
}
func (u *user) TaskName(sim.Task) string           { return "act" }
func (u *user) TimerName(sim.Timer) string         { return "op" }
func (u *user) Fire(env *sim.Env, timer sim.Timer) { u.plan[timer](env) }

// bench is a server with one user: the test names each step.
type bench struct {
	*simtest.Bench
	server *etcd.Server
	user   *user
}

func newBench(t testing.TB, version string, change ...func(*etcd.Config)) *bench {
	cfg, err := etcd.DefaultConfig(version)
	require.NoError(t, err)
	for _, f := range change {
		f(&cfg)
	}
	b := benchIn(t, sim.NewWorld(sim.Options{}), cfg)
	b.World.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, sim.Budget{Times: 100})
	b.World.AddFault(etcd.InstallSnapshot(1, "etcd"), sim.Budget{Times: 100})
	b.World.Start(b)
	return b
}

// benchIn is a bench in a world that does not run yet.
func benchIn(t testing.TB, w *sim.World, cfg etcd.Config) *bench {
	b := &bench{&simtest.Bench{TB: t, World: w}, etcd.New(cfg), &user{conns: map[string]sim.Conn{}}}
	w.Add("etcd", b.server)
	w.Add("user", b.user)
	return b
}

func (b *bench) settle(but ...string) *bench {
	b.Settle(but...)
	return b
}

// do lets the user act.
func (b *bench) do(act func(*sim.Env)) *bench {
	b.user.act = act
	b.Act("run user act")
	return b
}

func (b *bench) call(p sim.Payload) *bench { return b.ask("call", 1, p) }

// ask sends a request to a node and names the connection.
func (b *bench) ask(name string, node sim.NodeID, p sim.Payload) *bench {
	return b.do(func(env *sim.Env) { b.user.conns[name] = env.Call(node, p) })
}

// write has the payload carried out.
func (b *bench) write(name string, p sim.Payload) *bench {
	n := len(b.server.Committed())
	b.ask(name, 1, p).Act("deliver user>etcd")
	if len(b.server.Committed()) == n {
		b.Act("run etcd applyLoop")
	}
	return b
}

func (b *bench) put(key, value string) *bench {
	return b.write("put", &wire.PutRequest{Key: key, Value: value})
}

// request sends something on the named stream.
func (b *bench) request(stream string, p sim.Payload) *bench {
	return b.do(func(env *sim.Env) { env.Send(b.user.stream(env, stream), p) })
}

func (u *user) stream(env *sim.Env, name string) sim.Conn {
	if u.conns[name] == sim.NoConn {
		u.conns[name] = env.Open(1)
	}
	return u.conns[name]
}

// last forgets what came and returns the last of it.
func (b *bench) last() sim.Payload {
	require.NotEmpty(b, b.user.told)
	p := b.user.told[len(b.user.told)-1]
	b.user.told = nil
	return p
}

func create(key string, from int64) *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: key, RangeEnd: key + "\xff", StartRevision: from}
}

// names lists what can happen, but for the user's next operation and faults.
func (b *bench) names() (out []string) {
	for _, a := range b.World.Enabled() {
		if n := b.World.Name(a); !strings.HasSuffix(n, " act") && a.Kind != sim.Inject {
			out = append(out, n)
		}
	}
	return out
}
