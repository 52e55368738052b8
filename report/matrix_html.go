package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/metrics"
	"github.com/watchbed/watchbed/model"
)

//go:embed matrix.html
var matrixHTML string

// matrixPage is what the page about a matrix shows.
type matrixPage struct {
	Matrix   *matrix.Matrix
	Rows     []matrixRow
	Costs    []costTable
	CostEtcd string
	Evidence []evidenceRow
	Notes    []string
	// Beyond is what is known beside the verdicts, BeyondWhy why they do not rest on it.
	Beyond    []beyondRow
	BeyondWhy string
}

type matrixRow struct {
	Design string
	Cells  []matrixCell
}

type matrixCell struct {
	ID         string
	Known      bool
	Safe, Live answer
}

// answer is told by a sign and a word; the color only repeats it.
type answer struct {
	Class, Sign, Word string
}

// costTable is one workload.
type costTable struct {
	Title, Scenario string
	Rows            []costRow
}

type costRow struct {
	Design, P50, P99, Cached, Requests, Bytes, Progress string
}

// workloadTitles belong to matrix.Costs.
var workloadTitles = []string{"nearly nothing is written", "other resources are written", "the resource is written", "both are written", "both are written, LISTs in pages"}

type evidenceRow struct {
	ID, Design, Etcd string
	Questions        []evidenceQuestion
	Costs            []*matrix.Cost
}

type evidenceQuestion struct {
	Name   string
	Answer answer
	Lines  []evidenceLine
}

type evidenceLine struct {
	Scenario, Verdict, Tested, Violated, Command string
}

type beyondRow struct {
	Scenario, Text, Command string
}

// WriteMatrixHTML writes a page about a matrix. It needs nothing from elsewhere.
func WriteMatrixHTML(w io.Writer, m *matrix.Matrix) error {
	page := matrixPage{Matrix: m, Notes: matrixNotes(m), CostEtcd: newestMeasured(m)}
	page.BeyondWhy = beyondWhy
	for i := range m.Beyond {
		x := &m.Beyond[i]
		page.Beyond = append(page.Beyond, beyondRow{x.Scenario, sayBeyond(x), x.Command})
	}
	for i, scenario := range matrix.Costs {
		page.Costs = append(page.Costs, costTable{Title: workloadTitles[i], Scenario: scenario})
	}
	for _, design := range m.Designs {
		row := matrixRow{Design: design}
		for _, version := range m.Versions {
			x := matrixCell{}
			if c := m.Cell(design, version); c != nil {
				// What is true of several versions has one place on the page.
				x = matrixCell{"cell-" + design + "-" + c.Etcd, true, answerOf(c, &c.Safe, "safe"), answerOf(c, &c.Live, "live")}
				if version == c.Etcd {
					page.Evidence = append(page.Evidence, evidenceOf(x.ID, c))
				}
			}
			row.Cells = append(row.Cells, x)
		}
		page.Rows = append(page.Rows, row)
		if c := m.Cell(design, page.CostEtcd); c != nil {
			for i := range page.Costs {
				if cost := c.CostOf(page.Costs[i].Scenario); cost != nil {
					page.Costs[i].Rows = append(page.Costs[i].Rows, costRowOf(design, cost))
				}
			}
		}
	}
	return matrixTemplate.Execute(w, page)
}

// sayBeyond says what is known of one scenario.
func sayBeyond(x *matrix.Beyond) string {
	return fmt.Sprintf("with %s on %s: %s; %s", InWords(x.Designs), InWords(x.Versions), InWords(x.Properties), strings.Join(x.Because, "; "))
}

// newestMeasured is the last version of which a cost is known: what a LIST costs
// hardly depends on it, but for the bugs.
func newestMeasured(m *matrix.Matrix) string {
	newest := ""
	for _, version := range m.Versions {
		for _, c := range m.Cells {
			if slices.Contains(c.Versions(), version) && len(c.Cost) > 0 {
				newest = version
			}
		}
	}
	return newest
}

func answerOf(c *matrix.Cell, q *matrix.Question, what string) answer {
	switch q.Verdict {
	case model.Holds.String():
		return answer{"yes", "✓", what + leftOut(c)}
	case model.Violated.String():
		return answer{"no", "✗", "not " + what + wrongIn(q)}
	}
	return answer{"unknown", "?", what + ": " + q.Verdict}
}

func costRowOf(design string, c *matrix.Cost) costRow {
	of := func(measure string) string { return amount(c.Measure(measure)) }
	row := costRow{design, "-", of("wait p99"), of("cached"), of("requests"), of("bytes"), of("progress requests")}
	if c.Wait != nil {
		row.P50 = metrics.Seconds(c.Wait.P50)
	}
	return row
}

func evidenceOf(id string, c *matrix.Cell) evidenceRow {
	row := evidenceRow{ID: id, Design: c.Design, Etcd: InWords(c.Versions()), Costs: c.Cost}
	for _, q := range []struct {
		name string
		*matrix.Question
	}{{"safe", &c.Safe}, {"live", &c.Live}} {
		x := evidenceQuestion{Name: q.name, Answer: answerOf(c, q.Question, q.name)}
		for i := range q.Evidence {
			e := &q.Evidence[i]
			line := evidenceLine{Scenario: e.Scenario, Verdict: e.Verdict, Command: e.Command}
			var tested, violated []string
			for _, name := range slices.Sorted(maps.Keys(e.Properties)) {
				p := e.Properties[name]
				tested = append(tested, fmt.Sprintf("%s %d times", name, p.Exercised))
				if p.Violations > 0 {
					violated = append(violated, fmt.Sprintf("%s in %d", name, p.Violations))
				}
			}
			line.Tested, line.Violated = strings.Join(tested, ", "), fmt.Sprintf("none of %d schedules", e.Schedules)
			if len(violated) > 0 {
				line.Violated = strings.Join(violated, ", ") + fmt.Sprintf(" of %d schedules", e.Schedules)
			}
			x.Lines = append(x.Lines, line)
		}
		row.Questions = append(row.Questions, x)
	}
	return row
}

var matrixTemplate = template.Must(template.New("matrix").Funcs(pageFunctions).Parse(matrixHTML))
