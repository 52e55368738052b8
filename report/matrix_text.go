package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// matrixColumns of the table: what a LIST costs comes from the workload in which
// every one of them has to wait, the longest waits from that and the busiest, and what
// pages cost from that with pages.
var matrixColumns = []string{"design", "etcd", "safe?", "live?", "wait p99", "cached", "busy p99", "cached (busy)", "requests", "bytes", "progress", "cached (pages)", "bytes (pages)"}

// WriteMatrix writes a line for each cell, and below it how to see every violation
// again.
func WriteMatrix(w io.Writer, o Terminal, m *matrix.Matrix) error {
	b := bufio.NewWriter(w)
	rows := [][]string{slices.Clone(matrixColumns)}
	last := ""
	for _, c := range m.Cells {
		design := c.Design
		if design == last {
			design = ""
		}
		last = c.Design
		rows = append(rows, append([]string{design, strings.Join(c.Versions(), ", "), wordOf(c, &c.Safe), wordOf(c, &c.Live)}, costColumns(c)...))
	}
	for n, row := range inColumns(rows, 4) {
		if n == 0 {
			fmt.Fprintln(b, o.faint(strings.Join(row, "  ")))
			continue
		}
		cell := m.Cells[n-1]
		row[2], row[3] = paintAnswer(o, &cell.Safe, row[2]), paintAnswer(o, &cell.Live, row[3])
		if n > 1 && cell.Design != m.Cells[n-2].Design {
			b.WriteString("\n")
		}
		fmt.Fprintln(b, strings.TrimRight(strings.Join(row, "  "), " "))
	}
	b.WriteString("\n")
	writeViolations(b, o, m)
	writeNeverReady(b, o, m)
	writeBeyond(b, o, m)
	for _, text := range matrixNotes(m) {
		b.WriteString(o.faint(wrap(text, o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// wordOf answers in one word, and says what a "yes" leaves out, or what went wrong first.
func wordOf(c *matrix.Cell, q *matrix.Question) string {
	switch q.Verdict {
	case model.Holds.String():
		return "yes" + leftOut(c)
	case model.Violated.String():
		return "no" + wrongIn(q)
	}
	return q.Verdict
}

// leftOut names the races that are masked in the scenarios that the answers of a cell rest on; empty if none is.
func leftOut(c *matrix.Cell) string {
	var names []string
	for i, r := range testbed.Races() {
		if slices.Contains(c.Masked, r.Option) {
			names = append(names, fmt.Sprintf("R%d", i+1))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", except race " + InWords(names)
}

// sayRaces says what leftOut names.
func sayRaces(m *matrix.Matrix) (notes []string) {
	for i, r := range testbed.Races() {
		if slices.ContainsFunc(m.Cells, func(c *matrix.Cell) bool { return slices.Contains(c.Masked, r.Option) }) {
			notes = append(notes, fmt.Sprintf("Race R%d, of every release of etcd: %s. `%s run %s` shows it.", i+1, r.What, m.Program, r.Scenario))
		}
	}
	return notes
}

// wrongIn is what went wrong first, behind a colon; empty if no failure is known.
func wrongIn(q *matrix.Question) string {
	if e := q.Failing(); e != nil {
		return ": " + nameOf(e.Failure)
	}
	return ""
}

// nameOf says what was wrong in a few words.
func nameOf(f *summary.Failure) string {
	p, err := testbed.FindProperty(f.Property)
	if err != nil {
		return f.Property
	}
	return p.Says(f.Label)
}

func paintAnswer(o Terminal, q *matrix.Question, text string) string {
	switch q.Verdict {
	case model.Holds.String():
		return o.Good(text)
	case model.Violated.String():
		return o.Bad(text)
	}
	return text
}

// costColumns are those behind the answers: what each workload is measured for.
func costColumns(cell *matrix.Cell) (row []string) {
	for _, of := range []struct {
		workload string
		measures []string
	}{
		{matrix.Waiting, []string{"wait p99", "cached"}},
		{matrix.Busy, []string{"wait p99", "cached"}},
		{matrix.Waiting, []string{"requests", "bytes", "progress requests"}},
		{matrix.Pages, []string{"cached", "bytes"}},
	} {
		for _, measure := range of.measures {
			row = append(row, amount(cell.CostOf(of.workload).Measure(measure)))
		}
	}
	return row
}

// amount writes a measure of what LISTs cost.
func amount(v *float64, unit string) string {
	switch {
	case v == nil:
		return "-"
	case unit == "share":
		return fmt.Sprintf("%.0f%%", 100**v)
	case unit == "s" || unit == "bytes":
		return summary.Amount(*v, unit)
	}
	return fmt.Sprintf("%.2f", *v)
}

// writeViolations names the way to fail of every cell that fails, with its property,
// the reason if it is known, and the command that shows it.
func writeViolations(b *bufio.Writer, o Terminal, m *matrix.Matrix) {
	any := false
	for _, c := range m.Cells {
		for _, q := range []*matrix.Question{&c.Safe, &c.Live} {
			e := q.Failing()
			if e == nil {
				continue
			}
			if !any {
				b.WriteString(o.bold("Each \"no\":") + "\n")
				any = true
			}
			fmt.Fprintf(b, "  %s\n", wrap(sayViolation(c, q, e), o.width(), 2))
			fmt.Fprintf(b, "    %s\n", e.Command)
		}
	}
	if any {
		b.WriteString("\n")
	}
}

const neverReadyTitle = "Never ready again after the faults, so that what must come in time was not judged:"

// writeNeverReady names the campaigns in which a cache was not ready again.
func writeNeverReady(b *bufio.Writer, o Terminal, m *matrix.Matrix) {
	var lines []string
	for _, c := range m.Cells {
		for _, e := range c.Live.Evidence {
			if e.NeverReady > 0 {
				lines = append(lines, fmt.Sprintf("  %s on %s: %s in %d of %s\n", c.Design, InWords(c.Versions()), e.Scenario, e.NeverReady, Counted(e.Schedules, "schedule")))
			}
		}
	}
	if len(lines) > 0 {
		b.WriteString(o.bold(neverReadyTitle) + "\n" + strings.Join(lines, "") + "\n")
	}
}

const beyondWhy = "No verdict rests on these: " + matrix.Reference + " is violated there as well, or another version of etcd takes part, or an event is lost."

// writeBeyond names the scenarios that no verdict above rests on.
func writeBeyond(b *bufio.Writer, o Terminal, m *matrix.Matrix) {
	if len(m.Beyond) == 0 {
		return
	}
	var names []string
	for i := range m.Beyond {
		names = append(names, m.Beyond[i].Scenario)
	}
	b.WriteString(o.bold("Known to be violated where a \"yes\" stands above:") + "\n")
	fmt.Fprintf(b, "  %s\n\n", wrap(InWords(names)+". "+beyondWhy+" `"+m.Program+" list NAME` says why, and with which designs and releases.", o.width(), 2))
}

// sayViolation says what the word in a cell stands for.
func sayViolation(c *matrix.Cell, q *matrix.Question, e *matrix.Evidence) string {
	property := e.Failure.Property
	more := ""
	if n := len(q.Violated()); n > 1 {
		more = fmt.Sprintf(", the first of %d properties", n)
	}
	text := fmt.Sprintf("%s on %s: %s (%s in %d of %s%s): ", c.Design, InWords(c.Versions()), nameOf(e.Failure),
		property, e.Failure.Schedules, Counted(e.Schedules, "schedule"), more)
	if known := summary.Reasons(e.Known, property); known != "" {
		return text + known
	}
	if p, err := testbed.FindProperty(property); err == nil {
		text += "no reason is known; promised is: " + p.Promise
	}
	return text
}

// matrixNotes say what the verdicts rest on.
func matrixNotes(m *matrix.Matrix) []string {
	notes := append(sayRaces(m), fmt.Sprintf("%s in %.1f s. `%s matrix --help` says what the columns mean.", Counted(m.Schedules, "schedule"), m.Seconds, m.Program))
	if m.CutShort() {
		notes = append(notes, "What is unknown rests on campaigns with too few schedules: give it a longer --for, or more --seeds.")
	}
	if m.Interrupted {
		done := 0
		for _, c := range m.Cells {
			done += len(c.Versions())
		}
		notes = append(notes, fmt.Sprintf("Interrupted: %d of %d cells.", done, len(m.Designs)*len(m.Versions)))
	}
	return notes
}
