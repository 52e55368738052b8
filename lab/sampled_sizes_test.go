package main

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

var updateSizes = flag.Bool("sampled.sizes", false, "count the histories of all sizes anew: minutes")

const sizesAnew = "count anew: go test . -run TestSizes -sampled.sizes"

// largestSize is how many states a size has at most that is counted by a test which writes nothing.
func largestSize() int { return testsize.Of(50_000, 12_000) }

// histories are those in which the schedules of a world end, among states with whole histories in them.
func (s size) histories(t *testing.T) (states int, ends map[sim.Digest]struct{}) {
	t.Helper()
	whole := noting{campaigns.WholeHistory{Searched: s.world().system(t)}, map[sim.Digest]struct{}{}}
	r, err := prove.Search(t.Context(), func() prove.Subject { return unjudged{whole} }, nil, prove.Config{Bounds: prove.Bounds{TimerBound: s.firings}, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, prove.Proved, r.Verdict)
	return r.States, whole.ends
}

func TestSizes(t *testing.T) {
	kept := map[string]sized{}
	require.NoError(t, json.Unmarshal(sizesJSON, &kept))
	var before map[sim.Digest]struct{}
	for _, s := range sizes {
		name := s.world().name()
		want, ok := kept[name]
		if !*updateSizes {
			require.True(t, ok, "the size is new; %s", sizesAnew)
			if want.States > largestSize() {
				continue
			}
		}
		if s.firings == 0 {
			before = nil
		}
		have := sized{}
		states, ends := s.histories(t)
		have.States, have.Histories = states, len(ends)
		for h := range ends {
			if _, ok := before[h]; !ok {
				have.New++
			}
		}
		for h := range before {
			require.Contains(t, ends, h, "a timer need not fire")
		}
		before = ends
		if *updateSizes {
			kept[name] = have
			continue
		}
		require.Equal(t, want, have, sizesAnew)
	}
	if *updateSizes {
		text, err := json.MarshalIndent(kept, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("sizes.json", append(text, '\n'), 0o644))
	}
}
