package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// countOf is a number of them as people read it, >n if it is negative.
func countOf(n int) string {
	if n < 0 {
		return ">" + strconv.Itoa(-n)
	}
	return strconv.Itoa(n)
}

var strategiesHead = fmt.Sprintf(`# How soon each strategy finds each known bug

Printed by `+"`go run . strategies`"+` in the folder lab, measured by `+"`go test . -run TestNoSearchIsWorse -strategies.update`"+`; /bugs/NAME behind the test measures one bug. A
figure is the number of schedules up to the first that shows the bug in its scenario (`+"`simrun list NAME`"+`): the median of %d
campaigns, and in brackets a bound of the real median at %.0f %% confidence, which is the %dth of the campaigns in their order. Each has seeds
of its own, always the same ones. >n: not within n schedules. A campaign ends after %d schedules, or when it has taken %d steps.

The same code comes to the same figures on each machine. `+"`make lab-test`"+` runs campaigns again. Where they come to other figures,
the schedules are others; then the new medians are compared with these bounds, and a search that has become worse by more than
chance explains is red.
`, strategyCampaigns, 100*confidence, boundRank()+1, maxSchedules, maxSteps)

// strategiesTable is the page.
func strategiesTable(rows []strategyRow) string {
	var b strings.Builder
	b.WriteString(strategiesHead)
	names := 0
	b.WriteString("\n| bug |")
	for _, s := range strategy.All() {
		fmt.Fprintf(&b, " %s |", s.Name)
		names++
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", names))
	for i, r := range rows {
		if i%names == 0 {
			fmt.Fprintf(&b, "\n| %s |", r.Bug)
		}
		b.WriteString(" " + cell(r) + " |")
	}
	b.WriteString("\n")
	b.WriteString(summary(rows))
	return b.String()
}

func cell(r strategyRow) string {
	if r.median() < 0 {
		return countOf(r.median())
	}
	return countOf(r.median()) + " (" + countOf(r.bound()) + ")"
}

const summaryHead = `
## What each strategy is worth

Missed: bugs whose median is beyond the end of campaigns. Best: bugs that no other single strategy finds sooner; alone: in less than half
the schedules of any other. The last two columns ask how many times the schedules the portfolio would take without its member, or with one
that is no member: over all bugs (geometric mean), and for the bug to which it makes the greatest difference. They rest on the share of all schedules
that show a bug, which in a portfolio is the mean of its members.

| strategy | missed | best | alone | the portfolio takes | greatest difference |
|---|---:|---:|---:|---|---|
`

// summary compares the strategies over all bugs.
func summary(rows []strategyRow) string {
	var b strings.Builder
	b.WriteString(summaryHead)
	count := len(strategy.All())
	for i, s := range strategy.All() {
		missed, best, alone := 0, 0, 0
		for bug := range testbed.KnownBugs() {
			ofBug := rows[bug*count : (bug+1)*count]
			own := ofBug[i].median()
			if own < 0 {
				missed++
				continue
			}
			others := math.MaxInt
			for j, r := range ofBug {
				if m := r.median(); j != i && r.Strategy != strategy.Default().Name && m > 0 {
					others = min(others, m)
				}
			}
			if own <= others {
				best++
			}
			if own < others/2 {
				alone++
			}
		}
		if s.Name == strategy.Default().Name {
			fmt.Fprintf(&b, "| %s | %d | | | | |\n", s.Name, missed)
			continue
		}
		mean, most, bug := worth(rows, s)
		way := "without"
		if !isMember(s) {
			way = "with"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s it %.2f times | %.2f times: %s |\n", s.Name, missed, best, alone, way, mean, most, bug)
	}
	return b.String()
}

func isMember(s strategy.Strategy) bool {
	return slices.ContainsFunc(strategy.Members(), func(m strategy.Strategy) bool { return m.Name == s.Name })
}

// worth is how many times the schedules the portfolio takes that does without s, or takes it up
// if it is no member: the mean over bugs, and the bug to which it makes the greatest
// difference.
func worth(rows []strategyRow, s strategy.Strategy) (mean, most float64, bug string) {
	count := len(strategy.All())
	logs, bugs := 0.0, 0
	for i := range testbed.KnownBugs() {
		sum, members, own := 0.0, 0.0, 0.0
		for _, r := range rows[i*count : (i+1)*count] {
			if slices.ContainsFunc(strategy.Members(), func(m strategy.Strategy) bool { return m.Name == r.Strategy }) {
				sum += r.rate()
				members++
			}
			if r.Strategy == s.Name {
				own = r.rate()
			}
		}
		other := (sum + own) / (members + 1)
		if isMember(s) {
			other = (sum - own) / (members - 1)
		}
		if sum == 0 || other == 0 {
			continue
		}
		factor := sum / members / other
		logs += math.Log(factor)
		bugs++
		if math.Abs(math.Log(factor)) > math.Abs(math.Log(most)) || bug == "" {
			most, bug = factor, rows[i*count].Bug
		}
	}
	return math.Exp(logs / float64(bugs)), most, bug
}
