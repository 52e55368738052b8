package cache_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
)

// keenReader has several requests under way at a time, for the newest state, for
// the state of its last answer, and for the next page of that.
type keenReader struct {
	sim.Idle
	left  int
	told  int64
	token string
}

func (r *keenReader) Start(env *sim.Env) { env.Enable(0) }

func (r *keenReader) Run(env *sim.Env, _ sim.Task) {
	env.Write(cellClient, 0)
	if r.left--; r.left > 0 {
		env.Enable(0)
	}
	list := &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	switch env.Choose(8, "what to ask") {
	case 0:
		env.Call(cacheID, &wire.GetRequest{Key: prefix + "a", ResourceVersion: r.told + 1})
		return
	case 1:
		list.ResourceVersion = 0
	case 2:
		list.ResourceVersion, list.Match = r.told+1, wire.MatchNotOlderThan
	case 3:
		list.ResourceVersion, list.Match = r.told+int64(env.Choose(3, "later")), wire.MatchExact
	case 4:
		list.Limit = 1
	case 5:
		list.Limit, list.Continue = 1, r.token
	}
	if list.Match == wire.MatchExact && list.ResourceVersion == 0 {
		list.Match = wire.MatchUnset
	}
	env.Call(cacheID, list)
}

func (r *keenReader) Receive(env *sim.Env, m *sim.Message) {
	env.Write(cellClient, 0)
	if p, ok := m.Payload.(*wire.ListResponse); ok {
		r.told = p.ResourceVersion
		if p.Continue != "" {
			r.token = p.Continue
		}
	}
}

func (r *keenReader) TaskName(sim.Task) string { return "ask" }
func (r *keenReader) Clone() sim.Node          { c := *r; return &c }
func (r *keenReader) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(r.left)).Int(r.told).Text(r.token)
}

// TestReadsOfEachAlternativeCommute swaps steps for each value of the options of
// reads, with snapshots and without, while two clients read all the time.
func TestReadsOfEachAlternativeCommute(t *testing.T) {
	runs, pairs, swapped := 0, 0, 0
	for _, o := range cache.Choices {
		if _, err := read.Group.Find(o.Name); err != nil && o.Name != "progress-requests" {
			continue
		}
		for _, v := range o.Values() {
			for seed := range testsize.Of[uint64](10, 3) {
				s := keenRun(t, o.Name, v.Name, seed)
				require.Empty(t, s.Wrong, "%s=%s, seed %d", o.Name, v.Name, seed)
				runs++
				pairs += s.Pairs
				swapped += s.Swapped
			}
		}
	}
	t.Logf("%d runs, %d pairs of adjacent steps, %d swapped", runs, pairs, swapped)
	require.Greater(t, swapped, 20*runs)
}

func keenRun(t *testing.T, name, value string, seed uint64) *simtest.Swapper {
	rnd := rand.New(rand.NewPCG(seed, 7))
	o, err := cache.Options{}.With(name, value)
	require.NoError(t, err)
	if rnd.IntN(2) == 0 {
		o, err = o.With("snapshots", "on")
		require.NoError(t, err)
	}
	cfg := config(o)
	cfg.RingCapacity, cfg.KeptPages, cfg.DelegatedLimit, cfg.Compactor = 2+rnd.IntN(6), 2, rnd.IntN(3), 5
	w := sim.NewWorld(sim.Options{Mode: sim.Mode(rnd.IntN(4) / 3)})
	w.Add("etcd", &rightEtcd{commits: 30})
	w.Add("cache", cache.New(cfg))
	for _, client := range []string{"reader 0", "reader 1"} {
		w.Add(client, &keenReader{left: 30})
	}
	require.Equal(t, cfg.Compactor, w.Add("compactor", &fixedCompactor{}))
	s := simtest.NewSwapper(seed + 1)
	w.Start(s)
	for i := 0; i < 300 && w.Step(s); i++ {
		continue
	}
	return s
}
