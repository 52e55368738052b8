package etcd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// user is a client that sends what the test gives it, at once, and keeps the
// answers.
type user struct {
	ops     []func(*sim.Env)
	told    []sim.Payload
	streams map[string]sim.Conn
}

const nextOp sim.Timer = 0

func (u *user) Start(env *sim.Env)                 { env.Arm(nextOp, 0) }
func (u *user) Receive(_ *sim.Env, m *sim.Message) { u.told = append(u.told, m.Payload) }
func (u *user) Run(*sim.Env, sim.Task)             {}
func (u *user) TaskName(sim.Task) string           { return "" }
func (u *user) TimerName(sim.Timer) string         { return "op" }
func (u *user) Fire(env *sim.Env, _ sim.Timer) {
	env.Arm(nextOp, 0)
	for _, op := range u.ops {
		op(env)
	}
	u.ops = nil
}

// bench is a server with one user, untimed: the test names each step.
type bench struct {
	t       testing.TB
	w       *sim.World
	server  *etcd.Server
	user    *user
	choices []int
	asked   []string
	// traced are the steps so far, if trace was called.
	traced *tracedSteps
}

func (b *bench) act(a sim.Action) {
	if b.traced != nil {
		b.traced.begin(b.w, a)
	}
	b.w.Do(b, a)
}

func (b *bench) Pick(*sim.World, []sim.Action) int { panic("the test picks") }

// Choose answers with the choices that the test gave, then with the first one.
func (b *bench) Choose(_ *sim.World, n int, what string) int {
	b.asked = append(b.asked, what)
	if len(b.choices) == 0 {
		return 0
	}
	c := b.choices[0]
	b.choices = b.choices[1:]
	return c % n
}

func newBench(t testing.TB, version string, change ...func(*etcd.Config)) *bench {
	cfg, err := etcd.DefaultConfig(version)
	require.NoError(t, err)
	for _, f := range change {
		f(&cfg)
	}
	b := &bench{t: t, w: sim.NewWorld(sim.Options{}), server: etcd.New(cfg), user: &user{streams: map[string]sim.Conn{}}}
	b.w.Add("etcd", b.server)
	b.w.Add("user", b.user)
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, sim.Budget{Times: 100})
	b.w.AddFault(&etcd.InstallSnapshot{Node: 1, Label: "etcd"}, sim.Budget{Times: 100})
	b.w.Start(b)
	return b
}

// names lists what can happen, but for the user's next operation and faults.
func (b *bench) names() []string {
	var out []string
	for _, a := range b.w.Enabled() {
		if n := b.w.Name(a); n != "fire user op" && a.Kind != sim.Inject {
			out = append(out, n)
		}
	}
	return out
}

// step does what has the given name, or the only thing whose name contains it.
func (b *bench) step(names ...string) *bench {
	b.t.Helper()
	for _, name := range names {
		var found []sim.Action
		for _, a := range b.w.Enabled() {
			if n := b.w.Name(a); n == name {
				found = []sim.Action{a}
				break
			} else if strings.Contains(n, name) {
				found = append(found, a)
			}
		}
		require.Len(b.t, found, 1, "%q among %q", name, b.names())
		b.act(found[0])
	}
	return b
}

// settle lets everything happen that can, in the order of the list, but for
// timers and what contains one of the texts.
func (b *bench) settle(but ...string) *bench {
	b.t.Helper()
	for range 10_000 {
		if !b.stepAny(but) {
			return b
		}
	}
	b.t.Fatal("no end")
	return b
}

func (b *bench) stepAny(but []string) bool {
next:
	for _, a := range b.w.Enabled() {
		if a.Kind == sim.Fire || a.Kind == sim.Inject {
			continue
		}
		n := b.w.Name(a)
		for _, x := range but {
			if strings.Contains(n, x) {
				continue next
			}
		}
		b.act(a)
		return true
	}
	return false
}

// do lets the user act.
func (b *bench) do(f func(*sim.Env)) *bench {
	b.t.Helper()
	b.user.ops = append(b.user.ops, f)
	return b.step("fire user op")
}

func (b *bench) call(p sim.Payload) *bench {
	b.t.Helper()
	return b.do(func(env *sim.Env) { env.Call(1, p) })
}

// write has the payload carried out and answered.
func (b *bench) write(p sim.Payload) *bench {
	b.t.Helper()
	n := len(b.server.Committed())
	b.call(p)
	for range 4 {
		if len(b.server.Committed()) > n {
			break
		}
		for _, x := range b.names() {
			if x == "run etcd applyLoop" || strings.HasPrefix(x, "deliver user>etcd") {
				b.step(x)
				break
			}
		}
	}
	require.Len(b.t, b.server.Committed(), n+1)
	return b
}

func (b *bench) put(key, value string) *bench {
	b.t.Helper()
	return b.write(&wire.PutRequest{Key: key, Value: value})
}

func (b *bench) remove(key string) *bench {
	b.t.Helper()
	return b.write(&wire.DeleteRangeRequest{Key: key})
}

func (b *bench) compact(rev int64) *bench {
	b.t.Helper()
	return b.write(&wire.CompactionRequest{Revision: rev})
}

// request sends something on the named stream.
func (b *bench) request(stream string, p sim.Payload) *bench {
	b.t.Helper()
	return b.do(func(env *sim.Env) {
		if b.user.streams[stream] == sim.NoConn {
			b.user.streams[stream] = env.Open(1)
		}
		env.Send(b.user.streams[stream], p)
	})
}

// take forgets and returns, as short texts, the watch responses that came.
func (b *bench) take() []string {
	var out []string
	for _, p := range b.user.told {
		if r, ok := p.(*wire.WatchResponse); ok {
			out = append(out, r.Label())
		}
	}
	b.user.told = nil
	return out
}

// last forgets what came and returns the last of it.
func (b *bench) last() sim.Payload {
	b.t.Helper()
	require.NotEmpty(b.t, b.user.told)
	p := b.user.told[len(b.user.told)-1]
	b.user.told = nil
	return p
}

func (b *bench) covered(name string) uint64 {
	b.t.Helper()
	for _, s := range sim.Situations() {
		if s.String() == "etcd: "+name {
			return b.w.Count(s)
		}
	}
	b.t.Fatalf("no situation %q", name)
	return 0
}

func create(key string, from int64) *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: key, RangeEnd: key + "\xff", StartRevision: from}
}
