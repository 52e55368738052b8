package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

// WriteSummary writes what held, what did not, and what it took.
func WriteSummary(w io.Writer, o Terminal, s *summary.Summary) error {
	p := &Page{To: o}
	p.Line(0, "%s on %s\n", o.Bold(s.Scenario), Subject(s.Etcd, s.Client, s.Cache, s.Bugs))
	for _, name := range s.Claims {
		of := s.Properties[name]
		p.Row("|  "+name, o.Verdict(of.Verdict, pad(of.Verdict, len("violated"), false)), checked(&of, s.Schedules))
	}
	if len(s.Claims) > 0 {
		p.WriteString("\n")
	}
	p.metrics(s.Metrics)
	p.Line(0, "<%s", effort(s))
	if len(s.Differs) > 0 {
		p.Line(0, "<Otherwise than in the scenario: %s.", strings.Join(s.Differs, ", "))
	}
	// The story of a failure ends with the same sentences.
	if text := sayMasked(o.program(), s.Masked, s.Settings); text != "" && !s.Told() {
		p.Line(0, "<%s", o.Faint(text))
	}
	return p.End(w)
}

// checked says how often a property was checked, and how often it was violated.
func checked(p *summary.Property, schedules uint64) string {
	text := "checked " + times(p.Exercised)
	if p.Violations > 0 {
		text += ", violated in " + grouped(p.Violations) + " of " + Counted(schedules, "schedule")
	}
	return text
}

// Subject is the versions, the design and the bugs. The client is empty if it is that of
// the server's release.
func Subject(etcd, client, cache string, bugs []string) string {
	text := etcd
	if !strings.Contains(etcd, "@") {
		text = "etcd " + etcd
	}
	if client != "" {
		text += ", client " + client
	}
	text += ", cache design " + cache
	if len(bugs) > 0 {
		text += ", with " + strings.Join(bugs, " and ")
	}
	return text
}

// histories says who judged them: of the properties that are judged by histories.
func histories(s *summary.Summary) (text string) {
	for _, name := range s.Claims {
		if p := s.Properties[name]; p.Porcupine+p.Witness > 0 {
			text += fmt.Sprintf(" For %s porcupine judged %s of %s histories, the witness alone %s.", name, grouped(p.Porcupine), grouped(p.Porcupine+p.Witness), grouped(p.Witness))
		}
	}
	return text
}

func effort(s *summary.Summary) string {
	if s.Schedules == 0 {
		return noEffort(s)
	}
	from := seeds(s)
	if s.Draws != "" {
		from += ", draws " + strings.Replace(s.Draws, "..", " to ", 1)
	}
	text := fmt.Sprintf("%s (%s, strategy %s), %s%s; ", Counted(s.Schedules, "schedule"), from, s.Strategy, Counted(s.Choices, "choice"), pace(s))
	text += fmt.Sprintf("%s re-run: identical. Campaign hash %s.", Counted(s.Rechecked, "seed"), s.CampaignHash)
	text += histories(s)
	switch {
	case s.Truncated == 1:
		text += " 1 run was cut off before it ended: what held in it is undecided."
	case s.Truncated > 1:
		text += fmt.Sprintf(" %s runs were cut off before they ended: what held in them is undecided.", grouped(s.Truncated))
	}
	if s.NeverReady > 0 {
		text += fmt.Sprintf(" In %s the cache was never ready again after the faults: what must come in time was not judged there.", Counted(s.NeverReady, "schedule"))
	}
	if s.NeverAtRest > 0 {
		text += fmt.Sprintf(" %s of %s did not come to rest: what is promised of rest was not judged there.", grouped(s.NeverAtRest), Counted(s.Schedules, "schedule"))
	}
	if s.Interrupted {
		text += " Interrupted: these are the schedules until then."
	}
	return text
}

// noEffort is about a campaign that ended before its first schedule: there is nothing to count.
func noEffort(s *summary.Summary) string {
	if s.Interrupted {
		return "Interrupted before the first schedule had ended: there is no verdict."
	}
	return "No schedule ended within the time that it had: there is no verdict. Give it more."
}

func seeds(s *summary.Summary) string {
	if s.Schedules == 1 {
		return fmt.Sprintf("seed %d", s.FirstSeed)
	}
	return fmt.Sprintf("seeds %d to %d", s.FirstSeed, s.FirstSeed+s.Schedules-1)
}

// pace says how long it took, and how many choices a second that is. Of a campaign
// that is over at once it says nothing.
func pace(s *summary.Summary) string {
	if s.Seconds < 0.01 {
		return ""
	}
	rate := float64(s.Choices) / s.Seconds
	if rate < 1e5 {
		return fmt.Sprintf(" in %.2f s, %s a second", s.Seconds, grouped(uint64(rate)))
	}
	return fmt.Sprintf(" in %.2f s, %.1f million a second", s.Seconds, rate/1e6)
}

// metrics writes the distributions as a table and the counters as another.
func (p *Page) metrics(list []summary.Metric) {
	heading := func(cells ...string) {
		for i, cell := range cells {
			if cells[i] = p.To.Faint(cell); i > 0 {
				cells[i] = number(cells[i])
			}
		}
		p.Row(cells...)
	}
	table := func(distributions bool, title []string, cells func(*summary.Metric) []string) {
		begun := false
		for i := range list {
			if m := &list[i]; (m.Of != nil) == distributions {
				if !begun {
					heading(title...)
				}
				begun = true
				p.Row(append([]string{"  " + m.Name}, cells(m)...)...)
			}
		}
		if begun {
			p.WriteString("\n")
		}
	}
	table(true, []string{"  in virtual time", "count", "p50", "p99", "max"}, func(m *summary.Metric) []string {
		shown := func(v float64) string { return number(summary.Amount(v, m.Unit)) }
		return []string{number(grouped(m.Count)), shown(m.Of.P50), shown(m.Of.P99), shown(m.Of.Max)}
	})
	table(false, []string{"  counted", "total"}, func(m *summary.Metric) []string { return []string{number(summary.Amount(m.Total, m.Unit))} })
}
