package etcd_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

var swaps = flag.Int("swaps", 60_000, "pairs of steps to swap")

// TestStepsThatTouchNoCommonCellCommute takes random runs and swaps two steps next
// to each other whenever the cells that they declare do not conflict: the state
// afterwards must be the same. A step that touches a cell which it does not
// declare fails here.
func TestStepsThatTouchNoCommonCellCommute(t *testing.T) {
	pairs, swapped := 0, 0
	for seed := uint64(0); swapped < *swaps; seed++ {
		s := simtest.NewSwapper(seed)
		w := busyWorld(t, rand.New(rand.NewPCG(seed, 1)))
		w.Start(s)
		for range 500 {
			if !w.Step(s) {
				break
			}
		}
		require.Empty(t, s.Wrong, "seed %d", seed)
		pairs, swapped = pairs+s.Pairs, swapped+s.Swapped
	}
	t.Logf("%d pairs of steps, %d of them swapped", pairs, swapped)
}

// busyWorld is a server of a random release with buffers so small that they are
// often full, and clients that do everything at once.
func busyWorld(t *testing.T, d *rand.Rand) *sim.World {
	versions := etcd.Versions()
	cfg, err := etcd.DefaultConfig(versions[d.IntN(len(versions))])
	require.NoError(t, err)
	small(&cfg)
	if d.IntN(2) == 0 {
		cfg.Watch.ProgressNotifyInterval = 0
	}
	if d.IntN(3) == 0 {
		cfg.Reads.RangeTime, cfg.Watch.ReadsDelayWatches = time.Millisecond, true
	}
	if d.IntN(3) == 0 {
		cfg.Watch.EchoesID = true
	}
	if d.IntN(3) == 0 {
		cfg.Watch.CreatedInOrder = true
	}
	server := sim.NodeID(1)
	w := sim.NewWorld(sim.Options{})
	if d.IntN(4) == 0 {
		cfg.Replicated, server = true, 2
	}
	w.Add("etcd", etcd.New(cfg))
	if cfg.Replicated {
		cfg.Leader, cfg.Replicated = 1, false
		w.Add("follower", etcd.New(cfg))
	}
	for i := range 3 {
		w.Add(fmt.Sprint("meddler-", i), &meddler{left: 50, watches: server})
	}
	late := func(f sim.Fault) { w.AddFault(&lateFault{f, 20 + d.IntN(200)}, sim.Budget{Times: 1}) }
	late(etcd.InstallSnapshot(1, "etcd"))
	late(etcd.InstallSnapshot(server, "watched etcd"))
	late(etcd.Clog(server, "etcd", []sim.NodeID{server + 1}, 0))
	late(etcd.Defragment(server, "watched etcd", 0))
	late(&sim.RestartProcess{Nodes: []sim.NodeID{server}, Label: "etcd"})
	return w
}

// lateFault strikes no earlier than at a step.
type lateFault struct {
	sim.Fault
	step int
}

func (f *lateFault) Ready(w *sim.World) bool { return w.Steps() >= f.step && f.Fault.Ready(w) }

// meddler asks for whatever can make trouble, near the newest revision that it
// knows, and remembers the answers.
type meddler struct {
	left    int
	watches sim.NodeID
	rev     int64
	streams []sim.Conn
	told    sim.Digest
}

// cellMeddler makes all steps of one client conflict.
var cellMeddler = sim.NewCell("test: meddler")

func (m *meddler) Start(env *sim.Env)         { env.Arm(nextOp, 0) }
func (m *meddler) Run(*sim.Env, sim.Task)     {}
func (m *meddler) TaskName(sim.Task) string   { return "" }
func (m *meddler) TimerName(sim.Timer) string { return "op" }

func (m *meddler) Clone() sim.Node {
	c := *m
	c.streams = slices.Clone(m.streams)
	return &c
}

func (m *meddler) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(m.left)).Int(m.rev).Int(int64(len(m.streams))).Fold(m.told)
}

func (m *meddler) Receive(env *sim.Env, msg *sim.Message) {
	env.Write(cellMeddler, 0)
	m.told = msg.Payload.Digest(m.told)
	switch p := msg.Payload.(type) {
	case *wire.PutResponse:
		m.rev = max(m.rev, p.Revision)
	case *wire.WatchResponse:
		m.rev = max(m.rev, p.Revision)
	case *sim.Hangup:
		m.streams = slices.DeleteFunc(m.streams, func(c sim.Conn) bool { return c == msg.Conn })
	}
}

func (m *meddler) Fire(env *sim.Env, _ sim.Timer) {
	env.Write(cellMeddler, 0)
	if m.left--; m.left > 0 {
		env.Arm(nextOp, 0)
	}
	key := []string{"/a", "/b"}[env.Choose(2, "key")]
	switch op := env.Choose(16, "op"); {
	case op < 4:
		env.Call(1, &wire.PutRequest{Key: key, Value: "v"})
	case op == 4:
		env.Call(1, &wire.DeleteRangeRequest{Key: key})
	case op == 5:
		env.Call(1, &wire.DeleteRangeRequest{Key: "/", RangeEnd: "0"})
	case op == 6:
		env.Call(1, &wire.TxnRequest{
			Compare: []wire.Compare{{Key: key, Result: wire.CompareGreater, Operand: max(0, m.rev-3)}},
			Success: []wire.RequestOp{{Range: m.get(env, key)}, {Put: &wire.PutRequest{Key: "/b", Value: "t"}}},
			Failure: []wire.RequestOp{{DeleteRange: &wire.DeleteRangeRequest{Key: key}}, {Put: &wire.PutRequest{Key: "/c"}}},
		})
	case op == 7:
		env.Call(1, &wire.CompactionRequest{Revision: m.rev - int64(env.Choose(3, "behind"))})
	case op < 10:
		env.Call(1, m.get(env, key))
	case op == 10 && env.Choose(2, "stream") == 1:
		r := m.get(env, "/a")
		r.Key, r.RangeEnd, r.Limit = "/", "0", int64(env.Choose(3, "limit"))
		conn := env.Open(1)
		env.Send(conn, &wire.RangeStreamRequest{Range: r})
		if env.Choose(4, "abandon") == 1 {
			env.Close(conn)
		}
	case op == 10:
		env.Call(1, &wire.TxnRequest{Success: []wire.RequestOp{{Range: m.get(env, key)}}})
	default:
		m.watch(env, key)
	}
}

func (m *meddler) get(env *sim.Env, key string) *wire.RangeRequest {
	r := &wire.RangeRequest{Key: key, Serializable: env.Choose(2, "serializable") == 1}
	if env.Choose(2, "range") == 1 {
		r.Key, r.RangeEnd = "/", "0"
	}
	if env.Choose(2, "past") == 1 {
		r.Revision = max(0, m.rev-int64(env.Choose(4, "behind")))
	}
	return r
}

// watch does one thing on one of the streams.
func (m *meddler) watch(env *sim.Env, key string) {
	i := env.Choose(min(len(m.streams)+1, 3), "stream")
	if i == len(m.streams) {
		m.streams = append(m.streams, env.Open(m.watches))
	}
	c := m.streams[i]
	switch op := env.Choose(12, "watch op"); {
	case op < 6:
		req := &wire.WatchCreateRequest{Key: key, PrevKv: env.Choose(2, "prevKv") == 1, ProgressNotify: env.Choose(2, "notify") == 1}
		if env.Choose(3, "from now") > 0 {
			req.StartRevision = max(-1, m.rev+2-int64(env.Choose(6, "start")))
		}
		if env.Choose(4, "range") > 0 {
			req.Key, req.RangeEnd = "/", "0"
		}
		req.Filters = wire.FilterType(env.Choose(2, "filter")) * wire.NoDelete
		env.Send(c, req)
	case op < 9:
		env.Send(c, &wire.WatchProgressRequest{ID: int64(m.left)})
	case op < 11:
		env.Send(c, &wire.WatchCancelRequest{WatchID: int64(env.Choose(3, "cancel"))})
	default:
		env.Close(c)
		m.streams = slices.Delete(m.streams, i, i+1)
	}
}
