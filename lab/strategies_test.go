package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/testbed"
)

var updateStrategies = flag.Bool("strategies.update", false, "measure anew how soon each strategy finds the known bugs: minutes")

const measureAnew = "measure anew: go test . -run TestNoSearchIsWorse -strategies.update"

func readFigures(t *testing.T) []strategyRow {
	t.Helper()
	rows, err := readStrategies()
	require.NoError(t, err)
	return rows
}

// figuresOf are the rows as text, a line for each bug.
func figuresOf(t *testing.T, rows []strategyRow) []byte {
	t.Helper()
	var lines []string
	for ofBug := range slices.Chunk(rows, len(strategy.All())) {
		campaigns := map[string][]int{}
		for _, r := range ofBug {
			campaigns[r.Strategy] = r.Campaigns
		}
		line, err := json.Marshal(campaigns)
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf("%q:%s", ofBug[0].Bug, line))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}

// eachRow calls for each strategy and each of the bugs, several bugs at the same time.
func eachRow(t *testing.T, every int, call func(t *testing.T, number int, b *testbed.KnownBug, s strategy.Strategy)) {
	t.Run("bugs", func(t *testing.T) {
		for i, b := range testbed.KnownBugs() {
			if i%every != 0 {
				continue
			}
			t.Run(b.Name, func(t *testing.T) {
				t.Parallel()
				for j, s := range strategy.All() {
					call(t, i*len(strategy.All())+j, b, s)
				}
			})
		}
	})
}

// updateRows measures the bugs that -run selects, and writes them down beside what was recorded of
// the others.
func updateRows(t *testing.T) {
	rows := readFigures(t)
	eachRow(t, 1, func(t *testing.T, number int, b *testbed.KnownBug, s strategy.Strategy) {
		before := rows[number]
		rows[number] = newSearch(t, b, s).all(t)
		if len(before.Campaigns) > 0 && !slices.Equal(before.Campaigns, rows[number].Campaigns) {
			t.Log(strategyChange{before, rows[number]})
		}
	})
	require.False(t, t.Failed())
	for _, r := range rows {
		require.NotEmpty(t, r.Campaigns, "%s was never measured", r.Bug)
	}
	require.NoError(t, os.WriteFile("strategies.json", figuresOf(t, rows), 0o644))
}

// TestNoSearchIsWorse runs recorded campaigns again. If they come to other numbers, the code
// takes other schedules, and all campaigns of the strategy and the bug are run anew: they
// are not to take longer than what was recorded, by more than chance explains.
func TestNoSearchIsWorse(t *testing.T) {
	if *updateStrategies {
		updateRows(t)
		return
	}
	recorded := readFigures(t)
	var changes comparison
	eachRow(t, testsize.Of(1, 6), func(t *testing.T, number int, b *testbed.KnownBug, s strategy.Strategy) {
		r := recorded[number]
		require.NotEmpty(t, r.Campaigns, "%s with %s was never measured; %s", b.Name, s.Name, measureAnew)
		// A search that found too little for a bound has nothing to become worse than.
		if r.bound() < 0 {
			return
		}
		if n := newSearch(t, b, s); n.differs(t, r, testsize.Of(200, 60)) {
			changes.add(r, n.all(t))
		}
	})
	for _, c := range changes.list {
		t.Log(c)
	}
	require.Empty(t, changes.worse(), "the search has become worse; if it must, %s", measureAnew)
}

// differs runs the shortest of the recorded campaigns again: one, and more as long as they
// have no more than so many schedules in all.
func (s *search) differs(t *testing.T, r strategyRow, most int) bool {
	numbers := make([]int, len(r.Campaigns))
	for i := range numbers {
		numbers[i] = i
	}
	length := func(number int) int {
		if n := r.Campaigns[number]; n > 0 {
			return n
		}
		return math.MaxInt
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(length(a), length(b)) })
	ran := 0
	for _, number := range numbers {
		n := r.Campaigns[number]
		if n < 0 || ran > 0 && ran+n > most {
			break
		}
		if s.campaign(t, number) != n {
			return true
		}
		ran += n
	}
	return false
}

// strategyChange is a row whose campaigns come to other numbers than were recorded.
type strategyChange struct{ recorded, now strategyRow }

func (c strategyChange) String() string {
	return fmt.Sprintf("%s with %s: median %s, recorded %s, of which the 95 %% bound is %s", c.now.Bug, c.now.Strategy,
		countOf(c.now.median()), countOf(c.recorded.median()), countOf(c.recorded.bound()))
}

// beyond reports whether the median is now beyond the recorded campaign of a rank.
func (c strategyChange) beyond(rank int) bool {
	now, limit := c.now.median(), c.recorded.ranked(rank)
	return limit > 0 && (now < 0 || now > limit)
}

// comparison collects changes.
type comparison struct {
	mutex sync.Mutex
	list  []strategyChange
}

func (c *comparison) add(recorded, now strategyRow) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.list = append(c.list, strategyChange{recorded, now})
}

// byChance is the probability below which chance is no explanation.
const byChance = 1e-4

// worse says what chance does not explain. One median beyond the recorded bound is nothing:
// where no search has become worse and all schedules are others, one in nine is. So
// it looks at medians beyond all that was recorded, and at how many of a strategy, or of a
// bug, are beyond the bound.
func (c *comparison) worse() (found []string) {
	type count struct{ changed, beyond int }
	counts := map[string]*count{}
	var names []string
	for _, x := range c.list {
		if x.beyond(strategyCampaigns - 1) {
			found = append(found, x.String())
		}
		for _, name := range []string{x.now.Strategy, x.now.Bug} {
			if counts[name] == nil {
				counts[name] = &count{}
				names = append(names, name)
			}
			counts[name].changed++
			if x.beyond(boundRank()) {
				counts[name].beyond++
			}
		}
	}
	for _, name := range names {
		n := counts[name]
		if metric.AtLeast(n.beyond, n.changed, chanceBeyond(boundRank())) < byChance {
			found = append(found, fmt.Sprintf("%s: %d of %d medians are beyond the recorded 95 %% bound", name, n.beyond, n.changed))
		}
	}
	slices.Sort(found)
	return found
}
