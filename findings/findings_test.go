package findings_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/findings"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/metric"
)

var updateFigures = flag.Bool("findings.update", false, "measure the figures of the pages anew: a minute")

const measureAnew = "measure anew: go test ./findings -findings.update"

func TestPagesHaveAllParts(t *testing.T) {
	for _, p := range findings.All() {
		at := 0
		for _, name := range findings.Parts {
			part := "**" + name + ".**"
			require.Equal(t, 1, strings.Count(p.Text, part), "%s: %s", p.Path(), part)
			next := strings.Index(p.Text, part)
			require.Greater(t, next, at, "%s: %s stands before what it comes after", p.Path(), part)
			at = next
		}
		lines := strings.Count(p.Part("Story"), "\n") + 2 // that with the name, too
		require.True(t, 10 <= lines && lines <= 15, "%s: the story has %d lines", p.Path(), lines)
	}
}

// TestIndexLinksEachPage: the list in README.md has the pages with their titles.
func TestIndexLinksEachPage(t *testing.T) {
	index, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, p := range findings.All() {
		require.Contains(t, string(index), "["+p.Title+"](pages/"+p.Name+".md)")
	}
	require.Equal(t, len(findings.All()), strings.Count(string(index), "](pages/"))
}

// TestCommandsAreMeasured: what a page tells its readers to type is in its table.
func TestCommandsAreMeasured(t *testing.T) {
	for _, p := range findings.All() {
		var measured []string
		for _, r := range rowsOf(t, &p) {
			measured = append(measured, r.command())
		}
		var told []string
		for line := range strings.Lines(p.Text) {
			if c, ok := strings.CutPrefix(line, "    simrun "); ok {
				told = append(told, "simrun "+strings.TrimSpace(c))
			}
		}
		require.Equal(t, measured[:1], told, "%s: one command, and it is the first of the table", p.Path())
		for _, part := range strings.Split(p.Text, "`") {
			if strings.HasPrefix(part, "simrun run ") {
				require.Contains(t, measured, part, p.Path())
			}
		}
	}
}

// TestFindings runs each command of a page, in so many of its schedules that ten
// violations are expected (fewer unless tests have their full size), and compares what it
// finds with the page.
func TestFindings(t *testing.T) {
	for i, p := range findings.All() {
		if !*updateFigures && i%testsize.Of(1, 8) != 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			rows := rowsOf(t, &p)
			if *updateFigures {
				update(t, &p, rows)
				return
			}
			for i := range rows {
				r := &rows[i]
				schedules := compared(rows, r)
				found := run(t, r, schedules)
				t.Logf("%s: %d of %d", r.command(), found, schedules)
				if !r.violated {
					require.Zero(t, r.found, "%s; %s", r.command(), measureAnew)
					require.Zero(t, found, "%s finds what it must not in %d schedules", r.command(), schedules)
					continue
				}
				require.NotZero(t, found, "%s finds nothing in %d schedules", r.command(), schedules)
				require.Greater(t, metric.FisherTwoSided(found, schedules, r.found, r.schedules), 1e-4,
					"%s: %d of %d, and %d of %d on the page; %s", r.command(), found, schedules, r.found, r.schedules, measureAnew)
			}
		})
	}
}

// expectedFound is how many violations a comparison expects, leastCompared how many
// schedules it has at least: where violations are frequent, more of them tell smaller differences.
const expectedFound = 4

func leastCompared() int { return testsize.Of(400, 200) }

// compared is how many schedules of a command are run again. Where nothing is to be found,
// they are as many as those in which the first command of the page finds something.
func compared(rows []row, r *row) int {
	finds := r
	if !r.violated {
		finds = &rows[0]
	}
	if finds.found == 0 {
		return r.schedules
	}
	return min(r.schedules, max(leastCompared(), expectedFound*finds.schedules/finds.found))
}

// run is in how many of the first schedules of a command its property is violated. The
// property must have been checked, and no other outcome than its verdict end the command.
func run(t *testing.T, r *row, schedules int) int {
	t.Helper()
	args := slices.Concat(withoutSeeds(r.args), []string{"--seeds", strconv.Itoa(schedules), "--no-story", "--json", "--out", t.TempDir()})
	code, out := simrun(t, args)
	require.Less(t, code, 2, "simrun %s: %s", strings.Join(args, " "), out)
	var outcome struct {
		Schedules  int
		Properties map[string]struct {
			Exercised, Violations int
		}
	}
	require.NoError(t, json.Unmarshal(out, &outcome))
	require.Equal(t, schedules, outcome.Schedules)
	f, ok := outcome.Properties[r.property]
	require.True(t, ok, "%s does not judge %s", r.command(), r.property)
	require.NotZero(t, f.Exercised, "%s never checks %s", r.command(), r.property)
	return f.Violations
}

// withoutSeeds is a command without its own number of schedules.
func withoutSeeds(args []string) []string {
	if i := slices.Index(args, "--seeds"); i >= 0 {
		return slices.Concat(args[:i], args[i+2:])
	}
	return args
}

// defaultSeeds is how many schedules a command without --seeds runs.
const defaultSeeds = 6000

func simrun(t *testing.T, args []string) (code int, output []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	require.NoError(t, err)
	was := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = was }()
	code = command.Main(args)
	require.NoError(t, file.Close())
	file, err = os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	output, err = io.ReadAll(file)
	require.NoError(t, err)
	return code, output
}

// update writes into the table of a page what its commands find. A command that does not find
// what the page says fails: a wrong page is not made right by a figure.
func update(t *testing.T, p *findings.Page, rows []row) {
	t.Helper()
	var table strings.Builder
	for i := range rows {
		r := &rows[i]
		r.schedules = defaultSeeds
		if at := slices.Index(r.args, "--seeds"); at >= 0 {
			n, err := strconv.Atoi(r.args[at+1])
			require.NoError(t, err, r.command())
			r.schedules = n
		}
		r.found = run(t, r, r.schedules)
		require.Equal(t, r.violated, r.found > 0, "%s: %d of %d", r.command(), r.found, r.schedules)
		table.WriteString(r.String())
	}
	text := strings.Replace(p.Text, between(t, p, findings.BeginMeasured, findings.EndOfTable), table.String(), 1)
	require.NoError(t, os.WriteFile("pages/"+p.Name+".md", []byte(text), 0o644))
}

// realTables are the recordings of real servers that pages show, and how a row of each is told.
var realTables = map[string]struct {
	head string
	row  func(r recorded) string
}{
	"created-overtakes-progress": {"|---|---|---|\n", func(r recorded) string {
		return fmt.Sprintf("| %s | %d | %s |\n", r.Etcd, r.Requests, r.rate())
	}},
	"progress-behind-start": {"|---|---|---|\n", func(r recorded) string {
		return fmt.Sprintf("| %s | %d | %s |\n", r.Etcd, r.Behind, r.rate())
	}},
}

// recorded is a row of a recording of package conformance.
type recorded struct {
	Etcd                               string
	Requests, Behind, Runs, Violations int
}

func (r recorded) rate() string {
	figure := "none"
	if r.Violations > 0 {
		figure = "1 in " + oneIn(r.Violations, r.Runs)
	}
	return fmt.Sprintf("%d of %d: %s", r.Violations, r.Runs, figure)
}

// TestRealFiguresAreThoseRecorded: what a page says of real servers is what conformance has
// recorded of them.
func TestRealFiguresAreThoseRecorded(t *testing.T) {
	for name, table := range realTables {
		b, err := os.ReadFile("../conformance/testdata/" + name + ".json")
		require.NoError(t, err)
		var rows []recorded
		require.NoError(t, json.Unmarshal(b, &rows))
		var want strings.Builder
		for _, r := range rows {
			want.WriteString(table.row(r))
		}
		pages := findings.All()
		begin := beginReal + name + ".json -->\n"
		i := slices.IndexFunc(pages, func(p findings.Page) bool { return strings.Contains(p.Text, begin) })
		require.GreaterOrEqual(t, i, 0, "no page shows %s", name)
		_, got, _ := strings.Cut(between(t, &pages[i], begin, findings.EndOfTable), table.head)
		require.Equal(t, want.String(), got)
	}
}
