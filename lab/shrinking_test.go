package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/testbed"
)

var updateShrinking = flag.Bool("shrinking.update", false, "shrink runs of the known bugs anew, and write them: a quarter of an hour")

const shrinkAnew = "shrink anew: go test . -run TestNoRunIsShrunkLess -timeout 2h -shrinking.update"

// tooLong is the length in steps of a run that is shrunk only with -shrinking.update.
const tooLong = 5_000

// write writes the rows in the order of the bugs, a line each.
func write(t *testing.T, rows []shrunkRow) {
	t.Helper()
	var lines []string
	for _, b := range testbed.KnownBugs() {
		if r := rowOf(rows, b.Name); r != nil {
			line, err := json.Marshal(r)
			require.NoError(t, err)
			lines = append(lines, string(line))
		}
	}
	require.NoError(t, os.WriteFile("shrunk.json", []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644))
}

// TestNoRunIsShrunkLess runs a campaign of each bug again. If it comes to another run, all campaigns of
// the bug are run anew: what they come to is not to be longer than what was recorded.
func TestNoRunIsShrunkLess(t *testing.T) {
	recorded, err := readShrunk()
	require.NoError(t, err)
	var changes []shrinkChange
	for i, b := range testbed.KnownBugs() {
		t.Run(b.Name, func(t *testing.T) {
			bed, r := bedOf(t, b), rowOf(recorded, b.Name)
			if *updateShrinking {
				recorded = slices.DeleteFunc(recorded, func(r shrunkRow) bool { return r.Bug == b.Name })
				recorded = append(recorded, shrunkRow{b.Name, bed.timed(), bed.all(t)})
				write(t, recorded)
				return
			}
			require.NotNil(t, r, "the bug is new; %s", shrinkAnew)
			switch {
			case r.Runs[0].Found > tooLong:
				t.Skipf("to shrink %d steps takes minutes", r.Runs[0].Found)
			case i%testsize.Of(1, 4) != 0:
				t.Skip("another size of the tests shrinks its runs again")
			}
			if bed.campaign(t, 0) != r.Runs[0] {
				changes = append(changes, shrinkChange{*r, shrunkRow{b.Name, r.Timed, bed.all(t)}})
			}
		})
	}
	for _, c := range changes {
		t.Log(c)
	}
	require.Empty(t, shrunkLess(changes), "runs are shrunk less; if they must be, %s", shrinkAnew)
}

// shrinkChange is a row whose campaigns come to other runs than were recorded.
type shrinkChange struct{ recorded, now shrunkRow }

func (c shrinkChange) String() string {
	return fmt.Sprintf("%s: shrunk to %d steps, recorded %d", c.now.Bug, medianOf(c.now.Runs, shrunkSteps), medianOf(c.recorded.Runs, shrunkSteps))
}

func (c shrinkChange) ratio() float64 {
	return float64(medianOf(c.now.Runs, shrunkSteps)) / float64(medianOf(c.recorded.Runs, shrunkSteps))
}

// How much longer shrunk runs may become before it is worth a word: the median of one bug than the
// longest run that was recorded of it, and the medians of all bugs in the mean.
const (
	longerOfOne = 1.5
	longerOfAll = 1.15
	// fewestRuns is of how many bugs a mean says something.
	fewestRuns = 5
)

// shrunkLess says which bugs have longer runs than chance explains.
func shrunkLess(changes []shrinkChange) (found []string) {
	logs := 0.0
	for _, c := range changes {
		longest := slices.Max(sorted(c.recorded.Runs, shrunkSteps))
		if float64(medianOf(c.now.Runs, shrunkSteps)) > longerOfOne*float64(longest) {
			found = append(found, c.String())
		}
		logs += math.Log(c.ratio())
	}
	if mean := math.Exp(logs / float64(max(1, len(changes)))); len(changes) >= fewestRuns && mean > longerOfAll {
		found = append(found, fmt.Sprintf("the medians of %d bugs are %.2f times as long in the mean", len(changes), mean))
	}
	return found
}

func TestWorse(t *testing.T) {
	of := func(steps ...int) shrunkRow {
		r := shrunkRow{Bug: "a-bug"}
		for _, n := range steps {
			r.Runs = append(r.Runs, run{Steps: n})
		}
		return r
	}
	recorded := of(10, 12, 20)
	require.Empty(t, shrunkLess([]shrinkChange{{recorded, of(29, 30, 99)}}), "the longest was 20")
	require.Empty(t, shrunkLess([]shrinkChange{{of(10, 10, 10), of(11, 11, 11)}}), "by a step")
	require.Equal(t, []string{"a-bug: shrunk to 31 steps, recorded 12"}, shrunkLess([]shrinkChange{{recorded, of(10, 31, 32)}}))
	little := shrinkChange{recorded, of(10, 14, 18)}
	require.Empty(t, shrunkLess([]shrinkChange{little, little}), "so few bugs are chance")
	require.Equal(t, []string{"the medians of 5 bugs are 1.17 times as long in the mean"}, shrunkLess(slices.Repeat([]shrinkChange{little}, 5)))
}
