package sampled_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/internal/wholehistory"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
)

var updateSizes = flag.Bool("sampled.sizes", false, "count the histories of all sizes anew, and write their table: minutes")

const (
	sizesFile  = "sizes.json"
	sizesTable = "sizes.md"
	sizesAnew  = "count anew: go test ./proofs/sampled -run TestSizes -sampled.sizes"
)

// size is a number of writes, of consistent LISTs and of firings of each timer.
type size struct{ writes, lists, firings int }

// sizes are one thing more of a kind each. The first of those with equal writes and LISTs has the fewest firings.
var sizes = []size{{1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {2, 1, 1}, {2, 2, 0}}

// largestSize is how many states a size has at most that is counted by a test which writes nothing.
func largestSize() int { return testsize.Of(50_000, 12_000, 4_000) }

func (s size) world() *world {
	return &world{
		scenario: scenarios.Issue15220, firings: s.firings,
		set: fmt.Sprintf("etcd=3.6.16 writers=1 writes=%d readers=1 reads=%d", s.writes, s.lists),
	}
}

// sized is what a size has come to.
type sized struct {
	// States are those with whole histories in them.
	States, Histories int
	// New are histories that the size with one firing fewer does not have; all, if there is none.
	New int
}

// histories are those in which the schedules of a world end, among states with whole histories in them.
func (s size) histories(t *testing.T) (states int, ends map[sim.Digest]struct{}) {
	t.Helper()
	whole := noting{wholehistory.System{System: s.world().system(t)}, map[sim.Digest]struct{}{}}
	r, err := prove.Search(t.Context(), func() prove.Subject { return unjudged{whole} }, nil, prove.Config{Bounds: prove.Bounds{Firings: s.firings}, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, prove.Proved, r.Verdict)
	return r.States, whole.ends
}

func TestSizes(t *testing.T) {
	kept := map[string]sized{}
	if text, err := os.ReadFile(sizesFile); err == nil {
		require.NoError(t, json.Unmarshal(text, &kept))
	}
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
		require.NoError(t, os.WriteFile(sizesFile, append(text, '\n'), 0o644))
		require.NoError(t, os.WriteFile(sizesTable, []byte(tableOfSizes(kept)), 0o644))
		return
	}
	text, err := os.ReadFile(sizesTable)
	require.NoError(t, err)
	require.Equal(t, tableOfSizes(kept), string(text), sizesAnew)
}

const sizesHead = `# How many histories larger bounds add

A history is what clients asked and were answered, and in which order. Counted are those in which schedules of issue-15220 end on etcd 3.6.16 with
the cache design kep-2340. "New" are those that the row with one firing fewer does not have: with more writes or LISTs every history is another
one. Written by ` + "`go test ./proofs/sampled -run TestSizes -sampled.sizes`" + `; the small rows are counted again in continuous integration.

| writes | LISTs | firings of each timer | states with whole histories | histories | new |
|---:|---:|---:|---:|---:|---:|
`

func tableOfSizes(kept map[string]sized) string {
	var b strings.Builder
	b.WriteString(sizesHead)
	for _, s := range sizes {
		k := kept[s.world().name()]
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d |\n", s.writes, s.lists, s.firings, k.States, k.Histories, k.New)
	}
	return b.String()
}
