package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// schedulesToBug is how many seeds it takes, from the given one on; 0 if more than
// limit.
func schedulesToBug(r *explore.Runner, c strategy.Chooser, seed uint64, limit int) int {
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

// median of the schedules to a bug over some starts; 0 if more than half of them
// miss it.
func median(t testing.TB, s strategy.Strategy, subject explore.Subject, starts, limit int) int {
	t.Helper()
	r := explore.NewRunner(subject, 0)
	c := s.For(r)
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

// TestStrategiesFindTheBugsOfTheirPapers prints the median number of schedules to
// each toy bug (go test -v). Each strategy must find the kind of bug that its paper
// says it is good at.
func TestStrategiesFindTheBugsOfTheirPapers(t *testing.T) {
	const starts, limit = 15, 6000
	found := map[string]map[string]int{}
	var table strings.Builder
	fmt.Fprintf(&table, "%-18s", "")
	for _, s := range strategy.All() {
		fmt.Fprintf(&table, "%10s", s.Name)
		found[s.Name] = map[string]int{}
	}
	for _, bug := range toys.Bugs {
		fmt.Fprintf(&table, "\n%-18s", bug.Name)
		for _, s := range strategy.All() {
			m := median(t, s, bug.New(), starts, limit)
			found[s.Name][bug.Name] = m
			if m == 0 {
				fmt.Fprintf(&table, "%10s", "missed")
			} else {
				fmt.Fprintf(&table, "%10d", m)
			}
		}
	}
	t.Log("median schedules to bug\n" + table.String())

	require.Len(t, toys.Bugs, 6)
	for _, bug := range toys.Bugs {
		require.NotZero(t, found["portfolio"][bug.Name], "the portfolio finds %s", bug.Name)
	}
	for _, c := range []struct {
		bug          string
		find, misses []string
	}{
		{"short task last", []string{"urw", "pct3", "pos", "weights"}, []string{"random"}},
		{"lost event", []string{"random", "urw", "pos", "weights"}, nil},
		{"starvation", nil, []string{"random"}},
		// A step that has lost against one with which it races draws its priority anew in pos. If it kept
		// the first one, one schedule in 20,160 would show the bug in place of one in 64.
		{"taking turns", []string{"random", "pos"}, nil},
	} {
		for _, name := range c.find {
			require.NotZero(t, found[name][c.bug], "%s finds %s", name, c.bug)
		}
		for _, name := range c.misses {
			require.Contains(t, found[name], c.bug)
			require.Zero(t, found[name][c.bug], "the blind spot of %s", name)
		}
	}
}
