package findings_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/metric"
)

var measureFigures = flag.Bool("figures.update", false, "measure the figures of the documents anew")

// TestFigures runs the commands of each figure, and compares what they come to with what is written
// down: virtual time is the same everywhere.
func TestFigures(t *testing.T) {
	figures := findings.Figures()
	for i := range figures {
		f := &figures[i]
		if f.Range == "" || !*measureFigures && i%testsize.Of(1, 24) != 0 {
			continue
		}
		was := *f
		if f.Recorded != "" {
			f.Measured = column(t, f)
		} else {
			measure(t, f)
		}
		if !*measureFigures {
			require.Equal(t, was.Measured, f.Measured, "%s\nmeasure anew: go test ./findings -run TestFigures -figures.update", f.Says)
			require.Equal(t, was.Violated, f.Violated, f.Says)
		}
	}
	if *measureFigures {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		for i := range figures {
			require.NoError(t, e.Encode(&figures[i]))
		}
		require.NoError(t, os.WriteFile("figures.jsonl", b.Bytes(), 0o644))
	}
}

// outcome is what a command prints with --json.
type outcome struct {
	Truncated  int
	Properties map[string]struct{ Exercised, Violations int }
	Metrics    []struct {
		Name, Unit   string
		Count        uint64
		Total        float64
		Distribution struct{ Mean, P99, Max float64 }
	}
}

// measured are the outcomes of the commands: some stand at several figures.
var measured = map[string]*outcome{}

func outcomeOf(t *testing.T, command string) *outcome {
	t.Helper()
	if measured[command] == nil {
		args, ok := strings.CutPrefix(command, "simrun run ")
		require.True(t, ok, command)
		code, out := simrun(t, append(append([]string{"run"}, strings.Fields(args)...), "--no-story", "--json", "--out", t.TempDir()))
		require.Less(t, code, 2, "%s: %s", command, out)
		o := &outcome{}
		require.NoError(t, json.Unmarshal(out, o))
		require.Zero(t, o.Truncated, command)
		measured[command] = o
	}
	return measured[command]
}

// measure sets what the commands of a figure measure, with four digits.
func measure(t *testing.T, f *findings.Figure) {
	o := outcomeOf(t, f.Command)
	v, unit := o.value(t, f.Value)
	scale := map[string]float64{"ms": 1e-3, "s": 1, "MB": 1e6, "GB": 1e9}[f.Unit]
	if f.Beside != "" {
		beside, _ := outcomeOf(t, f.Beside).value(t, f.Value)
		require.NotZero(t, beside, f.Beside)
		v, unit = v/beside, ""
	}
	if unit == "" {
		scale = 1
	}
	require.NotZero(t, scale, "%s: a unit of %s for %q", f.Says, unit, f.Unit)
	v, err := strconv.ParseFloat(strconv.FormatFloat(v/scale, 'g', 4, 64), 64)
	require.NoError(t, err)
	f.Measured, f.Violated = []float64{v}, nil
	for name, p := range o.Properties {
		if p.Violations > 0 {
			if f.Violated == nil {
				f.Violated = map[string]int{}
			}
			f.Violated[name] = p.Violations
		}
	}
}

// value is a sum, or a quotient of two. A divisor that is zero is no evidence.
func (o *outcome) value(t *testing.T, text string) (float64, string) {
	t.Helper()
	dividend, divisor, isQuotient := strings.Cut(text, " / ")
	v, unit := o.sum(t, dividend)
	if !isQuotient {
		return v, unit
	}
	if n, err := strconv.ParseFloat(divisor, 64); err == nil {
		return v / n, unit
	}
	n, _ := o.sum(t, divisor)
	require.NotZero(t, n, divisor)
	return v / n, ""
}

// sum adds terms such as "max NAME". A counter that was not added to is zero. Of a distribution without values
// nothing but their number is known.
func (o *outcome) sum(t *testing.T, text string) (sum float64, unit string) {
	t.Helper()
	found := false
	for _, term := range strings.Split(text, " + ") {
		what, name, _ := strings.Cut(term, " ")
		if what == "violations" {
			p, judged := o.Properties[name]
			require.True(t, judged && p.Exercised > 0, name)
			return float64(p.Violations), ""
		}
		require.True(t, slices.ContainsFunc(metric.All(), func(m metric.Metric) bool { return m.String() == name }), "no metric %q", name)
		found = found || what == "total" || what == "count"
		for i := range o.Metrics {
			m := &o.Metrics[i]
			if m.Name != name {
				continue
			}
			found, unit = true, m.Unit
			switch what {
			case "total":
				sum += m.Total
			case "count":
				sum, unit = sum+float64(m.Count), ""
			case "mean":
				sum += m.Distribution.Mean
			case "p99":
				sum += m.Distribution.P99
			case "max":
				sum += m.Distribution.Max
			default:
				require.Fail(t, "no such value", term)
			}
		}
	}
	require.True(t, found, "no values: %s", text)
	return sum, unit
}

// column is the least and the greatest of a column of the first table of a page, the last one of its name:
// "12.5x".
func column(t *testing.T, f *findings.Figure) []float64 {
	text, err := os.ReadFile(filepath.Join("..", f.Recorded))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "\n| store |")
	at := -1
	var all []float64
	for line := range strings.Lines("| store |" + table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		for i := range cells {
			if strings.TrimSpace(cells[i]) == f.Value {
				at = i
			}
		}
		require.Positive(t, at, "%s has no column %q", f.Recorded, f.Value)
		if times, ok := strings.CutSuffix(strings.TrimSpace(cells[at]), "x"); ok {
			n, err := strconv.ParseFloat(times, 64)
			require.NoError(t, err, line)
			all = append(all, n)
		}
	}
	require.NotEmpty(t, all, f.Recorded)
	return []float64{slices.Min(all), slices.Max(all)}
}

// TestVerdictsOfFigures: a figure is borne out only if all that was measured is within its range.
func TestVerdictsOfFigures(t *testing.T) {
	for _, c := range []struct {
		figure findings.Figure
		want   string
	}{
		{findings.Figure{Range: "2..10", Measured: []float64{2, 10}}, "borne out"},
		{findings.Figure{Range: "2..10", Measured: []float64{60, 9000}}, "outside the range"},
		{findings.Figure{Range: "20..50", Measured: []float64{30, 15_000}}, "outside the range"},
		{findings.Figure{Range: ">= 100", Measured: []float64{40}}, "contradicted"},
		{findings.Figure{Range: ">= 100", Measured: []float64{100}}, "borne out"},
		{findings.Figure{Range: "> 1", Measured: []float64{1}}, "contradicted"},
		{findings.Figure{Range: "<= 6", Measured: []float64{6}}, "borne out"},
		{findings.Figure{Range: "<= 6", Measured: []float64{0.1}, Violated: map[string]int{"initial-events-end": 78}}, "contradicted"},
		{findings.Figure{Range: "= 0", Measured: []float64{0}, Violated: map[string]int{"informer-catches-up": 40}, Expected: []string{"informer-catches-up"}}, "borne out"},
		{findings.Figure{Range: "< 1", Measured: []float64{1}}, "contradicted"},
		{findings.Figure{Range: "= 1", Measured: []float64{1.62}}, "contradicted"},
		{findings.Figure{Range: "= 1"}, "contradicted"},
		{findings.Figure{Kind: findings.AnotherThing, Range: "2..10", Measured: []float64{3}}, "another thing"},
		{findings.Figure{Kind: findings.Circular}, "circular"},
	} {
		require.Equal(t, c.want, c.figure.Verdict(), "%+v", c.figure)
	}
}

var testOf = regexp.MustCompile(`^go test (\S+) -run (Test\w+) -v$`)

// TestFiguresAreComplete: a figure has a section of its document, something that was measured or the reason why
// nothing was, and what measures it is there.
func TestFiguresAreComplete(t *testing.T) {
	files := map[string]string{
		"KEP-2340": "kep-2340-consistent-reads-from-cache", "draft of 2019": "kep-2340-first-draft-2019", "KEP-3157": "kep-3157-watch-list",
		"KEP-4988": "kep-4988-snapshottable-cache", "article on consistent LISTs": "list-consistent-read-blog",
	}
	for _, f := range findings.Figures() {
		sections, err := os.ReadFile(filepath.Join("..", "scenarios", "testdata", "sections", files[f.Document]+".txt"))
		require.NoError(t, err, f.Says)
		require.Contains(t, strings.Split(string(sections), "\n"), f.Section, f.Says)
		require.NotEmpty(t, f.Why, f.Says)
		switch f.Kind {
		case findings.Compared, findings.AnotherThing:
			require.NotEmpty(t, f.Measured, f.Says)
			require.NotEmpty(t, f.Command, f.Says)
		case findings.Circular, findings.Adopted, findings.Unmeasured:
			require.Empty(t, f.Range, "%s: a figure of the kind %q is not measured", f.Says, f.Kind)
			require.Empty(t, f.Measured, "%s: a figure of the kind %q is not measured", f.Says, f.Kind)
		default:
			require.Fail(t, "no such kind", "%s: %q", f.Says, f.Kind)
		}
		if m := testOf.FindStringSubmatch(f.Command); m != nil {
			sources, err := filepath.Glob(filepath.Join("..", m[1], "*_test.go"))
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(sources, func(file string) bool {
				text, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(text), "func "+m[2]+"(")
			}), "%s: no such test", f.Command)
		}
	}
}
