package report

import (
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
	p := &Page{To: o}
	p.Row(cells(matrixColumns, o.faint)...)
	for i, c := range m.Cells {
		design := c.Design
		switch {
		case i > 0 && m.Cells[i-1].Design == design:
			design = ""
		case i > 0:
			p.Row("", "")
		}
		row := []string{design, strings.Join(c.Versions(), ", "), o.Verdict(c.Safe.Verdict, wordOf(c, &c.Safe)), o.Verdict(c.Live.Verdict, wordOf(c, &c.Live))}
		p.Row(cells(append(row, costColumns(c)...), func(cell string) string { return cell })...)
	}
	p.WriteString("\n")
	p.section("Each \"no\":", func() {
		for _, c := range m.Cells {
			for _, q := range []*matrix.Question{&c.Safe, &c.Live} {
				if e := q.Failing(); e != nil {
					p.Line(2, "<%s", sayViolation(c, q, e))
					p.Copied(4, e.Command)
				}
			}
		}
	})
	p.section("Never ready again after the faults, so that what must come in time was not judged:", func() {
		for _, c := range m.Cells {
			for _, e := range c.Live.Evidence {
				if e.NeverReady > 0 {
					p.Line(2, "%s on %s: %s in %d of %s", c.Design, InWords(c.Versions()), e.Scenario, e.NeverReady, Counted(e.Schedules, "schedule"))
				}
			}
		}
	})
	p.section("Known to be violated where a \"yes\" stands above:", func() {
		var names []string
		for i := range m.Beyond {
			names = append(names, m.Beyond[i].Scenario)
		}
		if len(names) > 0 {
			p.Line(2, "<%s. %s `%s list NAME` says why, and with which designs and releases.", InWords(names), beyondWhy, m.Program)
		}
	})
	for _, text := range matrixNotes(m) {
		p.Line(0, "<%s", o.faint(text))
	}
	return p.End(w)
}

// cells are those of a row, of which the answers and what stands before them are no numbers.
func cells(row []string, paint func(string) string) []string {
	out := make([]string, len(row))
	for i := range row {
		if out[i] = paint(row[i]); i >= 4 {
			out[i] = number(out[i])
		}
	}
	return out
}

// section writes lines below a title, unless there are none.
func (p *Page) section(title string, lines func()) {
	before := p.String()
	p.Reset()
	lines()
	if written := p.String(); written != "" {
		before += p.To.bold(title) + "\n" + written + "\n"
	}
	p.Reset()
	p.WriteString(before)
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

const beyondWhy = "No verdict rests on these: " + matrix.Reference + " is violated there as well, or another version of etcd takes part, or an event is lost."

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
