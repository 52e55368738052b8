package compactor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// cellWhole is all that a node of these tests has.
var cellWhole = sim.NewCell("compactor test: whole node")

// loop is a node with a loop of so many turns: it writes a key, or asks a compactor
// for news.
type loop struct {
	sim.Idle
	to    sim.NodeID
	turns int
	known int64
	asked sim.Conn
}

func (l *loop) Start(env *sim.Env) { env.Enable(0) }

func (l *loop) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellWhole, 0)
	if l.turns--; l.turns > 0 {
		env.Enable(0)
	}
	if l.to == etcdID {
		env.Call(etcdID, &wire.PutRequest{Key: "/registry/pods/a", Value: "x"})
		return
	}
	env.Close(l.asked)
	l.asked = env.Call(l.to, &wire.CompactRevisionRequest{Above: l.known})
}

func (l *loop) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellWhole, 0)
	if p, ok := m.Payload.(*wire.CompactRevisionResponse); ok {
		l.known, l.asked = p.Revision, sim.NoConn
	}
}

func (*loop) TaskName(sim.Task) string { return "turn" }
func (l *loop) Restart(env *sim.Env)   { env.Enable(0) }
func (l *loop) Clone() sim.Node        { c := *l; return &c }
func (l *loop) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(l.turns)).Int(l.known).Bool(l.asked != sim.NoConn)
}

// untimed is a cluster of two API servers, each with a cache that asks its
// compactor, in a world where anything may come next.
func untimed(t *testing.T) *sim.World {
	cfg, err := etcd.DefaultConfig("3.6.16")
	require.NoError(t, err)
	library, err := client.DefaultConfig("3.6.16")
	require.NoError(t, err)
	library.Etcd = etcdID
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", etcd.New(cfg))
	for i := range 2 {
		lib := w.Add(fmt.Sprint("client-", i+1), client.New(library))
		node := w.Add(fmt.Sprint("compactor-", i+1), compactor.New(compactor.Config{KV: lib, Watch: lib, Rounds: 4}))
		cache := w.Add(fmt.Sprint("cache-", i+1), &loop{to: node, turns: 6})
		w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cache}, Label: fmt.Sprint("cache-", i+1)}, sim.Budget{Times: 2})
		w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{lib, node}, Label: fmt.Sprint(i + 1)}, sim.Budget{Times: 1})
		w.AddFault(&sim.BreakStream{From: []sim.NodeID{lib}, To: etcdID, Label: fmt.Sprint(i + 1)}, sim.Budget{Times: 1})
	}
	w.Add("writer", &loop{to: etcdID, turns: 12})
	return w
}

// Two steps that touch none of each other's cells come to the same in either
// order, and a step declares the cells that it changes.
func TestStepsDeclareTheirCells(t *testing.T) {
	var pairs, swapped, changed int
	for seed := range uint64(150) {
		s := simtest.NewSwapper(seed)
		w := untimed(t)
		w.Start(s)
		for range 300 {
			if !w.Step(s) {
				break
			}
		}
		if !assert.Empty(t, s.Wrong, "seed %d", seed) {
			return
		}
		pairs += s.Pairs
		swapped += s.Swapped
		changed += s.Changed
	}
	t.Logf("%d pairs, %d of them swapped; %d cells changed", pairs, swapped, changed)
	assert.Greater(t, min(swapped, changed), 4_000)
}

// The revision to compact to comes from the answer to the try an interval before,
// and not from an event of the watch of the key.
func TestACompactionDependsOnTheTryBefore(t *testing.T) {
	run := trace.New(nil)
	c := newTracedCluster(t, run, 5*time.Minute)
	c.runUntil(15*time.Minute + time.Second)
	run.Close(c.w)
	answers, watched := map[string]int{}, map[string]int{}
	won := -1
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Delivered >= 0 && run.Nodes[s.Node] == "compactor-1" {
			m := &run.Messages[s.Delivered]
			if run.Nodes[m.From] == "etcd" {
				answers[m.Payload.Label()] = i
			} else {
				watched[m.Payload.Label()] = i
			}
		}
		for _, n := range s.Notes {
			if n.Text == "may compact etcd, at revision 13" {
				won = i
			}
		}
	}
	require.GreaterOrEqual(t, won, 0)
	led := trace.NewSlicer(run, trace.Focus{}).Before(won)
	before, ok := answers["rev 13: succeeded"]
	require.True(t, ok)
	assert.True(t, led[before])
	told, ok := watched["MODIFIED RV=13 compact_rev_key=7"]
	require.True(t, ok)
	assert.False(t, led[told])
}
