package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
)

var toyBugs = []struct {
	name    string
	subject func() explore.Subject
}{
	{"short task last", shortTaskLast},
	{"atomicity, noise", atomicityWithNoise},
	{"lost event", lostEvent},
	{"starvation", starvation},
	{"two windows", twoWindows},
}

// schedulesToBug is how many seeds it takes from one on, 0 if limit are not
// enough.
func schedulesToBug(r *explore.Runner, c explore.Chooser, seed uint64, limit int) int {
	for n := 1; n <= limit; n++ {
		c.Begin(seed)
		res := r.Run(c)
		if res.Findings[0].Verdict == model.Violated {
			return n
		}
		seed++
	}
	return 0
}

// median of the schedules to a bug over some starts; 0 if most miss it.
func median(t testing.TB, s explore.Strategy, subject explore.Subject, starts, limit int) int {
	t.Helper()
	r := explore.NewRunner(subject, 0)
	c := s.Chooser(r.Profile())
	counts := make([]int, starts)
	for i := range counts {
		n := schedulesToBug(r, c, uint64(i)*1_000_003, limit)
		if n == 0 {
			n = limit + 1
		}
		counts[i] = n
	}
	slices.Sort(counts)
	if m := counts[starts/2]; m <= limit {
		return m
	}
	return 0
}

// TestStrategiesFindWhatTheyShould prints the median number of schedules to
// each toy bug (go test -v) and holds each strategy to what its paper claims,
// loosely.
func TestStrategiesFindWhatTheyShould(t *testing.T) {
	const starts, limit = 15, 6000
	found := map[string]map[string]int{}
	var table strings.Builder
	fmt.Fprintf(&table, "%-18s", "")
	for _, s := range explore.Strategies() {
		fmt.Fprintf(&table, "%10s", s.Name)
		found[s.Name] = map[string]int{}
	}
	for _, bug := range toyBugs {
		fmt.Fprintf(&table, "\n%-18s", bug.name)
		for _, s := range explore.Strategies() {
			m := median(t, s, bug.subject(), starts, limit)
			found[s.Name][bug.name] = m
			if m == 0 {
				fmt.Fprintf(&table, "%10s", "missed")
			} else {
				fmt.Fprintf(&table, "%10d", m)
			}
		}
	}
	t.Log("median schedules to bug\n" + table.String())

	for _, bug := range toyBugs {
		require.NotZero(t, found["portfolio"][bug.name], "the portfolio finds %s", bug.name)
	}
	require.Zero(t, found["random"]["short task last"], "the random walk's blind spot")
	require.Zero(t, found["random"]["starvation"], "the random walk's blind spot")
	for _, name := range []string{"urw", "pct3", "pos", "weights"} {
		require.NotZero(t, found[name]["short task last"], name)
	}
	for _, name := range []string{"random", "urw", "pos", "weights"} {
		require.NotZero(t, found[name]["lost event"], name)
	}
}
