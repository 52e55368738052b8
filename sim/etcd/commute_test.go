package etcd_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	var c commuting
	for seed := 0; c.swapped < *swaps; seed++ {
		c.walk(t, seed)
	}
	t.Logf("%d pairs of steps swapped, %d more conflict", c.swapped, c.conflicting)
	require.Greater(t, c.swapped, c.conflicting/20, "few pairs commute")
}

// commuting counts the pairs of steps that were looked at.
type commuting struct {
	swapped, conflicting int
}

// walk is one random run.
func (c *commuting) walk(t *testing.T, seed int) {
	dice := newDice(seed)
	w := busyWorld(t, dice)
	w.Start(dice)
	for range 300 {
		enabled := slices.Clone(w.Enabled())
		if len(enabled) == 0 {
			return
		}
		first := enabled[dice.Pick(w, enabled)]
		second := enabled[dice.Pick(w, enabled)]
		if first == second {
			w.Do(dice, first)
			continue
		}
		w = c.pair(t, dice, w, first, second)
	}
}

// pair carries out two steps that are both possible, in this order, and in the
// other one if they do not conflict. It returns the world after the first order.
func (c *commuting) pair(t *testing.T, dice dice, w *sim.World, first, second sim.Action) *sim.World {
	there, back := clone(t, w), clone(t, w)
	a := step{action: first, name: w.Name(first)}
	b := step{action: second, name: w.Name(second)}
	require.True(t, a.do(there, dice))
	if !b.do(there, dice) {
		// The first step took the second one away.
		return there
	}
	if a.touched.Conflicts(&b.touched) {
		c.conflicting++
		return there
	}
	pair := fmt.Sprintf("%s\n%s\nand\n%s\n%s", a.name, cells(&a.touched), b.name, cells(&b.touched))
	for _, s := range []*step{&b, &a} {
		again := &step{action: s.action, name: s.name, replayed: s.chosen, replays: true}
		require.True(t, again.do(back, dice), "%s is not possible in the other order:\n%s", s.name, pair)
		require.Empty(t, again.elsewhere, "%s has another choice in the other order:\n%s", s.name, pair)
	}
	require.Equal(t, fingerprint(t, there), fingerprint(t, back), pair)
	c.swapped++
	return there
}

func clone(t *testing.T, w *sim.World) *sim.World {
	c, err := w.Clone()
	require.NoError(t, err)
	return c
}

func cells(f *sim.Footprint) string {
	text := ""
	for _, a := range f.Accesses {
		text += fmt.Sprintf("  %s node %d index %d item %d write %v\n", a.Cell.Kind, a.Cell.Node, a.Cell.Index, a.Cell.Item, a.Write)
	}
	return text
}

// step is one action with what it touched and the choices inside it.
type step struct {
	action  sim.Action
	name    string
	touched sim.Footprint
	chosen  []int
	// replayed are the choices to repeat.
	replays  bool
	replayed []int
	// elsewhere is a choice that the step did not have in the other order.
	elsewhere string
	dice      dice
}

// do carries the step out if it is possible now.
func (s *step) do(w *sim.World, d dice) bool {
	s.dice = d
	for _, a := range w.Enabled() {
		if a.Slot == s.action.Slot && a.Kind == s.action.Kind && a.Node == s.action.Node {
			s.touched.Reset()
			w.RecordCells(&s.touched)
			w.Do(s, a)
			return true
		}
	}
	return false
}

func (s *step) Pick(*sim.World, []sim.Action) int { panic("the test picks") }

func (s *step) Choose(_ *sim.World, n int, what string) int {
	if !s.replays {
		v := s.dice.IntN(n)
		s.chosen = append(s.chosen, v)
		return v
	}
	if len(s.replayed) == 0 || s.replayed[0] >= n {
		s.elsewhere = what
		return 0
	}
	v := s.replayed[0]
	s.replayed = s.replayed[1:]
	return v
}

// busyWorld is a server of a random release with buffers so small that they are
// often full, and clients that do everything at once.
func busyWorld(t *testing.T, d dice) *sim.World {
	versions := etcd.Versions()
	cfg, err := etcd.DefaultConfig(versions[d.IntN(len(versions))])
	require.NoError(t, err)
	cfg.ChanBufLen, cfg.CtrlStreamBufLen, cfg.MaxWatchersPerSync, cfg.WatchBatchMaxRevs = 2, 2, 4, 2
	cfg.SendWindow, cfg.CompactionBatchLimit = 2, 3
	if d.IntN(3) == 0 {
		cfg.RangeTime, cfg.ReadsDelayWatches = time.Millisecond, true
	}
	if d.IntN(3) == 0 {
		cfg.ProgressEcho = etcd.Echoed
	}
	if d.IntN(3) == 0 {
		cfg.Created = etcd.CreatedInOrder
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
