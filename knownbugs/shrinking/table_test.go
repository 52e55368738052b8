package shrinking_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

const tableFile = "README.md"

// atMost is how many times as long as the shortest a shrunk run is to be at most.
const atMost = 1.5

// TestTable: README.md is what the figures give, those of the searches and the stories that are kept.
func TestTable(t *testing.T) {
	rows := readRows(t)
	require.Len(t, rows, len(testbed.KnownBugs()), shrinkAnew)
	if *updateShrinking {
		write(t, rows)
	}
	written, err := os.ReadFile(tableFile)
	require.NoError(t, err)
	require.Equal(t, table(t, rows), string(written), "write the table: go test ./knownbugs/shrinking -run TestTable -shrinking.update")
}

// searched is what a search of small bounds found, and what shrinking came to within them.
type searched struct{ Steps, Shrunk int }

// searches are those of package proofs, by the names of the bugs.
func searches(t *testing.T) map[string]searched {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "proofs", "proofs.json"))
	require.NoError(t, err)
	var kept struct{ Bugs map[string]searched }
	require.NoError(t, json.Unmarshal(text, &kept))
	return kept.Bugs
}

// storySteps are those of the run whose story is kept.
func storySteps(t *testing.T, bug string) int {
	t.Helper()
	rec, err := recording.Open(filepath.Join("..", "..", "report", "testdata", "stories", "bug-"+bug+".json"))
	require.NoError(t, err)
	return rec.Steps()
}

var head = fmt.Sprintf(`# How short the run of each known bug becomes

Written by `+"`go test ./knownbugs/shrinking -timeout 2h -shrinking.update`"+`; `+"`-run 'TestNoRunIsShrunkLess/^NAME$'`"+` beside it shrinks the runs
of one bug, `+"`-run TestTable`"+` only writes the table. A run is one that a campaign in the scenario of the bug found ([knownbugs.md](../knownbugs.md)),
and that `+"`simrun run`"+` made smaller: with fewer faults and clients, with shorter waits, and by fewer choices. Figures are medians of %d
campaigns, which begin at seeds of their own, always the same ones. Choices are the steps and the answers to questions inside
steps; in a timed run each delay is an answer.

"Shortest" is the shortest run that is known in this scenario: of these campaigns, and of the one whose story is kept. It is no proof that
there is no shorter one. The last columns are about the smallest bounds in which a search finds the bug ([proofs](../../proofs/README.md#known-bugs)): the
shortest run that there is, and what shrinking makes of a run of a campaign within the same bounds.
`, campaigns)

// table is the page.
func table(t *testing.T, rows []row) string {
	t.Helper()
	kept := searches(t)
	var b, long strings.Builder
	b.WriteString(head)
	b.WriteString("\n| bug | clock | found | shrunk | from, to | choices | shortest | times | by search | shrunk within its bounds | times |\n")
	b.WriteString("|---|---|" + strings.Repeat("---:|", 9) + "\n")
	var near, far int
	logs, times := 0.0, map[bool][]float64{}
	for _, r := range rows {
		steps := figures(r.Runs, shrunkSteps)
		shrunk, least := median(r.Runs, shrunkSteps), min(steps[0], storySteps(t, r.Bug))
		ratio := float64(shrunk) / float64(least)
		clock := "untimed"
		if r.Timed {
			clock = "timed"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d, %d | %d | %d | %.2f |", r.Bug, clock, median(r.Runs, foundSteps), shrunk,
			steps[0], steps[len(steps)-1], median(r.Runs, choices), least, ratio)
		s, ok := kept[r.Bug]
		if ok && s.Shrunk > 0 {
			within := float64(s.Shrunk) / float64(s.Steps)
			times[true] = append(times[true], within)
			fmt.Fprintf(&b, " %d | %d | %.2f |\n", s.Steps, s.Shrunk, within)
		} else {
			b.WriteString(" - | - | - |\n")
		}
		logs += math.Log(ratio)
		times[false] = append(times[false], ratio)
		if ratio <= atMost {
			near++
			continue
		}
		far++
		fmt.Fprintf(&long, "- %s: %.2f times\n", r.Bug, ratio)
	}
	fmt.Fprintf(&b, "\n## What it comes to\n\nOf %d bugs that a search finds, shrinking within the bounds of the search comes to at most %.2f times the shortest run.\n",
		len(times[true]), slices.Max(append(times[true], 0)))
	fmt.Fprintf(&b, "In the scenarios of the catalogue the median run is %.2f times the shortest that is known (geometric mean over %d bugs),\nand at most %.1f times with %d of them.",
		math.Exp(logs/float64(max(1, len(rows)))), len(rows), atMost, near)
	if far > 0 {
		fmt.Fprintf(&b, " With these it is longer:\n\n%s", long.String())
	} else {
		b.WriteString("\n")
	}
	return b.String()
}
