package proofs_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

var updateProofs = flag.Bool("proofs.update", false, "search all rows of the table anew, and write it: minutes")

var newProofs = flag.Bool("proofs.new", false, "search the rows of the table that have no figures yet, and write it: seconds")

const searchAnew = "search anew: go test ./proofs -proofs.update"

// maxStates ends a search of the table as undecided. A smaller number is for a machine that has no time: a row says where its search ended.
var maxStates = flag.Int("proofs.states", 500_000, "with -proofs.update: how many states a search may find before it is undecided")

// longest ends a search of larger bounds as undecided.
const longest = 5 * time.Minute

// searchedInCI is how many states a row may have that continuous integration searches again.
const searchedInCI = 50_000

// searchedAgain is how many states a row may have that is searched again by a test which
// writes nothing. All of them together have to end within three minutes.
func searchedAgain() int { return testsize.Of(searchedInCI, 600, 300) }

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
	return prove.Bounds{Firings: firings}
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

// TestProofs searches the rows again that are small enough, and compares.
func TestProofs(t *testing.T) {
	kept := load(t)
	for i := range promises {
		for _, r := range promises[i].rows() {
			t.Run(r.name(), func(t *testing.T) {
				p, err := r.params()
				require.NoError(t, err)
				want, ok := kept.Proofs[r.name()]
				if *updateProofs || *newProofs && !ok {
					limits := prove.Config{States: *maxStates}
					if r.larger {
						limits = prove.Config{For: longest}
					}
					found, runs := searchUntil(t, r.judged(), p, r.firings, limits)
					have := figuresOf(found)
					require.Empty(t, have.Vacuous, "the row must not claim what its bounds never put to the test")
					if r.larger {
						have.Seconds = math.Ceil(found.Seconds)
					}
					kept.Proofs[r.name()] = have
					if len(runs) > 0 && r.isTold() {
						require.NoError(t, os.WriteFile(filepath.Join(storiesDir, r.story()), []byte(told(t, r.scenario, found, runs)), 0o644))
					}
					kept.write(t)
					return
				}
				if *newProofs {
					t.Skip("it has figures")
				}
				require.True(t, ok, "the row is new; %s", searchAnew)
				if want.States > searchedAgain() {
					t.Skipf("%d states", want.States)
				}
				found, runs := search(t, r.judged(), p, r.firings, 0)
				have := figuresOf(found)
				have.Seconds, have.Part, have.Claims = want.Seconds, want.Part, want.Claims
				require.Equal(t, want, have, searchAnew)
				if len(runs) > 0 && r.isTold() {
					text, err := os.ReadFile(filepath.Join(storiesDir, r.story()))
					require.NoError(t, err)
					require.Equal(t, string(text), told(t, r.scenario, found, runs), searchAnew)
				}
			})
		}
	}
}

// TestTable: proofs.json has the rows of this package and no others, with what is said of them, and each file of a story belongs
// to a row.
func TestTable(t *testing.T) {
	kept := load(t)
	if *updateProofs || *newProofs {
		kept.write(t)
	}
	require.Equal(t, kept.described(), kept, "go test ./proofs -run TestTable -proofs.new")
	files, err := filepath.Glob(filepath.Join(storiesDir, "*.txt"))
	require.NoError(t, err)
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	require.Equal(t, kept.stories(), files, searchAnew)
}
