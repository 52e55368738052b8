package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Compared is a side beside what is known of it, or two sides.
type Compared interface{ Verdict() model.Verdict }

// WriteCompared writes what differs between two sides, or between one side and what is known: what differs first, then what is unknown,
// then a count of what is alike.
func WriteCompared(w io.Writer, o Terminal, found Compared) error {
	if _, two := found.(*matrix.Comparison); two {
		return writeText(w, o, "comparison", found)
	}
	return writeText(w, o, "as known", found)
}

// whatDiffers is what differs between two sides in all.
func whatDiffers(c *matrix.Comparison) string {
	claims := func(n int, one, many string) string {
		if n == 1 {
			return "1 claim " + one
		}
		return fmt.Sprintf("%d claims %s", n, many)
	}
	notReady := len(c.Kinds(string(matrix.NeverReady)))
	what, n := "nothing differs", len(c.Differs)-notReady
	switch {
	case n > 0:
		what = claims(n, "differs", "differ")
	case notReady+len(c.Costs) > 0:
		what = "no claim differs"
	case len(c.Perhaps) > 0:
		const chance = " violated with one of them only, in too few schedules to exclude chance"
		what = claims(len(c.Perhaps), "is"+chance, "are"+chance)
	case len(c.Unknown) > 0:
		what = "nothing is known to differ"
	}
	if n := len(c.Costs); n > 0 {
		what += ", and " + Counted(uint64(n), "cost")
	}
	if notReady > 0 {
		what += ", and in " + Counted(uint64(notReady), "scenario") + " how often caches are never ready again"
	}
	return what
}

// group are claims that one side violates for the same reasons, and the other does not.
type group struct {
	Because []string
	Claims  []*groupedClaims
	First   *matrix.Seen
	n       int
}

// groupedClaims are those of one scenario: so many schedules of the bad side, and of the other.
type groupedClaims struct {
	Scenario         string
	Properties       []string
	Schedules, Other uint64
	Chance           float64
}

// groupsOf are the claims that each side alone violates, by reason: what is not known first, then what most claims have in common.
func groupsOf(c *matrix.Comparison) (sides [2][]*group) {
	for _, d := range c.Kinds(string(matrix.Verdict)) {
		bad, other := &d.Sides[d.Bad()], &d.Sides[d.Other()]
		because := bad.Because
		if slices.Equal(because, other.Because) {
			because = nil // what is known of both sides does not tell them apart
		}
		of := &sides[d.Bad()]
		at := slices.IndexFunc(*of, func(g *group) bool { return slices.Equal(g.Because, because) })
		if at < 0 {
			at = len(*of)
			*of = append(*of, &group{Because: because, First: bad})
		}
		g := (*of)[at]
		g.n++
		if n := len(g.Claims); n == 0 || g.Claims[n-1].Scenario != d.Scenario {
			g.Claims = append(g.Claims, &groupedClaims{Scenario: d.Scenario, Schedules: bad.Schedules, Other: other.Schedules})
		}
		last := g.Claims[len(g.Claims)-1]
		last.Properties = append(last.Properties, fmt.Sprintf("%s %d", d.Property, bad.Violations))
		last.Chance = max(last.Chance, d.Chance)
	}
	for _, of := range sides {
		slices.SortStableFunc(of, func(a, b *group) int {
			return cmp.Or(min(1, len(a.Because))-min(1, len(b.Because)), b.n-a.n)
		})
	}
	return sides
}

// chance is the p-value of two counts.
func chance(p float64) string {
	if p < 1e-6 {
		return "p < 1e-6"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// mostTold is how much of what happens in the stories of one side only is written for a claim and a side.
const mostTold = 2

// toldOf is what happens in the stories of one side, and not in those of the other, of several ways to fail once.
func toldOf(d *matrix.Difference) (all []matrix.StoryDifference) {
	var told [2]int
	for i, s := range d.Stories {
		again := slices.ContainsFunc(d.Stories[:i], func(x matrix.StoryDifference) bool { return x.Side == s.Side && x.Where == s.Where && x.What == s.What })
		if !again && told[s.Side] < mostTold {
			told[s.Side]++
			all = append(all, s)
		}
	}
	return all
}

// onlyCommand shows a way in which one side violates a claim, and the other does not.
func onlyCommand(d *matrix.Difference) string {
	for k := range d.Sides {
		for _, w := range d.Sides[k].Ways {
			if !slices.ContainsFunc(d.Sides[1-k].Ways, func(x matrix.Way) bool { return x.Label == w.Label }) {
				return d.Sides[k].Command
			}
		}
	}
	return d.Sides[0].Command
}

// waysOf are the words for the ways in which a side violates a claim.
func waysOf(d *matrix.Difference, side int) (all []string) {
	property, err := testbed.FindProperty(d.Property)
	for _, w := range d.Sides[side].Ways {
		text := w.Label
		if err == nil {
			text = property.Says(w.Label)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// mostNamed is how many scenarios with one reason are named.
const mostNamed = 12

// unknown are the scenarios, each with its properties, that are unknown for one reason; More are not named.
type unknown struct {
	Why       string
	Scenarios []string
	More      int
}

func byReason(list []matrix.Unknown) (all []*unknown) {
	for _, u := range list {
		at := slices.IndexFunc(all, func(x *unknown) bool { return x.Why == u.Why })
		if at < 0 {
			at = len(all)
			all = append(all, &unknown{Why: u.Why})
		}
		name := u.Scenario
		if len(u.Properties) > 0 {
			name += " (" + strings.Join(u.Properties, ", ") + ")"
		}
		if len(all[at].Scenarios) == mostNamed {
			all[at].More++
		} else {
			all[at].Scenarios = append(all[at].Scenarios, name)
		}
	}
	return all
}
