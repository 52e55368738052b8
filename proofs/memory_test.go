package proofs_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

const streamBreaks = "etcd=3.6.16 writers=1 writes=1 readers=1 reads=1 breaks=1"

// What parts say that they take is about what the heap grows by.
func TestPartsSayHowMuchMemoryTheyTake(t *testing.T) {
	sc, p := withSettings(t, "issue-15220", streamBreaks)
	s, err := sc.New(p)
	require.NoError(t, err)
	first := sim.NewWorld(s.Options())
	first.OmitNames()
	explore.Begin(s, first, &explore.Combination{})
	before := heap()
	parts, learner, begin, err := newParts(first)
	require.NoError(t, err)
	w := fork(t, first)
	for seed := range uint64(testsize.Of(400, 100, 100)) {
		r, at := rand.New(rand.NewPCG(seed, 1)), begin
		for range 100 {
			enabled := parts.World(at, w).Enabled()
			if len(enabled) == 0 {
				break
			}
			at = take(learner, at, enabled[r.IntN(len(enabled))])
		}
	}
	took := heap() - before
	require.Greater(t, took, 2<<20)
	require.InEpsilon(t, took, parts.Bytes(), 0.3)
	runtime.KeepAlive(w)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func withSettings(t *testing.T, scenario, settings string) (*testbed.Scenario, testbed.Params) {
	t.Helper()
	sc, err := testbed.FindScenario(scenario)
	require.NoError(t, err)
	p := sc.Params
	require.NoError(t, setAll(&p, settings))
	return sc, p
}

// A search that may take less memory than it would forgets what it has learned, and comes to the same.
func TestSearchTakesNoMoreMemoryThanItMay(t *testing.T) {
	sc, p := withSettings(t, "issue-15220", streamBreaks)
	search := func(limit int) (found *proof.Proof, most int) {
		cfg := prove.Config{Bounds: prove.Bounds{Firings: 1}, States: testsize.Of(60_000, 4_000, 4_000), Workers: 2, Bytes: limit}
		cfg.Progress = func(at prove.Progress) { most = max(most, at.Bytes) }
		found, _, err := proof.Search(t.Context(), sc, p, cfg, "watchbed")
		require.NoError(t, err)
		found.Seconds = 0
		return found, most
	}
	free, most := search(0)
	held, least := search(most / 2)
	require.LessOrEqual(t, least, most/2)
	require.Equal(t, free, held)
}
