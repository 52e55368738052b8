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
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
)

//go:embed matrix.html
var matrixHTML string

// WriteMatrixHTML writes a page about a matrix. It needs nothing from elsewhere.
func WriteMatrixHTML(w io.Writer, m *matrix.Matrix) error { return matrixTemplate.Execute(w, m) }

var matrixTemplate = template.Must(template.New("matrix").Funcs(pageFunctions).Funcs(template.FuncMap{
	"newest": newestMeasured, "workloads": workloads, "costs": costRow, "notes": matrixNotes, "words": InWords,
	"beyondWhy": func() string { return beyondWhy }, "beyond": sayBeyond, "answers": answersOf, "tested": tested, "violated": violatedIn,
	// What is true of several versions has one place on the page.
	"id": func(c *matrix.Cell) string { return "cell-" + c.Design + "-" + c.Etcd },
}).Parse(matrixHTML))

// answer is told by a sign and a word; the color only repeats it.
type answer struct {
	*matrix.Question
	Name, Class, Sign, Word string
}

func answersOf(c *matrix.Cell) []answer {
	return []answer{answerOf(c, &c.Safe, "safe"), answerOf(c, &c.Live, "live")}
}

func answerOf(c *matrix.Cell, q *matrix.Question, what string) answer {
	switch q.Verdict {
	case model.Holds.String():
		return answer{q, what, "yes", "✓", what + leftOut(c)}
	case model.Violated.String():
		return answer{q, what, "no", "✗", "not " + what + wrongIn(q)}
	}
	return answer{q, what, "unknown", "?", what + ": " + q.Verdict}
}

// costTable is about one of matrix.Costs.
type costTable struct{ Title, Scenario string }

func workloads() (all []costTable) {
	for i, title := range []string{"nearly nothing is written", "other resources are written", "the resource is written", "both are written", "both are written, LISTs in pages"} {
		all = append(all, costTable{title, matrix.Costs[i]})
	}
	return all
}

func costRow(c *matrix.Cost) []string {
	row := []string{"-"}
	if c.Wait != nil {
		row[0] = summary.Seconds(c.Wait.P50)
	}
	for _, measure := range []string{"wait p99", "cached", "requests", "bytes", "progress requests"} {
		row = append(row, amount(c.Measure(measure)))
	}
	return row
}

// sayBeyond says what is known of one scenario.
func sayBeyond(x matrix.Beyond) string {
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

func tested(e matrix.Evidence) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(e.Properties)) {
		all = append(all, fmt.Sprintf("%s %d times", name, e.Properties[name].Exercised))
	}
	return strings.Join(all, ", ")
}

func violatedIn(e matrix.Evidence) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(e.Properties)) {
		if n := e.Properties[name].Violations; n > 0 {
			all = append(all, fmt.Sprintf("%s in %d", name, n))
		}
	}
	if len(all) == 0 {
		all = []string{"none"}
	}
	return strings.Join(all, ", ") + fmt.Sprintf(" of %d schedules", e.Schedules)
}
