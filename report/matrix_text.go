package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// WriteJSON writes the matrix as one object.
func (m *Matrix) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(m)
}

// matrixColumns of the table: what a LIST costs comes from the workload in which
// every one of them has to wait, and the longest waits from that and the busiest.
var matrixColumns = []string{"design", "etcd", "safe?", "live?", "wait p99", "cached", "busy p99", "cached", "requests", "bytes", "progress"}

// WriteText writes a line for each cell, and below it how to see every violation
// again.
func (m *Matrix) WriteText(w io.Writer, o Terminal) error {
	b := bufio.NewWriter(w)
	rows := [][]string{matrixColumns}
	last := ""
	for _, c := range m.Cells {
		design := c.Design
		if design == last {
			design = ""
		}
		last = c.Design
		rows = append(rows, append([]string{design, c.Etcd, c.Safe.word(), c.Live.word()}, c.costs()...))
	}
	width := make([]int, len(matrixColumns))
	for _, row := range rows {
		for i, text := range row {
			width[i] = max(width[i], len(text))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		if n > 1 && row[0] != "" {
			line.WriteString("\n")
		}
		for i, text := range row {
			text = pad(text, width[i], i > 3)
			if n > 0 && (i == 2 || i == 3) {
				text = paintAnswer(o, text)
			}
			line.WriteString(text)
			if i < len(row)-1 {
				line.WriteString("  ")
			}
		}
		if n == 0 {
			fmt.Fprintln(b, o.faint(line.String()))
		} else {
			fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
		}
	}
	b.WriteString("\n")
	m.writeViolations(b, o)
	m.writeClaims(b, o)
	for _, text := range m.notes() {
		b.WriteString(o.faint(wrap(text, o.width(), 0)) + "\n")
	}
	return b.Flush()
}

// word answers in one word, and says what went wrong first.
func (q *Question) word() string {
	switch q.Verdict {
	case model.Holds.String():
		return "yes"
	case model.Violated.String():
		if e := q.failure(); e != nil {
			return "no: " + e.Failure.name()
		}
		return "no"
	}
	return q.Verdict
}

// name says what was wrong in a word: the label of an answer that was wrong or
// late, and of anything else the property, which says more.
func (f *Failure) name() string {
	ofAnswer := slices.Contains(linearizability.Properties(), linearizability.Property(f.Property)) || slices.Contains(livenessClaims, f.Property)
	if f.Label == "" || !ofAnswer {
		return f.Property
	}
	return f.Label
}

func paintAnswer(o Terminal, text string) string {
	switch {
	case strings.HasPrefix(text, "yes"):
		return o.Good(text)
	case strings.HasPrefix(text, "no"):
		return o.Bad(text)
	}
	return text
}

func (cell *Cell) costs() []string {
	c, b := cell.cost(waiting), cell.cost(busy)
	if c == nil {
		return []string{"-", "-", "-", "-", "-", "-", "-"}
	}
	return []string{c.waited(), c.cached(), b.waited(), b.cached(), fixed(c.RequestsPerList), size(c.BytesPerList), fixed(c.ProgressRequestsPerList)}
}

// waited is nothing where no LIST ever asks the cache whether it is fresh.
func (c *Cost) waited() string {
	if c == nil || c.Wait == nil {
		return "-"
	}
	return duration(c.Wait.P99)
}

// cached is the share of the LISTs that the cache served.
func (c *Cost) cached() string {
	if c == nil || c.Lists == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(c.FromCache)/float64(c.Lists))
}

const (
	waiting = "cost-elsewhere"
	busy    = "cost-busy"
)

func fixed(v float64) string { return fmt.Sprintf("%.2f", v) }

// writeViolations names the first way to fail of every cell that fails, with the
// command that shows it.
func (m *Matrix) writeViolations(b *bufio.Writer, o Terminal) {
	any := false
	for _, c := range m.Cells {
		for _, q := range []*Question{&c.Safe, &c.Live} {
			e := q.failure()
			if e == nil {
				continue
			}
			if !any {
				b.WriteString(o.bold("Each violation again:") + "\n")
				any = true
			}
			fmt.Fprintf(b, "  %s on %s, %s in %d of %d: %s\n", c.Design, c.Etcd, e.Failure.name(), e.Failure.Schedules, e.Schedules, e.Command)
		}
	}
	if any {
		b.WriteString("\n")
	}
}

// notes say what the columns mean, and what they do not.
func (m *Matrix) notes() []string {
	notes := []string{
		"safe?: all that " + strings.Join(matrixSafety, ", ") + " and the scenarios below claim, but what is asked of live?: that in " + strings.Join(matrixLiveness, ", ") +
			" every consistent LIST is served from the cache within a bound, once nothing breaks any more (etcd answering after a wait in vain is a no), and that initial events end. " +
			"yes: in all schedules that were tried, and put to the test. All of them assume " + createdInOrder + ", which no release of etcd has: simrun run rewatch shows what may happen without it.",
		"wait p99: what 99 of 100 consistent LISTs wait at most until the cache is fresh, those that need not wait included, while other resources are written (" + waiting +
			"), and while the resource is, too (" + busy + "). cached: how many of them the cache served; the others went to etcd or were refused. requests, bytes, progress: ranges of etcd, bytes of keys and values in its answers, and progress requests, for each LIST of " + waiting + ".",
		"Time is virtual: unless --param says otherwise, a message takes up to 1 ms, a loop up to 0.5 ms to be scheduled, and answering nothing at all, so that what goes to etcd looks quicker than it is (range-time, item-time).",
		fmt.Sprintf("%d schedules in %.1f s.", m.Schedules, m.Seconds),
	}
	if m.Interrupted {
		notes = append(notes, fmt.Sprintf("Interrupted: %d of %d cells.", len(m.Cells), len(m.Designs)*len(m.Versions)))
	}
	return notes
}
