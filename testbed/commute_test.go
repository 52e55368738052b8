package testbed_test

import (
	"flag"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

var commutePairs = flag.Int("commute.pairs", 0, "pairs of adjacent steps that are swapped, over all scenarios; from 1,000,000 on with every design of the cache (0: 20,000, or fewer unless tests have their full size)")

// TestStepsThatDoNotConflictCommute takes adjacent steps of random runs whose
// declared cells do not conflict, swaps them, and wants the same state. A step
// that touches a cell which it does not declare is caught by it. Every scenario
// runs as it is and with other designs of the cache.
func TestStepsThatDoNotConflictCommute(t *testing.T) {
	all := testbed.Scenarios()
	each, pairsToSwap := 1, testsize.Flag(*commutePairs, 20_000, 800)
	if pairsToSwap >= 1_000_000 {
		each = len(cache.Designs())
	}
	share := pairsToSwap/len(all)/(each+1) + 1
	var swapped, pairs atomic.Int64
	t.Run("scenarios", func(t *testing.T) {
		for i, sc := range all {
			t.Run(sc.Name, func(t *testing.T) {
				t.Parallel()
				for j := range each + 1 {
					p := sc.Params
					if j > 0 {
						designs := campaigns.DesignsBeside(p.Cache)
						p.Cache = designs[(i+j)%len(designs)].Name
					}
					s := swap(t, sc, p, share)
					for _, wrong := range s.Wrong {
						assert.Fail(t, "with "+p.Cache, wrong)
					}
					swapped.Add(int64(s.Swapped))
					pairs.Add(int64(s.Pairs))
				}
			})
		}
	})
	t.Logf("%d adjacent pairs, of which %d do not conflict and were swapped", pairs.Load(), swapped.Load())
	assert.GreaterOrEqual(t, int(swapped.Load()), pairsToSwap)
}

// maxRunSteps keeps the long runs of timed scenarios from taking all the time.
func maxRunSteps() int { return testsize.Of(4_000, 250) }

func swap(t *testing.T, sc *testbed.Scenario, p testbed.Params, pairs int) *simtest.Swapper {
	system, err := sc.New(p)
	require.NoError(t, err)
	runner := explore.NewRunner(system, min(p.Clock.Steps, maxRunSteps()))
	s := simtest.NewSwapper(1)
	for s.Swapped < pairs && len(s.Wrong) == 0 {
		s.Begin()
		runner.Run(s)
	}
	return s
}
