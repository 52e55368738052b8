package cache_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

var swapRuns = flag.Int("swap.runs", 0, "random runs whose adjacent steps are swapped (0: 250, 80 at the usual size)")

// TestStepsThatDoNotConflictCommute: in random runs of random designs, with known
// bugs and faults, two adjacent steps whose cells do not conflict lead to the same
// state in either order, and a step declares each cell that it changes.
func TestStepsThatDoNotConflictCommute(t *testing.T) {
	began := time.Now()
	pairs, swapped, within, changes := 0, 0, 0, 0
	runs := testsize.Flag(*swapRuns, 250, 80)
	for run := range runs {
		s, design := swapRun(t, uint64(run))
		pairs += s.Pairs
		swapped += s.Swapped
		within += s.OfOneNode
		changes += s.Changed
		if len(s.Wrong) > 0 {
			require.Empty(t, s.Wrong[:min(len(s.Wrong), 3)], "run %d of %s", run, design)
		}
	}
	t.Logf("%d pairs of adjacent steps, %d swapped, %d of them within a node; %d changes of cells, in %v", pairs, swapped, within, changes, time.Since(began).Round(time.Millisecond))
	require.Greater(t, pairs, 200*runs)
	require.Greater(t, 3*swapped, pairs, "enough steps are declared apart")
}

// swapRun carries out a random run and looks at its adjacent steps.
func swapRun(t *testing.T, seed uint64) (*simtest.Swapper, string) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	cfg, design := randomDesign(t, rnd)
	cfg.KV, cfg.Watch, cfg.Compactor = upID, upID, 5
	w := sim.NewWorld(sim.Options{Mode: sim.Mode(rnd.IntN(4) / 3)})
	require.Equal(t, upID, w.Add("etcd", &rightEtcd{commits: 40}))
	require.Equal(t, cacheID, w.Add("cache", cache.New(cfg)))
	for i := range 2 {
		w.Add(fmt.Sprintf("stranger-%d", i), &stranger{t: t, told: map[int]int{}, last: 1 + rnd.IntN(20)})
	}
	require.Equal(t, cfg.Compactor, w.Add("compactor", &fixedCompactor{}))
	for i := range 2 {
		w.Add(fmt.Sprintf("follower-%d", i), &slowFollower{follower{to: cacheID, left: 6}})
	}
	w.Add("prober", &prober{left: 3})
	if rnd.IntN(4) == 0 {
		w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1, Within: time.Minute})
	}
	if rnd.IntN(4) == 0 {
		w.AddFault(cache.RecreateStorage(cacheID, "cache"), sim.Budget{Times: 1, Within: time.Minute})
	}
	if rnd.IntN(4) == 0 {
		w.AddFault(cache.LoseSnapshot(cacheID, "cache"), sim.Budget{Times: 2, Within: time.Minute})
	}
	s := simtest.NewSwapper(seed)
	w.Start(s)
	for i := 0; i < 400 && w.Step(s); i++ {
		continue
	}
	return s, design
}

// randomDesign draws a design of the package, with a few options changed, and small
// amounts.
func randomDesign(t *testing.T, rnd *rand.Rand) (cache.Config, string) {
	all := cache.Designs()
	d := all[rnd.IntN(len(all))]
	o, name := d.Options(), d.Name
	for range rnd.IntN(5) {
		c := &cache.Choices[rnd.IntN(len(cache.Choices))]
		v := c.Values()[rnd.IntN(len(c.Values()))].Name
		require.NoError(t, c.Set(&o, v))
		name += " " + c.Name + "=" + v
	}
	cfg := cache.Config{Options: o, Prefix: prefix, Metadata: "source=cache", Endpoints: 1 + rnd.IntN(2)}
	cfg.RingCapacity, cfg.IncomingCapacity, cfg.WatchCapacity = 1+rnd.IntN(6), 1+rnd.IntN(6), 1+rnd.IntN(3)
	cfg.InitialEventsBytes = 1 + rnd.IntN(200)
	cfg.ListPageSize, cfg.KeptPages, cfg.DelegatedLimit = 1+rnd.IntN(3), 2, rnd.IntN(3)
	return cfg, name
}

// fixedCompactor answers polls with a compaction, and holds questions for a later
// one until it is asked again.
type fixedCompactor struct {
	sim.Idle
	revision int64
	held     []sim.Conn
}

func (c *fixedCompactor) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellClient, 0)
	p, ok := m.Payload.(*wire.CompactRevisionRequest)
	if !ok {
		c.held = slices.DeleteFunc(c.held, func(conn sim.Conn) bool { return conn == m.Conn })
		return
	}
	c.held = append(c.held, m.Conn)
	if p.Above < 0 {
		c.tell(env)
	} else {
		env.Enable(0)
	}
}

// tell answers with a revision that is a little higher each time.
func (c *fixedCompactor) tell(env *sim.Env) {
	c.revision += 3
	for _, conn := range c.held {
		env.Send(conn, &wire.CompactRevisionResponse{Revision: c.revision})
	}
	c.held = c.held[:0]
}

func (c *fixedCompactor) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellClient, 0)
	if c.revision < 30 {
		c.tell(env)
	}
}

func (c *fixedCompactor) TaskName(sim.Task) string { return "compact" }

func (c *fixedCompactor) Clone() sim.Node {
	d := *c
	d.held = slices.Clone(c.held)
	return &d
}

func (c *fixedCompactor) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(c.revision).Int(int64(len(c.held)))
}

// prober asks whether the cache is ready.
type prober struct {
	sim.Idle
	left, ready int
}

func (p *prober) Start(env *sim.Env) { env.Enable(0) }

func (p *prober) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellClient, 0)
	env.Call(cacheID, &wire.ReadyzRequest{})
	if p.left--; p.left > 0 {
		env.Enable(0)
	}
}

func (p *prober) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellClient, 0)
	if _, ok := m.Payload.(*wire.ReadyzResponse); ok {
		p.ready++
	}
}

func (p *prober) TaskName(sim.Task) string { return "probe" }
func (p *prober) Clone() sim.Node          { c := *p; return &c }

func (p *prober) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(p.left)).Int(int64(p.ready))
}

func (s *stranger) Clone() sim.Node {
	c := *s
	c.tokens, c.failed, c.told = slices.Clone(s.tokens), slices.Clone(s.failed), maps.Clone(s.told)
	return &c
}

func (s *stranger) Fingerprint(d sim.Digest) sim.Digest {
	for _, token := range s.tokens {
		d = d.Text(token)
	}
	for _, status := range []int{0, 400, 410, 429, 500, 503, 504} {
		d = d.Int(int64(s.told[status]))
	}
	return d.Int(int64(len(s.failed))).Int(int64(s.last))
}
