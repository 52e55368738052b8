package etcd_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// asker sends a request, if it has one, waits for the answer, and goes on. Watch
// responses it ignores.
type asker struct {
	watches []*wire.WatchCreateRequest
	request sim.Payload
}

func (a *asker) Start(env *sim.Env) {
	c := env.Open(1)
	for _, w := range a.watches {
		env.Send(c, w)
	}
	if a.request != nil {
		env.Arm(nextOp, 0)
	}
}
func (a *asker) Fire(env *sim.Env, _ sim.Timer) { env.Call(1, a.request) }
func (a *asker) Receive(env *sim.Env, m *sim.Message) {
	if _, ok := m.Payload.(*wire.WatchResponse); !ok {
		env.Call(1, a.request)
	}
}
func (a *asker) Run(*sim.Env, sim.Task)     {}
func (a *asker) TaskName(sim.Task) string   { return "" }
func (a *asker) TimerName(sim.Timer) string { return "" }

// inTurn picks the actions round robin, so that every loop gets its share.
type inTurn struct{ n int }

func (c *inTurn) Pick(_ *sim.World, enabled []sim.Action) int {
	c.n++
	return c.n % len(enabled)
}
func (c *inTurn) Choose(*sim.World, int, string) int { return 0 }

func askerWorld(b *testing.B, a *asker) *sim.World {
	cfg, err := etcd.DefaultConfig("3.7.3")
	require.NoError(b, err)
	for i := range 20 {
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{Key: "/k" + strconv.Itoa(i), CreateRevision: int64(i + 2), ModRevision: int64(i + 2), Version: 1})
	}
	cfg.InitialRevision = 21
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", etcd.New(cfg))
	w.Add("asker", a)
	w.Start(&inTurn{})
	return w
}

func benchmarkAsker(b *testing.B, a *asker) {
	w := askerWorld(b, a)
	c := &inTurn{}
	b.ReportAllocs()
	for b.Loop() {
		// A store grows without end; a run does not.
		if w.Steps() > 100_000 {
			w = askerWorld(b, a)
		}
		w.Step(c)
	}
}

// BenchmarkPutWatched is one choice of a run of puts with a synced watcher: the
// world's part included.
func BenchmarkPutWatched(b *testing.B) {
	w := create("/k", 0)
	w.PrevKv = true
	benchmarkAsker(b, &asker{watches: []*wire.WatchCreateRequest{w}, request: &wire.PutRequest{Key: "/k7", Value: "v"}})
}

// BenchmarkRange is one choice of a run of linearizable ranges over 20 keys.
func BenchmarkRange(b *testing.B) {
	benchmarkAsker(b, &asker{request: &wire.RangeRequest{Key: "/k", RangeEnd: "/l"}})
}

// BenchmarkGet is one choice of a run of linearizable ranges over one key.
func BenchmarkGet(b *testing.B) {
	benchmarkAsker(b, &asker{request: &wire.RangeRequest{Key: "/k7"}})
}

// BenchmarkReset is what it takes to begin one more run.
func BenchmarkReset(b *testing.B) {
	cfg, err := etcd.DefaultConfig("3.7.3")
	require.NoError(b, err)
	for i := range 20 {
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{Key: "/k" + strconv.Itoa(i), CreateRevision: int64(i + 2), ModRevision: int64(i + 2), Version: 1})
	}
	cfg.InitialRevision = 21
	s := etcd.New(cfg)
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(cfg)
	}
}

// BenchmarkRough is one choice of a run where everything happens at once, with
// the server begun anew for each run of about 300 choices.
func BenchmarkRough(b *testing.B) {
	cfg, err := etcd.DefaultConfig("3.7.3")
	require.NoError(b, err)
	s := etcd.New(cfg)
	w := sim.NewWorld(sim.Options{})
	c := &inTurn{}
	begin := func() {
		s.Reset(cfg)
		w.Reset(sim.Options{})
		w.Add("etcd", s)
		for i := range 3 {
			wr := create("/k", int64(i))
			wr.PrevKv = true
			w.Add("asker", &asker{watches: []*wire.WatchCreateRequest{wr}, request: &wire.PutRequest{Key: "/k" + strconv.Itoa(i)}})
		}
		w.Start(c)
	}
	begin()
	b.ReportAllocs()
	for b.Loop() {
		if w.Steps() >= 300 {
			begin()
		}
		w.Step(c)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	bn := newBench(b, "3.7.3")
	for range 3 {
		bn.request("w", create("/a", 0)).settle()
	}
	for range 10 {
		bn.put("/a", "1")
	}
	b.ReportAllocs()
	for b.Loop() {
		bn.server.Fingerprint(sim.NewDigest)
	}
}

func BenchmarkClone(b *testing.B) {
	bn := newBench(b, "3.7.3")
	for range 3 {
		bn.request("w", create("/a", 0)).settle()
	}
	for range 10 {
		bn.put("/a", "1")
	}
	b.ReportAllocs()
	for b.Loop() {
		bn.server.Clone()
	}
}
