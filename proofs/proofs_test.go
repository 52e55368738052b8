package proofs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/proofs"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

var updateProofs = flag.Bool("proofs.update", false, "search all rows of the table anew, and write it: minutes")

var newProofs = flag.Bool("proofs.new", false, "search the rows of the table that have no figures yet, and write it: seconds")

const searchAnew = "search anew: go test ./proofs -proofs.update"

// maxStates ends a search of the table as unknown. A smaller number is for a machine that has no time: a row says
// where its search ended.
var maxStates = flag.Int("proofs.states", 500_000, "with -proofs.update: how many states a search may find before it is unknown")

// longest ends a search of larger bounds as unknown.
const longest = 5 * time.Minute

// keptCoveragePoints is how many states a row may have whose coverage points are kept: those that lab/mutants searches.
const keptCoveragePoints = 50_000

// searchedAgain is how many states a row may have that is searched again by a test which
// writes nothing. All of them together have to end within a minute; -proofs.update searches the others.
func searchedAgain() int { return testsize.Of(5_000, 300) }

// search looks at every schedule, and explains a shortest one of each way to fail.
func search(t *testing.T, sc *testbed.Scenario, p testbed.Params, firings, states int) (*proof.Proof, []*recording.Recording) {
	t.Helper()
	return searchUntil(t, sc, p, firings, prove.Config{States: states})
}

// searchUntil is search with all limits of a configuration.
func searchUntil(t *testing.T, sc *testbed.Scenario, p testbed.Params, firings int, cfg prove.Config) (*proof.Proof, []*recording.Recording) {
	t.Helper()
	cfg.Bounds, cfg.Workers = boundsOf(&p, firings), runtime.GOMAXPROCS(0)
	found, runs, err := proof.Search(t.Context(), sc, p, cfg, "watchbed")
	require.NoError(t, err)
	return found, runs
}

// timedAnswers is how many answers to a question are looked at in timed runs: as simrun prove does.
const timedAnswers = 2

// boundsOf are those of a search. The bound of timed runs is their horizon.
func boundsOf(p *testbed.Params, firings int) prove.Bounds {
	if p.Clock.Mode == sim.Timed {
		return prove.Bounds{Answers: timedAnswers}
	}
	return prove.Bounds{TimerBound: firings}
}

// told is the story of the first failure.
func told(t *testing.T, sc *testbed.Scenario, found *proof.Proof, runs []*recording.Recording) string {
	t.Helper()
	f := &found.Failures[0]
	d, err := diagnosis.Of(sc, runs[0], explore.Failure{Property: f.Property, Label: f.Label})
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, report.WriteStory(&b, report.Terminal{}, d))
	return b.String()
}

// table is proofs.json while it is written.
type table struct {
	*proofs.Table
	numbers map[string]int
}

func load(t *testing.T) *table {
	t.Helper()
	text, err := os.ReadFile("proofs.json")
	require.NoError(t, err)
	k := &table{&proofs.Table{}, map[string]int{}}
	require.NoError(t, json.Unmarshal(text, k.Table))
	for i, s := range k.CoveragePoints {
		k.numbers[s] = i
	}
	return k
}

// figuresOf are what a search came to, for what the row asked for. The coverage points of a large search are left out.
func (k *table) figuresOf(p *proof.Proof, row *proofs.Search) proofs.Search {
	f := proofs.Search{
		Asked: row.Asked, Part: row.Part, Claims: row.Claims,
		Verdict: string(p.Verdict), Why: p.Why, States: p.States, Transitions: p.Transitions, Depth: p.Depth, NotJudged: p.NotJudged,
	}
	for _, c := range p.Claims {
		if p.Verdict == prove.Vacuous && p.Checked[c] == 0 {
			f.Vacuous = append(f.Vacuous, c)
		}
	}
	for _, name := range p.CoveragePoints {
		if p.States > keptCoveragePoints {
			break
		}
		if _, known := k.numbers[name]; !known {
			k.numbers[name] = len(k.CoveragePoints)
			k.CoveragePoints = append(k.CoveragePoints, name)
		}
		f.CoveragePoints = append(f.CoveragePoints, k.numbers[name])
	}
	slices.Sort(f.CoveragePoints)
	if len(p.Failures) > 0 {
		f.Violated, f.Steps, f.Loop = p.Failures[0].Property, p.Failures[0].Steps, p.Failures[0].Loop
	}
	return f
}

// put takes what a row came to.
func (k *table) put(r *row, have proofs.Search) {
	switch {
	case r.control:
		bug := k.Bugs[r.bug]
		bug.Without = &proofs.Search{Verdict: have.Verdict, Why: have.Why, States: have.States, CoveragePoints: have.CoveragePoints}
		k.Bugs[r.bug] = bug
	case r.bug != "":
		have.Without = k.Bugs[r.bug].Without
		k.Bugs[r.bug] = have
	default:
		k.Proofs[r.name] = have
	}
}

// write writes the table, a line for each row.
func (k *table) write(t *testing.T) {
	t.Helper()
	var b strings.Builder
	value := func(x any) string {
		var line strings.Builder
		out := json.NewEncoder(&line)
		out.SetEscapeHTML(false)
		require.NoError(t, out.Encode(x))
		return strings.TrimSpace(line.String())
	}
	list := func(name string, of map[string]proofs.Search) {
		var lines []string
		for _, key := range slices.Sorted(maps.Keys(of)) {
			lines = append(lines, value(key)+": "+value(of[key]))
		}
		fmt.Fprintf(&b, ",\n%q: {\n%s\n}", name, strings.Join(lines, ",\n"))
	}
	b.WriteString("{\n\"Parts\": " + strings.ReplaceAll(value(k.Parts), "},{", "},\n{"))
	b.WriteString(",\n\"CoveragePoints\": " + value(k.CoveragePoints))
	list("Proofs", k.Proofs)
	list("Bugs", k.Bugs)
	b.WriteString("\n}\n")
	require.NoError(t, os.WriteFile("proofs.json", []byte(b.String()), 0o644))
}

// TestProofs searches the rows again that are small enough, and compares.
func TestProofs(t *testing.T) {
	kept := load(t)
	for _, r := range rowsOf(t, kept.Table) {
		t.Run(r.name, func(t *testing.T) {
			write := *updateProofs || *newProofs && r.want.Verdict == ""
			switch {
			case *newProofs && !write:
				t.Skip("it has figures")
			case !write && r.want.Verdict == "":
				require.Fail(t, "the row is new", searchAnew)
			case !write && r.want.States > searchedAgain():
				t.Skipf("%d states", r.want.States)
			}
			limits := prove.Config{States: *maxStates}
			if r.want.Seconds > 0 {
				limits = prove.Config{For: longest}
			}
			found, runs := searchUntil(t, r.judged(kept.Table), r.params, r.firings, limits)
			have := kept.figuresOf(found, &r.want)
			require.Empty(t, have.Vacuous, "the row must not claim what its bounds never put to the test")
			if r.bug != "" && !r.control {
				r.violates(t, &have)
				require.Equal(t, have.Steps, runs[0].Steps(), "a step of the search is one of the recording")
			}
			if write {
				if r.want.Seconds > 0 {
					have.Seconds = math.Ceil(found.Seconds)
				}
				if r.bug != "" && !r.control {
					have.Shrunk = shrunk(t, &r, have.Violated)
				}
				kept.put(&r, have)
				kept.write(t)
				return
			}
			have.Seconds, have.Shrunk, have.Without = r.want.Seconds, r.want.Shrunk, r.want.Without
			if r.control {
				have.Transitions, have.Depth, have.NotJudged = 0, 0, nil
			}
			require.Equal(t, r.want, have, searchAnew)
		})
	}
}

// violates: a search finds the bug, in what it is known to violate if the row is of its scenario.
func (r *row) violates(t *testing.T, have *proofs.Search) {
	t.Helper()
	require.Equal(t, string(prove.Violated), have.Verdict, "%d states", have.States)
	known, err := testbed.FindBug(r.bug)
	require.NoError(t, err)
	if r.scenario == known.Scenario {
		require.Contains(t, testbed.Names(append(slices.Clone(known.Further), known.Property)), have.Violated)
	}
}

// shrinkSeeds is in how many schedules a run is looked for that is then shrunk.
const shrinkSeeds = 6000

// shrunk is the number of steps of the run that shrinking makes of what random schedules find
// within the same bounds, 0 if they find nothing.
func shrunk(t *testing.T, r *row, property string) int {
	t.Helper()
	subjects, err := r.scenario.Subjects(r.params)
	require.NoError(t, err)
	s := strategy.Default()
	found, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, Seeds: shrinkSeeds, Steps: r.params.Clock.Steps})
	require.NoError(t, err)
	i := slices.IndexFunc(found.Failures, func(f campaign.FailureTally) bool { return f.Failure.Property == property })
	if i < 0 {
		return 0
	}
	finder := &diagnosis.Finder{Scenario: r.scenario, Params: r.params, Strategy: s, Last: shrinkSeeds - 1, Shrink: true}
	told, err := finder.Find(t.Context(), found.Failures[i:i+1])
	require.NoError(t, err)
	return told[0].Recording.Steps()
}

// TestBugsOfTheTable: what shrinking gives has at least as many steps as what the search has found, and at most half as
// many again. Without the bug the promise is put to the test within the same bounds, too, and nothing else breaks it.
func TestBugsOfTheTable(t *testing.T) {
	for name, f := range load(t).Bugs {
		if f.Shrunk > 0 {
			require.GreaterOrEqual(t, f.Shrunk, f.Steps, name)
			require.LessOrEqual(t, 2*f.Shrunk, 3*f.Steps, name)
		}
		require.NotContains(t, []string{string(prove.Violated), string(prove.Vacuous)}, f.Without.Verdict, "%s: without the bug", name)
	}
}

// TestBugsAreFoundOrExplained: each known bug has a row, or a reason why it has none.
func TestBugsAreFoundOrExplained(t *testing.T) {
	kept := load(t)
	for _, b := range testbed.KnownBugs() {
		_, found := kept.Bugs[b.Name]
		require.True(t, found || b.WhyUnsearched() != "", "%s: want a row or a reason", b.Name)
		require.False(t, found && b.Unsearched != "", "%s has a row, and a reason why it has none", b.Name)
	}
}

// What was known before anything was searched: progress that is requested overtakes events before 3.5.8
// (etcd-io/etcd#15220), some of it never comes from 3.5.8 to 3.5.12 (#17507), and a design that requests it once waits
// for ever if etcd has no watch to answer it for yet.
func TestTableSaysWhatIsKnown(t *testing.T) {
	overtaken := func(r *row) bool { return r.params.Etcd == "3.5.7" }
	never := func(r *row) bool { return r.params.Etcd == "3.5.12" || r.params.Cache == "single-request" }
	for title, violated := range map[string]func(r *row) bool{
		"Consistent LIST": overtaken, "Consistent LIST of two writes": overtaken, "Each LIST is answered": never, "Each LIST is answered in time": never,
	} {
		kept, rows := load(t), 0
		part := 1 + slices.IndexFunc(kept.Parts, func(p proofs.Part) bool { return p.Title == title })
		require.Positive(t, part, title)
		for _, r := range rowsOf(t, kept.Table) {
			if r.bug != "" || r.want.Part != part {
				continue
			}
			rows++
			want := prove.Proved
			if violated(&r) {
				want = prove.Violated
			}
			require.Equal(t, string(want), r.want.Verdict, r.name)
		}
		require.NotZero(t, rows, title)
	}
}

// TestLoopIsTold: a request that is never answered is told as a way into a loop, and the loop.
func TestLoopIsTold(t *testing.T) {
	sc, p := withSettings(t, "quiet-range", "etcd=3.5.12 noise-writes=1")
	found, runs := search(t, sc, p, 1, 0)
	want, err := os.ReadFile("testdata/loop.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), told(t, sc, found, runs))
}
