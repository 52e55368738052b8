package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/recording"
)

// atMost is how many times as long as the shortest a shrunk run is to be at most.
const atMost = 1.5

// searched is what a search of small bounds found, and what shrinking came to within them.
type searched struct{ Steps, Shrunk int }

// searches are those of package proofs, by the names of the bugs. The folder is that of the module watchbed.
func searches(root string) (map[string]searched, error) {
	text, err := os.ReadFile(filepath.Join(root, "proofs", "proofs.json"))
	if err != nil {
		return nil, err
	}
	var kept struct{ Bugs map[string]searched }
	return kept.Bugs, json.Unmarshal(text, &kept)
}

// storySteps are those of the run whose story is kept, many if none is.
func storySteps(root, bug string) (int, error) {
	rec, err := recording.Open(filepath.Join(root, "report", "testdata", "stories", "bug-"+bug+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return math.MaxInt, nil
	}
	if err != nil {
		return 0, err
	}
	return rec.Steps(), nil
}

var shrinkingHead = fmt.Sprintf(`# How short the run of each known bug becomes

Printed by `+"`go run . shrinking`"+` in the folder lab, measured by `+"`go test . -run TestNoRunIsShrunkLess -timeout 2h -shrinking.update`"+`; `+"`-run 'TestNoRunIsShrunkLess/^NAME$'`"+` beside it shrinks the runs
of one bug. A run is one that a campaign in the scenario of the bug found (`+"`simrun list NAME`"+`),
and that `+"`simrun run`"+` made smaller: with fewer faults and clients, with shorter waits, and by fewer choices. Figures are medians of %d
campaigns, which begin at seeds of their own, always the same ones. Choices are the steps and the answers to questions inside
steps; in a timed run each delay is an answer.

"Shortest" is the shortest run that is known in this scenario: of these campaigns, and of the one whose story is kept, if one is. It is no proof that
there is no shorter one. The last columns are about the smallest bounds in which a search finds the bug (`+"`simrun list proofs`"+`): the
shortest run that there is, and what shrinking makes of a run of a campaign within the same bounds.
`, shrinkCampaigns)

// shrinkingTable is the page.
func shrinkingTable(root string, rows []shrunkRow) (string, error) {
	kept, err := searches(root)
	if err != nil {
		return "", err
	}
	var b, long strings.Builder
	b.WriteString(shrinkingHead)
	b.WriteString("\n| bug | clock | found | shrunk | from, to | choices | shortest | times | by search | shrunk within its bounds | times |\n")
	b.WriteString("|---|---|" + strings.Repeat("---:|", 9) + "\n")
	var near, far int
	logs, times := 0.0, map[bool][]float64{}
	for _, r := range rows {
		steps := sorted(r.Runs, shrunkSteps)
		told, err := storySteps(root, r.Bug)
		if err != nil {
			return "", err
		}
		shrunk, least := medianOf(r.Runs, shrunkSteps), min(steps[0], told)
		ratio := float64(shrunk) / float64(least)
		clock := "untimed"
		if r.Timed {
			clock = "timed"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d, %d | %d | %d | %.2f |", r.Bug, clock, medianOf(r.Runs, foundSteps), shrunk,
			steps[0], steps[len(steps)-1], medianOf(r.Runs, choices), least, ratio)
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
	return b.String(), nil
}
