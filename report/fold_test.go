package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/watchbed/watchbed/sim"
)

// TestALongRunIsFolded: no step is lost, none of which the story tells is folded, and none that changes what is shown.
func TestALongRunIsFolded(t *testing.T) {
	quiet := 0
	for _, name := range storyNames(t) {
		all, _, whole := stepsTold(t, name)
		folded := whole
		folded.fold()
		step, lines := 0, 0
		for _, row := range folded.Rows {
			if len(row.Quiet) == 0 {
				require.Equal(t, whole.Rows[step].How, row.How)
				require.Equal(t, all.when(step), row.When)
				require.Equal(t, noted(changed(whole.Rows[step].Holds)), noted(changed(row.Holds)))
				lines += len(row.Says)
				step++
				continue
			}
			require.GreaterOrEqual(t, len(row.Quiet), leastFolded)
			require.Empty(t, row.Says)
			for _, q := range row.Quiet {
				require.Equal(t, whole.Rows[step].How, q.How)
				require.Empty(t, changed(whole.Rows[step].Holds))
				step++
				quiet++
			}
		}
		require.Equal(t, len(whole.Rows), step, name)
		require.Equal(t, len(tellOnly(t, name).Lines), lines, name)
	}
	require.NotZero(t, quiet)
}

// TestWhatWaitsStaysInAFoldedRun: the change that is missed is shown also beside steps
// that do not touch it.
func TestWhatWaitsStaysInAFoldedRun(t *testing.T) {
	_, _, whole := stepsTold(t, "issue-15220")
	whole.fold()
	waits := 0
	for _, row := range whole.Rows {
		for _, n := range row.Holds {
			for _, p := range n.Parts {
				if !p.Changed {
					require.True(t, p.Entries[0].Holds || p.Entries[0].Claims)
					waits++
				}
			}
		}
	}
	require.NotZero(t, waits)
}

// TestLinksLeadSomewhere: each link of the page has one place that it leads to, and the
// first is to where the violation shows.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range []string{"issue-15220", "stale-list", "informer-relist-loop"} {
		page := pageOf(t, told(t, name))
		links := strings.Split(page, `<a href="#`)[1:]
		require.NotEmpty(t, links)
		require.True(t, strings.HasPrefix(links[0], "wrong"), name)
		for _, link := range links {
			id, _, _ := strings.Cut(link, `"`)
			require.Equal(t, 1, strings.Count(page, ` id="`+id+`"`), "%s: %s", name, id)
		}
	}
}

// TestManyLanesAreNarrow: they leave room for what happens, and a label has its lane.
func TestManyLanesAreNarrow(t *testing.T) {
	for lanesOf, width := range map[int]int{1: laneWidth, 10: laneWidth, 15: 16, 26: narrowest} {
		require.Equal(t, width, lanes{make([]sim.NodeID, lanesOf)}.width())
	}
}
