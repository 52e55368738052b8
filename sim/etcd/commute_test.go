package etcd_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/commute"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
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
		s := commute.NewSwapper(seed)
		w := busyWorld(t, rand.New(rand.NewPCG(seed, 1)))
		w.Start(s)
		for range 400 {
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
	if d.IntN(3) == 0 {
		cfg.Reads.RangeTime, cfg.Watch.ReadsDelayWatches = time.Millisecond, true
	}
	if d.IntN(3) == 0 {
		cfg.Watch.ProgressEcho = v3rpc.Echoed
	}
	if d.IntN(3) == 0 {
		cfg.Watch.Created = v3rpc.CreatedInOrder
	}
	follows := d.IntN(3) == 0
	cfg.Replicated = follows
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", etcd.New(cfg))
	if follows {
		cfg.Leader = 1
		w.Add("follower", etcd.New(cfg))
	}
	for i := range 3 {
		server := sim.NodeID(1)
		if follows && i > 0 {
			server = 2
		}
		w.Add(fmt.Sprint("chaos-", i), &declaring{&chaos{left: 24, watches: server}})
	}
	w.Add("reader", &declaring{&reader{left: 24}})
	w.AddFault(&etcd.InstallSnapshot{Node: 1, Label: "etcd"}, sim.Budget{Times: 2})
	w.AddFault(&etcd.Clog{Node: 1, Label: "etcd"}, sim.Budget{Times: 1})
	w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{1}, Label: "etcd"}, sim.Budget{Times: 1})
	return w
}

var cellClient = sim.NewCell("test: client")

// declaring is a client, each step of which conflicts with all its others.
type declaring struct{ sim.Node }

func (c *declaring) Receive(env *sim.Env, m *sim.Message) {
	env.Writes(cellClient, 0)
	c.Node.Receive(env, m)
}

func (c *declaring) Fire(env *sim.Env, t sim.Timer) {
	env.Writes(cellClient, 0)
	c.Node.Fire(env, t)
}

func (c *declaring) Clone() sim.Node { return &declaring{c.Node.(sim.Cloner).Clone()} }

func (c *declaring) Fingerprint(d sim.Digest) sim.Digest {
	return c.Node.(sim.Fingerprinter).Fingerprint(d)
}

// reader asks for one thing after the other and remembers what it was told.
type reader struct {
	left int
	told sim.Digest
}

func (r *reader) Start(env *sim.Env)         { env.Arm(nextOp, 0) }
func (r *reader) Run(*sim.Env, sim.Task)     {}
func (r *reader) TaskName(sim.Task) string   { return "" }
func (r *reader) TimerName(sim.Timer) string { return "op" }

func (r *reader) Receive(_ *sim.Env, m *sim.Message) { r.told = m.Payload.Digest(r.told) }

func (r *reader) Clone() sim.Node {
	c := *r
	return &c
}

func (r *reader) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(r.left)).Word(uint64(r.told))
}

func (r *reader) Fire(env *sim.Env, _ sim.Timer) {
	if r.left--; r.left > 0 {
		env.Arm(nextOp, 0)
	}
	g := &wire.RangeRequest{Key: []string{"/a", "/b", "/c"}[env.Choose(3, "key")], Serializable: env.Choose(2, "serializable") == 1}
	if env.Choose(2, "range") == 1 {
		g.Key, g.RangeEnd = "/", "0"
	}
	if env.Choose(3, "past") == 1 {
		g.Revision = int64(env.Choose(revisions, "revision"))
	}
	switch env.Choose(4, "op") {
	case 0:
		env.Call(1, &wire.TxnRequest{Success: []wire.RequestOp{{Range: g}}})
	case 1:
		env.Call(1, &wire.TxnRequest{
			Compare: []wire.Compare{{Key: "/a", Result: wire.CompareGreater, Operand: 3}},
			Success: []wire.RequestOp{{Range: g}, {Put: &wire.PutRequest{Key: "/b", Value: "t"}}},
			Failure: []wire.RequestOp{{DeleteRange: &wire.DeleteRangeRequest{Key: "/", RangeEnd: "0"}}},
		})
	default:
		env.Call(1, g)
	}
}
