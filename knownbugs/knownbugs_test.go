package knownbugs_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var updateDetection = flag.Bool("detection.update", false, "measure anew how soon the known bugs show: minutes")

const (
	detectionFile = "detection.json"
	measureAnew   = "measure anew: go test ./knownbugs -run TestKnownBugsAreDetected -detection.update"
)

// bugRun runs the scenario in which a bug shows, with the bug or without.
type bugRun struct {
	runner   *explore.Runner
	chooser  strategy.Chooser
	property *testbed.Property
}

func newBugRun(t *testing.T, b *testbed.KnownBug, bugs ...string) *bugRun {
	t.Helper()
	require.Contains(t, b.Scenario.Claims, b.Property, b.Name)
	p := b.Scenario.Params
	p.Bugs = bugs
	system, err := b.Scenario.New(p)
	require.NoError(t, err)
	r := explore.NewRunner(system, p.Clock.Steps)
	return &bugRun{r, strategyOf(t, b).For(r), b.Property}
}

func strategyOf(t *testing.T, b *testbed.KnownBug) strategy.Strategy {
	t.Helper()
	if b.Strategy == "" {
		return strategy.Default()
	}
	i := slices.IndexFunc(strategy.All(), func(x strategy.Strategy) bool { return x.Name == b.Strategy })
	require.GreaterOrEqual(t, i, 0, b.Strategy)
	return strategy.All()[i]
}

func (r *bugRun) judge(t *testing.T, seed uint64) explore.Finding {
	r.chooser.Begin(seed)
	for _, f := range r.runner.Run(r.chooser).Findings {
		if f.Property == r.property.Name {
			return f
		}
	}
	t.Fatalf("%s was not judged", r.property.Name)
	return explore.Finding{}
}

const (
	detectionTrials = 200
	// maxDetection bounds a measurement: beyond it there are fewer trials.
	maxDetection = 400_000
	// recordedSeeds is where a measurement begins: behind the seeds with which
	// workloads and strategies were tried out.
	recordedSeeds = 1 << 24
	// freshSeeds is where the comparison begins: far from what was recorded.
	freshSeeds = 1 << 32
)

func measureDetection(t *testing.T, b *testbed.KnownBug) knownbugs.Figure {
	d := knownbugs.Figure{Bug: b.Name, Scenario: b.Scenario.Name, Property: b.Property.Name, Strategy: strategyOf(t, b).Name, FirstSeed: recordedSeeds}
	r := newBugRun(t, b, b.Name)
	var trials []uint64
	begun := uint64(0)
	for n := uint64(0); len(trials) < detectionTrials && n < maxDetection; n++ {
		if r.judge(t, recordedSeeds+n).Verdict == model.Violated {
			trials = append(trials, n+1-begun)
			begun = n + 1
		}
	}
	require.NotEmpty(t, trials, "%s does not show in %d schedules", b.Name, maxDetection)
	slices.Sort(trials)
	d.Schedules, d.Trials = begun, len(trials)
	d.Median, d.Bound95 = trials[(len(trials)-1)/2], boundOf95(len(trials), begun)
	return d
}

// boundOf95 takes schedules for independent. The number of them up to the k-th
// hit then has a negative binomial distribution, and the chance p of which k hits
// in n schedules have probability 0.05 is an exact lower bound of the real one
// (Clopper and Pearson). With that p, 1-(1-p)^bound is 0.95.
func boundOf95(k int, n uint64) uint64 {
	if uint64(k) == n {
		// Every schedule: p is the k-th root of 0.05.
		p := math.Pow(0.05, 1/float64(k))
		return uint64(math.Ceil(math.Log(0.05) / math.Log1p(-p)))
	}
	low, high := 0.0, 1.0
	for range 200 {
		if mid := (low + high) / 2; metric.AtLeast(k, int(n), mid) < 0.05 {
			low = mid
		} else {
			high = mid
		}
	}
	return uint64(math.Ceil(math.Log(0.05) / math.Log1p(-low)))
}

// TestBoundOf95: known values, by hand.
func TestBoundOf95(t *testing.T) {
	// 1 hit in 1: p is 0.05, and 0.95^59 is the first power below 0.05.
	assert.EqualValues(t, 59, boundOf95(1, 1))
	// 1 hit in 2: 1-(1-p)^2 = 0.05, so (1-p)^2 = 0.95: 117 schedules.
	assert.EqualValues(t, 117, boundOf95(1, 2))
}

// compared is in how many schedules a bug is looked for again. With twenty hits
// expected, none at all has a chance of e^-20; eight and six are the smaller sizes.
func compared(d *knownbugs.Figure) int {
	hits := testsize.Of(20, 8)
	return max(hits, hits*int(d.Schedules)/d.Trials)
}

// leastHealthy is in how many schedules a healthy cache runs at least. A property that few of them
// put to the test, such as controller-reads-own-writes with 128 times in 1,000, is then checked in every size.
const leastHealthy = 100

// mostOf is in how many schedules any bug is looked for in the scenario of this one,
// with the same strategy: the healthy cache is run once for all of them.
func mostOf(recorded []knownbugs.Figure, b *testbed.KnownBug) uint64 {
	most := uint64(leastHealthy)
	for i, other := range testbed.KnownBugs() {
		if other.Scenario == b.Scenario && other.Strategy == b.Strategy {
			most = max(most, uint64(compared(&recorded[i])))
		}
	}
	return most
}

// TestKnownBugsAreDetected compares how often each bug shows in other schedules than
// those that were recorded with how often it did there, and holds the healthy
// cache to the same property in the same schedules.
func TestKnownBugsAreDetected(t *testing.T) {
	if *updateDetection {
		updateDetections(t)
		return
	}
	recorded := knownbugs.Figures()
	require.Len(t, recorded, len(testbed.KnownBugs()), measureAnew)
	for i, b := range testbed.KnownBugs() {
		if i%testsize.Of(1, 4) != 0 {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			d := recorded[i]
			require.Equal(t, []string{b.Name, b.Scenario.Name, b.Property.Name}, []string{d.Bug, d.Scenario, d.Property})
			require.Equal(t, boundOf95(d.Trials, d.Schedules), d.Bound95)
			schedules := compared(&d)
			require.Less(t, schedules, 30_000, "so rare that the comparison takes too long: another workload, or another strategy")
			hits := int(tallied(t, fresh(t, b.Scenario, strategyOf(t, b), uint64(schedules), b.Name), b.Property).Violations)
			healthy := fresh(t, b.Scenario, strategyOf(t, b), mostOf(recorded, b))
			f := tallied(t, healthy, b.Property)
			require.Zero(t, f.Violations, "the healthy cache, in %d schedules", healthy.Schedules)
			require.NotZero(t, f.Exercised, "%s was never put to the test", b.Property.Name)
			p := metric.FisherTwoSided(hits, schedules, d.Trials, int(d.Schedules))
			t.Logf("%d of %d schedules; recorded %d of %d; p = %.3g", hits, schedules, d.Trials, d.Schedules, p)
			require.NotZero(t, hits)
			require.Greater(t, p, 1e-4)
		})
	}
}

// updateDetections measures the bugs that -run selects, and writes them down beside
// what was recorded of the others.
func updateDetections(t *testing.T) {
	recorded := map[string]knownbugs.Figure{}
	for _, d := range knownbugs.Figures() {
		recorded[d.Bug] = d
	}
	var list []knownbugs.Figure
	for _, b := range testbed.KnownBugs() {
		t.Run(b.Name, func(t *testing.T) {
			recorded[b.Name] = measureDetection(t, b)
			t.Logf("%+v", recorded[b.Name])
		})
		if d, ok := recorded[b.Name]; ok {
			list = append(list, d)
		}
	}
	var lines []string
	for _, d := range list {
		line, err := json.Marshal(d)
		require.NoError(t, err)
		lines = append(lines, string(line))
	}
	require.NoError(t, os.WriteFile(detectionFile, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644))
}

// TestEachBugHasAFigure: none is without one, and no figure is of a bug that is gone.
func TestEachBugHasAFigure(t *testing.T) {
	var want, have []string
	for _, b := range testbed.KnownBugs() {
		want = append(want, b.Name)
	}
	for _, d := range knownbugs.Figures() {
		have = append(have, d.Bug)
	}
	require.Equal(t, want, have, "go test ./knownbugs -run TestKnownBugsAreDetected/NAME -detection.update")
}

// TestPlantedBugIsExpected: `run --expect` is content with what a bug is planted
// for, and misses it if it does not come. A bug may be the value of an option that
// rows of the scenario know as well, such as a cache that serves stale reads.
func TestPlantedBugIsExpected(t *testing.T) {
	for _, b := range testbed.KnownBugs() {
		p := b.Scenario.Params
		p.Bugs = []string{b.Name}
		found := known.OutcomeOf(b.Scenario, &p, known.Names(known.Expected(b.Scenario, &p)))
		require.Empty(t, known.Names(found.Missing), b.Name)
		require.Empty(t, found.Unexpected, b.Name)
		i := slices.Index(known.Names(found.Explained), b.Property.Name)
		require.GreaterOrEqual(t, i, 0, b.Name)
		require.Contains(t, found.Explained[i].Because, b.Why)
		missed := known.OutcomeOf(b.Scenario, &p, nil)
		require.Contains(t, known.Names(missed.Missing), b.Property.Name, b.Name)
	}
}

// always are the bugs that come to bear in every schedule of their scenarios.
var always = map[string]string{
	"issue-20693":             "each stream asks for a watch from revision -1",
	"kubernetes-59848":        "no LIST asks etcd for its revision",
	"kubernetes-107457":       "each run has etcd restored from a backup",
	"kubernetes-114458":       "each cache watches under other metadata",
	"kubernetes-117137":       "each client has a WatchList that waits",
	"kubernetes-123532":       "each cache watches under other metadata",
	"kubernetes-123676":       "each LIST asks etcd for its revision",
	"kubernetes-131011":       "no cache asks its compactor",
	"kubernetes-35415":        "each run has an update that is not carried out on what the cache has",
	"write-conflict-unwaited": "each run has a write whose transaction fails",
	"write-missing-trusted":   "each run has a write of an object that its cache does not have",
	"write-refresh-unread":    "each run has a write that fails on the object of its cache",

	"established-early": "each watcher asks to be told when its watch is established",
	"kubernetes-28202":  "each try of a server to compact compares nothing",

	"informer-never-pauses":         "each informer is refused a request",
	"informer-resyncs-at-each-look": "each run has handlers whose periods are longer than that of the looks",
	"ticks-stop-after-events":       "each stream is sent events, and is quiet after them",
	"client-reopens-late":           "each run has a stream that breaks",
	"kubernetes-46964":              "each run has a half-open stream",
	"compacts-present-revision":     "each run has a compaction",
}

// TestBugsShareTheStepsOfTheHealthyCache: a bug has no yield point of its own. So
// where it does not come to bear, a schedule takes the same course with it as
// without, to the bit.
func TestBugsShareTheStepsOfTheHealthyCache(t *testing.T) {
	const most = 400
	for _, bug := range testbed.KnownBugs() {
		t.Run(bug.Name, func(t *testing.T) {
			t.Parallel()
			buggy, healthy := newBugRun(t, bug, bug.Name), newBugRun(t, bug)
			random := strategy.Random()
			a, b := random.For(buggy.runner), random.For(healthy.runner)
			schedules := uint64(most)
			if always[bug.Name] != "" {
				// None is alike, so that all are run.
				schedules = testsize.Of[uint64](most, 30)
			}
			alike := false
			for seed := uint64(0); seed < schedules && !alike; seed++ {
				a.Begin(seed)
				b.Begin(seed)
				alike = buggy.runner.Run(a).TraceHash == healthy.runner.Run(b).TraceHash
			}
			require.Equal(t, always[bug.Name] == "", alike, "some of %d schedules take the same course", schedules)
		})
	}
}

// TestBugsInvisibleWithoutReaders: bugs that act while an event is taken in change
// nothing if no client reads or watches the cache. Then every schedule, with
// its events, takes the same course with them as without.
func TestBugsInvisibleWithoutReaders(t *testing.T) {
	for _, bug := range []string{"version-before-store", "progress-lowers-version", "store-without-snapshot", "kubernetes-58545"} {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			run := func(bugs ...string) *explore.Runner {
				p := scenarios.Outages.Params
				p.Cache, p.Bugs = "kep-4988", bugs
				p.Workload.Readers, p.Workload.Gets, p.Workload.Watchers = 0, 0, 0
				system, err := scenarios.Outages.New(p)
				require.NoError(t, err)
				return explore.NewRunner(system, p.Clock.Steps)
			}
			buggy, healthy := run(bug), run()
			a, b := strategy.Random().For(buggy), strategy.Random().For(healthy)
			events := 0
			for seed := range uint64(300) {
				a.Begin(seed)
				b.Begin(seed)
				with, without := buggy.Run(a), healthy.Run(b)
				require.Equal(t, without.TraceHash, with.TraceHash, "seed %d", seed)
				for _, f := range without.Findings {
					if f.Property == caches.MatchEtcd.Name {
						events += f.Exercised
					}
				}
			}
			require.Greater(t, events, 300, "nothing was taken in")
		})
	}
}
