package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestALongRunIsFolded: no step is lost, none of which the story tells is folded, none
// that changes what is shown, and beside the others is only what they change.
func TestALongRunIsFolded(t *testing.T) {
	all, _, whole := stepsTold(t, "guard-cascade-limited-3.5.12")
	folded := whole
	folded.fold()
	require.Less(t, 2*len(folded.Rows), len(whole.Rows))
	step, lines := 0, 0
	for _, row := range folded.Rows {
		if len(row.Quiet) == 0 {
			require.Equal(t, whole.Rows[step].How, row.How)
			require.Equal(t, all.when(step), row.When)
			require.Equal(t, texts(changed(whole.Rows[step].Holds)), texts(changed(row.Holds)))
			for _, n := range row.Holds {
				for _, p := range n.Parts {
					require.True(t, p.Changed, "this violation misses no change, so nothing waits: %+v", p)
				}
			}
			lines += len(row.Says)
			step++
			continue
		}
		require.GreaterOrEqual(t, len(row.Quiet), leastFolded)
		require.Empty(t, row.Says)
		for _, quiet := range row.Quiet {
			require.Equal(t, whole.Rows[step].How, quiet.How)
			require.Empty(t, changed(whole.Rows[step].Holds))
			step++
		}
	}
	require.Equal(t, len(whole.Rows), step)
	require.Equal(t, len(tellOnly(t, "guard-cascade-limited-3.5.12").Lines), lines)
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
	_, short, whole := stepsTold(t, "guard-cascade-limited-3.5.12")
	require.Equal(t, laneWidth, short.LaneWidth)
	require.Len(t, whole.Lanes, 26)
	require.Equal(t, narrowest, whole.LaneWidth)
	for _, row := range whole.Rows {
		require.Equal(t, 26*narrowest, row.Lanes.Width)
		require.Less(t, max(row.Lanes.From, row.Lanes.To), row.Lanes.Width)
	}
}
