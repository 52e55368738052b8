package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
)

// WriteSummary writes what held, what did not, and what it took.
func WriteSummary(w io.Writer, o Terminal, s *summary.Summary) error {
	b := bufio.NewWriter(w)
	title := wrap(s.Scenario+" on "+Subject(s.Etcd, s.Client, s.Cache, s.Bugs), o.width(), 2)
	fmt.Fprintf(b, "%s\n\n", strings.Replace(title, s.Scenario, o.bold(s.Scenario), 1))
	width := 0
	for _, name := range s.Claims {
		width = max(width, len(name))
	}
	for _, name := range s.Claims {
		p := s.Properties[name]
		verdict := pad(p.Verdict, len("violated"), false)
		switch p.Verdict {
		case model.Violated.String():
			verdict = o.Bad(verdict)
		case model.Holds.String():
			verdict = o.Good(verdict)
		}
		fmt.Fprintf(b, "  %s  %s  %s\n", pad(name, width, false), verdict, below(o, checked(&p, s.Schedules), 2+width+2+len("violated")+2))
	}
	if len(s.Claims) > 0 {
		b.WriteString("\n")
	}
	writeMetrics(b, o, s.Metrics)
	b.WriteString(wrap(effort(s), o.width(), 0) + "\n")
	if len(s.Differs) > 0 {
		b.WriteString(wrap("Otherwise than in the scenario: "+strings.Join(s.Differs, ", ")+".", o.width(), 0) + "\n")
	}
	// The story of a failure ends with the same sentences.
	if text := sayMasked(o.program(), s.Masked, s.Settings); text != "" && !s.Told() {
		b.WriteString(o.faint(wrap(text, o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// leastColumn is the least width of a column that wraps.
const leastColumn = 30

// below wraps a text in a column of its own, or below the line if the terminal has no room for one. In a pipe it is one line.
func below(o Terminal, text string, column int) string {
	switch {
	case o.Width == 0:
		return text
	case o.width()-column < leastColumn:
		return "\n    " + wrap(text, o.width(), 4)
	}
	return wrap(text, o.width(), column)
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

// writeMetrics writes the distributions as a table and the counters as another.
func writeMetrics(w io.Writer, o Terminal, list []summary.Metric) {
	var rows, counters [][]string
	for i := range list {
		m := &list[i]
		if m.Of == nil {
			counters = append(counters, []string{m.Name, summary.Amount(m.Total, m.Unit)})
			continue
		}
		rows = append(rows, []string{m.Name, grouped(m.Count),
			summary.Amount(m.Of.P50, m.Unit), summary.Amount(m.Of.P99, m.Unit), summary.Amount(m.Of.Max, m.Unit)})
	}
	if len(rows) > 0 {
		writeColumns(w, o, append([][]string{{"in virtual time", "count", "p50", "p99", "max"}}, rows...))
		fmt.Fprintln(w)
	}
	if len(counters) > 0 {
		writeColumns(w, o, append([][]string{{"counted", "total"}}, counters...))
		fmt.Fprintln(w)
	}
}
