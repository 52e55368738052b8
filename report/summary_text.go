package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/metrics"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
)

// WriteSummary writes what held, what did not, and what it took.
func WriteSummary(w io.Writer, o Terminal, s *summary.Summary) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s on %s\n\n", o.bold(s.Scenario), subject(s))
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
		fmt.Fprintf(b, "  %s  %s  checked %s times", pad(name, width, false), verdict, grouped(p.Exercised))
		if p.Violations > 0 {
			fmt.Fprintf(b, ", violated in %s schedules", grouped(p.Violations))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	writeMetrics(b, o, s.Metrics)
	b.WriteString(wrap(effort(s), o.width(), 0) + "\n")
	if text := sayMasked(s.Masked, s.Settings); text != "" {
		b.WriteString(o.faint(wrap(text, o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// subject is the versions, the design and the bugs.
func subject(s *summary.Summary) string {
	text := "etcd " + s.Etcd
	if s.Client != "" {
		text += ", client " + s.Client
	}
	text += ", cache design " + s.Cache
	if len(s.Bugs) > 0 {
		text += ", with " + strings.Join(s.Bugs, " and ")
	}
	return text
}

func effort(s *summary.Summary) string {
	rate := float64(s.Choices) / max(s.Seconds, 1e-9) / 1e6
	text := fmt.Sprintf("%s schedules (seeds %d to %d, strategy %s), %s choices in %.2f s, %.1f million a second; %s seeds re-run: identical. Campaign hash %s.",
		grouped(s.Schedules), s.FirstSeed, s.FirstSeed+max(s.Schedules, 1)-1, s.Strategy, grouped(s.Choices), s.Seconds, rate, grouped(s.Rechecked), s.CampaignHash)
	if s.Truncated > 0 {
		text += fmt.Sprintf(" %s runs were cut off before they ended: what held in them is undecided.", grouped(s.Truncated))
	}
	if s.Interrupted {
		text += " Interrupted: these are the schedules until then."
	}
	return text
}

// writeMetrics writes the distributions as a table and the counters as another.
func writeMetrics(w io.Writer, o Terminal, list []metrics.Metric) {
	var rows, counters [][]string
	for i := range list {
		m := &list[i]
		if m.Of == nil {
			counters = append(counters, []string{m.Name, metrics.Amount(m.Total, m.Unit)})
			continue
		}
		rows = append(rows, []string{m.Name, grouped(m.Count),
			metrics.Amount(m.Of.P50, m.Unit), metrics.Amount(m.Of.P99, m.Unit), metrics.Amount(m.Of.Max, m.Unit)})
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
