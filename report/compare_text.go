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

type comparePage struct {
	Page
	section string
}

// in writes the title of a section before its first line.
func (p *comparePage) in(section string) {
	if p.section != section {
		p.section = section
		p.WriteString("\n")
		p.Line(0, "%s", section)
	}
}

// command writes what is to be copied: it is never wrapped.
func (p *comparePage) command(indent int, text string) {
	if text != "" {
		p.WriteString(strings.Repeat(" ", indent) + text + "\n")
	}
}

// Compared is a side beside what is known of it, or two sides.
type Compared interface{ Verdict() model.Verdict }

// WriteCompared writes what differs between two sides, or between one side and what is known: what differs first, then what is unknown,
// then a count of what is alike.
func WriteCompared(w io.Writer, o Terminal, found Compared) error {
	p := &comparePage{Page: Page{To: o}}
	switch x := found.(type) {
	case *matrix.Comparison:
		p.title(x)
		p.verdicts(x)
		p.perhaps(x)
		p.others(x)
		p.neverReady(x)
		p.costs(x)
		p.unknown(x.Unknown, "Unknown whether it differs:")
		p.alike(x)
	case *matrix.Outcome:
		p.outcome(x)
	}
	return p.End(w)
}

func (p *comparePage) title(c *matrix.Comparison) {
	notReady := 0
	for i := range c.Differs {
		if c.Differs[i].Kind == matrix.NeverReady {
			notReady++
		}
	}
	what := "nothing differs"
	switch n := len(c.Differs) - notReady; {
	case n == 0 && notReady+len(c.Costs) > 0:
		what = "no claim differs"
	case n == 1:
		what = "1 claim differs"
	case n > 1:
		what = fmt.Sprintf("%d claims differ", n)
	}
	if n := len(c.Costs); n > 0 {
		what += ", and " + Counted(uint64(n), "cost")
	}
	if notReady > 0 {
		what += ", and in " + Counted(uint64(notReady), "scenario") + " how often caches are never ready again"
	}
	if len(c.Differs)+len(c.Costs) == 0 {
		switch n := len(c.Perhaps); {
		case n == 1:
			what = "1 claim is violated with one of them only, in too few schedules to exclude chance"
		case n > 1:
			what = fmt.Sprintf("%d claims are violated with one of them only, in too few schedules to exclude chance", n)
		case len(c.Unknown) > 0:
			what = "nothing is known to differ"
		}
	}
	p.Line(0, "%s and %s: %s", c.Names[0], c.Names[1], what)
	if c.Interrupted {
		p.Line(0, "Not all of it was run: interrupted.")
	}
}

// group are claims that one side violates for the same reasons, and the other does not.
type group struct {
	// bad is the side that violates them.
	bad     int
	because []string
	list    []*matrix.Difference
}

// verdicts writes the claims that one side violates, by reason.
func (p *comparePage) verdicts(c *matrix.Comparison) {
	var groups []*group
	for i := range c.Differs {
		d := &c.Differs[i]
		if d.Kind != matrix.Verdict {
			continue
		}
		bad := d.Bad()
		because := d.Sides[bad].Because
		if slices.Equal(because, d.Sides[1-bad].Because) {
			because = nil // what is known of both sides does not tell them apart
		}
		at := slices.IndexFunc(groups, func(g *group) bool { return g.bad == bad && slices.Equal(g.because, because) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{bad: bad, because: because})
		}
		groups[at].list = append(groups[at].list, d)
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		// What is not known first, then what most claims have in common.
		return cmp.Or(a.bad-b.bad, min(1, len(a.because))-min(1, len(b.because)), len(b.list)-len(a.list))
	})
	for _, g := range groups {
		p.in("Violated with " + c.Names[g.bad] + " only:")
		p.group(g)
	}
}

func (p *comparePage) group(g *group) {
	for i := 0; i < len(g.list); {
		d := g.list[i]
		var properties []string
		most := 0.0
		for ; i < len(g.list) && g.list[i].Scenario == d.Scenario; i++ {
			properties = append(properties, fmt.Sprintf("%s %d", g.list[i].Property, g.list[i].Sides[g.bad].Violations))
			most = max(most, g.list[i].Chance)
		}
		p.Line(2, "%s: %s of %s, and 0 of %d (%s)", d.Scenario, strings.Join(properties, ", "),
			Counted(d.Sides[g.bad].Schedules, "schedule"), d.Sides[1-g.bad].Schedules, chance(most))
	}
	if len(g.because) > 0 {
		p.Line(4, "because %s", strings.Join(g.because, "; "))
	} else {
		p.Line(4, "no reason is known")
		p.why(&g.list[0].Sides[g.bad])
	}
	p.command(4, g.list[0].Sides[g.bad].Command)
}

// why writes the sentence with which the story of the first way ends.
func (p *comparePage) why(s *matrix.Seen) {
	if len(s.Ways) > 0 && s.Ways[0].Why != "" {
		p.Line(4, "%s", s.Ways[0].Why)
	}
}

// perhaps writes the claims that one side violates so rarely that the other may, too.
func (p *comparePage) perhaps(c *matrix.Comparison) {
	for i := range c.Perhaps {
		p.in("Violated with one of them only, in too few schedules to exclude chance:")
		d := &c.Perhaps[i]
		bad := d.Bad()
		enough := ""
		if times := d.Enough(); times > 0 {
			enough = fmt.Sprintf("; at these rates %d times the schedules would tell", times)
		}
		p.Line(2, "%s %s: %s with %s, and 0 of %d with %s (%s)%s", d.Scenario, d.Property,
			rate(&d.Sides[bad]), c.Names[bad], d.Sides[1-bad].Schedules, c.Names[1-bad], chance(d.Chance), enough)
		p.command(4, d.Sides[bad].Command)
	}
}

// neverReady writes where the cache of one side is more often not ready again.
func (p *comparePage) neverReady(c *matrix.Comparison) {
	for i := range c.Differs {
		d := &c.Differs[i]
		if d.Kind != matrix.NeverReady {
			continue
		}
		p.in(neverReadyTitle)
		p.Line(2, "%s: %s with %s, %s with %s (%s)", d.Scenario, rate(&d.Sides[0]), c.Names[0], rate(&d.Sides[1]), c.Names[1], chance(d.Chance))
	}
}

// chance is the p-value of two counts.
func chance(p float64) string {
	if p < 1e-6 {
		return "p < 1e-6"
	}
	return fmt.Sprintf("p = %.2g", p)
}

func rate(s *matrix.Seen) string {
	return fmt.Sprintf("%d of %s", s.Violations, Counted(s.Schedules, "schedule"))
}

// others writes the claims that both sides violate, and not alike.
func (p *comparePage) others(c *matrix.Comparison) {
	for i := range c.Differs {
		d := &c.Differs[i]
		if d.Kind == matrix.Verdict || d.Kind == matrix.NeverReady {
			continue
		}
		p.in("Both violate, and not alike:")
		texts := [2]string{}
		for k := range d.Sides {
			s := &d.Sides[k]
			texts[k] = fmt.Sprintf("%s in %s (%s)", c.Names[k], rate(s), strings.Join(waysOf(d, k), ", "))
		}
		what := ""
		if d.Kind == matrix.Stories {
			what = "the same violation, and other stories: "
		}
		p.Line(2, "%s %s: %s%s; %s (%s)", d.Scenario, d.Property, what, texts[0], texts[1], chance(d.Chance))
		p.stories(c, d)
		switch d.Kind {
		case matrix.Ways:
			p.command(4, d.Sides[only(d)].Command)
		case matrix.Stories:
			p.command(4, d.Sides[0].Command)
			p.command(4, d.Sides[1].Command)
		}
	}
}

// mostTold is how much of what happens in the stories of one side only is written for a
// claim and a side.
const mostTold = 2

// stories writes what happens in the stories of one side, and not in those of the other.
func (p *comparePage) stories(c *matrix.Comparison, d *matrix.Difference) {
	var told [2]int
	for i, s := range d.Stories {
		again := slices.ContainsFunc(d.Stories[:i], func(x matrix.StoryDifference) bool {
			return x.Side == s.Side && x.Where == s.Where && x.What == s.What // in another way to fail
		})
		if again || told[s.Side] == mostTold {
			continue
		}
		told[s.Side]++
		p.Line(4, "in stories with %s: %s (%d of %d; with %s %d of %d)",
			c.Names[s.Side], s.Example, s.Of[s.Side], s.Told[s.Side], c.Names[1-s.Side], s.Of[1-s.Side], s.Told[1-s.Side])
	}
}

// only is the side with a way that the other has not.
func only(d *matrix.Difference) int {
	for k := range d.Sides {
		for _, w := range d.Sides[k].Ways {
			if !slices.ContainsFunc(d.Sides[1-k].Ways, func(x matrix.Way) bool { return x.Label == w.Label }) {
				return k
			}
		}
	}
	return 0
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

func (p *comparePage) costs(c *matrix.Comparison) {
	rows := [][]string{{"scenario", "cost of a LIST", c.Names[0], c.Names[1]}}
	for _, d := range c.Costs {
		rows = append(rows, []string{d.Scenario, d.Measure, amount(d.Values[0], d.Unit), amount(d.Values[1], d.Unit)})
	}
	if len(rows) == 1 {
		return
	}
	p.in("Costs that differ by more than a tenth:")
	for _, row := range inColumns(rows, 2) {
		p.WriteString("  " + strings.TrimRight(strings.Join(row, "  "), " ") + "\n")
	}
}

// mostNamed is how many scenarios with one reason are named.
const mostNamed = 12

// unknown writes what is unknown, by reason.
func (p *comparePage) unknown(list []matrix.Unknown, title string) {
	for i, u := range list {
		if slices.ContainsFunc(list[:i], func(x matrix.Unknown) bool { return x.Why == u.Why }) {
			continue
		}
		p.in(title)
		var names []string
		for _, x := range list[i:] {
			switch {
			case x.Why == u.Why && len(x.Properties) > 0:
				names = append(names, x.Scenario+" ("+strings.Join(x.Properties, ", ")+")")
			case x.Why == u.Why:
				names = append(names, x.Scenario)
			}
		}
		more := ""
		if n := len(names); n > mostNamed {
			names, more = names[:mostNamed], fmt.Sprintf(" and %d more scenarios", n-mostNamed)
		}
		p.Line(2, "%s: %s%s", u.Why, strings.Join(names, ", "), more)
	}
}

func (p *comparePage) alike(c *matrix.Comparison) {
	p.WriteString("\n")
	p.Line(0, "Alike: %s and %s. %d of %s: no difference, and nothing unknown; in %d of them every run is the same to the bit.",
		Counted(uint64(c.Alike.Verdicts), "claim"), Counted(uint64(c.Alike.Costs), "cost"), c.Alike.Scenarios, Counted(uint64(c.Scenarios), "scenario"), c.Alike.SameRuns)
}

// outcome writes the claims of one side whose verdicts are not as known.
func (p *comparePage) outcome(x *matrix.Outcome) {
	what := "all that was run is as known"
	if n := len(x.NewlyViolated) + len(x.Missing); n > 0 {
		what = Counted(uint64(n), "claim") + " not as known"
	}
	p.Line(0, "%s: %s", x.Name, what)
	if x.Interrupted {
		p.Line(0, "Not all of it was run: interrupted.")
	}
	p.surprises(x.NewlyViolated, "Violated, which is not known:")
	p.surprises(x.Missing, "Known to be violated in every campaign, and not seen:")
	p.unknown(x.Unknown, "Unknown:")
	p.WriteString("\n")
	rarely := ""
	if x.NotSeen > 0 {
		rarely = fmt.Sprintf(" (%d of them are known to be violated rarely, and were not)", x.NotSeen)
	}
	p.Line(0, "As known: in %s %s%s, and %s violated.", Counted(uint64(x.Scenarios), "scenario"), verb(x.Holds, "claim holds", "claims hold"), rarely, verb(x.Violated, "is", "are"))
}

func verb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (p *comparePage) surprises(list []matrix.Surprise, title string) {
	for i := range list {
		p.in(title)
		x := &list[i]
		p.Line(2, "%s: %s (%s)", x.Scenario, x.Property, rate(&x.Seen))
		if len(x.Because) > 0 {
			p.Line(4, "because %s", strings.Join(x.Because, "; "))
		}
		p.why(&x.Seen)
		p.command(4, x.Command)
	}
}
