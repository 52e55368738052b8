package scenarios_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

var updateDetection = flag.Bool("detection.update", false, "measure anew how soon the bugs of the zoo show: minutes")

// detection is how soon a bug shows, measured with the strategy that simrun uses
// if it is given none. A trial is a number of schedules in a row of which the
// last is the first to violate the property; the next trial begins behind it.
type detection struct {
	Bug, Scenario, Property, Strategy string
	// Schedules is how many seeds, from FirstSeed on, the trials took in all.
	FirstSeed, Schedules uint64
	Trials               int
	// Median is that of the trials, in schedules. Bound95 is the number of
	// schedules within which the bug shows in 95 of 100 campaigns, as far as
	// can be said with 95 % confidence (boundOf95).
	Median, Bound95 uint64
}

const detectionFile = "testdata/detection.json"

func recordedDetections(t *testing.T) (list []detection) {
	t.Helper()
	b, err := os.ReadFile(detectionFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &list))
	return list
}

// menagerie runs one scenario, with a bug or without.
type menagerie struct {
	runner   *explore.Runner
	chooser  strategy.Chooser
	property string
}

func newMenagerie(t *testing.T, s scenarios.Specimen, bugs ...string) *menagerie {
	t.Helper()
	sc, err := scenarios.Find(s.Scenario)
	require.NoError(t, err)
	require.Contains(t, sc.Claims, s.Property, s.Bug)
	p := sc.Params
	p.Bugs = bugs
	system, err := sc.New(p)
	require.NoError(t, err)
	r := explore.NewRunner(system, p.Steps)
	return &menagerie{r, strategyOf(t, s).New(strategy.Measure(r)), s.Property}
}

func strategyOf(t *testing.T, s scenarios.Specimen) strategy.Strategy {
	t.Helper()
	if s.Strategy == "" {
		return strategy.Default()
	}
	i := slices.IndexFunc(strategy.All(), func(x strategy.Strategy) bool { return x.Name == s.Strategy })
	require.GreaterOrEqual(t, i, 0, s.Strategy)
	return strategy.All()[i]
}

func (m *menagerie) judge(t *testing.T, seed uint64) explore.Finding {
	m.chooser.Begin(seed)
	for _, f := range m.runner.Run(m.chooser).Findings {
		if f.Property == m.property {
			return f
		}
	}
	t.Fatalf("%s was not judged", m.property)
	return explore.Finding{}
}

const (
	detectionTrials = 200
	// mostDetection bounds a measurement: beyond it there are fewer trials.
	mostDetection = 400_000
	// recordedSeeds is where a measurement begins: behind the seeds with which
	// workloads and strategies were tried out.
	recordedSeeds = 1 << 24
	// freshSeeds is where the comparison begins: far from what was recorded.
	freshSeeds = 1 << 32
)

func measureDetection(t *testing.T, s scenarios.Specimen) detection {
	d := detection{Bug: s.Bug, Scenario: s.Scenario, Property: s.Property, Strategy: strategyOf(t, s).Name, FirstSeed: recordedSeeds}
	m := newMenagerie(t, s, s.Bug)
	var trials []uint64
	begun := uint64(0)
	for n := uint64(0); len(trials) < detectionTrials && n < mostDetection; n++ {
		if m.judge(t, recordedSeeds+n).Verdict == model.Violated {
			trials = append(trials, n+1-begun)
			begun = n + 1
		}
	}
	require.NotEmpty(t, trials, "%s does not show in %d schedules", s.Bug, mostDetection)
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
		if mid := (low + high) / 2; atLeast(k, int(n), mid) < 0.05 {
			low = mid
		} else {
			high = mid
		}
	}
	return uint64(math.Ceil(math.Log(0.05) / math.Log1p(-low)))
}

// atLeast is the probability of k or more hits in n schedules.
func atLeast(k, n int, p float64) float64 {
	if p <= 0 {
		return 0
	}
	below := 0.0
	for i := range k {
		below += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return 1 - below
}

func logChoose(n, k int) float64 {
	of := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return of(n) - of(k) - of(n-k)
}

// fisher is the probability of a split of all hits between two series that is at
// most as likely as the one seen, if both have the same chance: exact and
// two-sided, as conformance/exacttest has it.
func fisher(k1, n1, k2, n2 int) float64 {
	k := k1 + k2
	of := func(i int) float64 { return logChoose(n1, i) + logChoose(n2, k-i) - logChoose(n1+n2, k) }
	seen, sum := of(k1), 0.0
	for i := max(0, k-n2); i <= min(k, n1); i++ {
		if l := of(i); l <= seen+1e-9 {
			sum += math.Exp(l)
		}
	}
	return min(sum, 1)
}

// TestExactBounds: known values, by hand.
func TestExactBounds(t *testing.T) {
	assert.InDelta(t, 34.0/70, fisher(3, 4, 1, 4), 1e-9, "the lady tasting tea")
	assert.InDelta(t, 2.0/70, fisher(4, 4, 0, 4), 1e-9)
	assert.InDelta(t, 1, fisher(0, 100, 0, 100), 1e-9)
	// 1 hit in 1: p is 0.05, and 0.95^59 is the first power below 0.05.
	assert.EqualValues(t, 59, boundOf95(1, 1))
	// 1 hit in 2: 1-(1-p)^2 = 0.05, so (1-p)^2 = 0.95: 117 schedules.
	assert.EqualValues(t, 117, boundOf95(1, 2))
}

// TestZooIsDetected compares how often each bug shows in other schedules than
// those that were recorded with how often it did there, and holds the healthy
// cache to the same property in the same schedules.
func TestZooIsDetected(t *testing.T) {
	if *updateDetection {
		var list []detection
		for _, s := range scenarios.Zoo() {
			list = append(list, measureDetection(t, s))
			t.Logf("%+v", list[len(list)-1])
		}
		b, err := json.MarshalIndent(list, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(detectionFile, append(b, '\n'), 0o644))
		require.NoError(t, os.WriteFile(zooTable, []byte(tableOf(t, list)), 0o644))
	}
	recorded := recordedDetections(t)
	require.Len(t, recorded, len(scenarios.Zoo()), "measure anew: go test ./scenarios -run TestZooIsDetected -detection.update")
	for i, s := range scenarios.Zoo() {
		t.Run(s.Bug, func(t *testing.T) {
			t.Parallel()
			d := recorded[i]
			require.Equal(t, []string{s.Bug, s.Scenario, s.Property}, []string{d.Bug, d.Scenario, d.Property})
			require.Equal(t, boundOf95(d.Trials, d.Schedules), d.Bound95)
			// With twenty hits expected, none at all has a chance of e^-20.
			schedules := max(20, 20*int(d.Schedules)/d.Trials)
			require.Less(t, schedules, 30_000, "so rare that the comparison takes too long: another workload, or another strategy")
			sick, healthy := newMenagerie(t, s, s.Bug), newMenagerie(t, s)
			hits, exercised := 0, 0
			for seed := uint64(freshSeeds); seed < freshSeeds+uint64(schedules); seed++ {
				if sick.judge(t, seed).Verdict == model.Violated {
					hits++
				}
				f := healthy.judge(t, seed)
				require.NotEqual(t, model.Violated, f.Verdict, "the healthy cache, seed %d", seed)
				exercised += f.Exercised
			}
			require.NotZero(t, exercised, "%s was never put to the test", s.Property)
			p := fisher(hits, schedules, d.Trials, int(d.Schedules))
			t.Logf("%d of %d schedules; recorded %d of %d; p = %.3g", hits, schedules, d.Trials, d.Schedules, p)
			require.NotZero(t, hits)
			require.Greater(t, p, 1e-4)
		})
	}
}

const zooTable = "zoo.md"

// tableOf is the zoo for people.
func tableOf(t *testing.T, list []detection) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("# A zoo of cache bugs\n\n")
	out.WriteString("Written by `go test ./scenarios -run TestZooIsDetected -detection.update`. Each bug can be planted:\n")
	out.WriteString("`simrun run SCENARIO --bug BUG`. The last two columns are schedules until it shows: the median, and within\n")
	out.WriteString("how many it shows in 95 of 100 campaigns, at 95 % confidence.\n\n")
	out.WriteString("| bug | what goes wrong | scenario | property | median | 95 % |\n|---|---|---|---|---:|---:|\n")
	for _, d := range list {
		i := slices.IndexFunc(scenarios.Bugs(), func(b scenarios.Bug) bool { return b.Name == d.Bug })
		require.GreaterOrEqual(t, i, 0, d.Bug)
		property := d.Property
		if d.Strategy != strategy.Default().Name {
			property += " (`--strategy " + d.Strategy + "`)"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %d | %d |\n", d.Bug, scenarios.Bugs()[i].Summary, d.Scenario, property, d.Median, d.Bound95)
	}
	return out.String()
}

func TestZooTableIsUpToDate(t *testing.T) {
	b, err := os.ReadFile(zooTable)
	require.NoError(t, err)
	require.Equal(t, tableOf(t, recordedDetections(t)), string(b))
}

// TestPlantedBugIsExpected: `run --expect` is content with what a bug is planted
// for, and misses it if it does not come.
func TestPlantedBugIsExpected(t *testing.T) {
	for _, s := range scenarios.Zoo() {
		sc, err := scenarios.Find(s.Scenario)
		require.NoError(t, err)
		p := sc.Params
		p.Bugs = []string{s.Bug}
		missing, unexpected := sc.Outcome(&p, []string{s.Property})
		require.Empty(t, missing, s.Bug)
		require.Empty(t, unexpected, s.Bug)
		missing, _ = sc.Outcome(&p, nil)
		require.Equal(t, []string{s.Property}, missing, s.Bug)
	}
}

// always are the bugs that come to bear in every schedule of their scenarios.
var always = map[string]string{
	"kubernetes-59848":  "no LIST asks etcd for its revision",
	"kubernetes-114458": "each cache watches under other metadata",
	"kubernetes-117137": "each client has a WatchList that waits",
	"kubernetes-123532": "each cache watches under other metadata",
	"kubernetes-123676": "each LIST asks etcd for its revision",
	"kubernetes-131011": "no cache asks its compactor",
}

// TestBugsShareTheStepsOfTheHealthyCache: a bug has no yield point of its own. So
// where it does not come to bear, a schedule takes the same course with it as
// without, to the bit.
func TestBugsShareTheStepsOfTheHealthyCache(t *testing.T) {
	const schedules = 400
	for _, s := range scenarios.Zoo() {
		t.Run(s.Bug, func(t *testing.T) {
			t.Parallel()
			sick, healthy := newMenagerie(t, s, s.Bug), newMenagerie(t, s)
			random := strategy.Random()
			a, b := random.New(strategy.Measure(sick.runner)), random.New(strategy.Measure(healthy.runner))
			alike := 0
			for seed := range uint64(schedules) {
				a.Begin(seed)
				b.Begin(seed)
				if sick.runner.Run(a).TraceHash == healthy.runner.Run(b).TraceHash {
					alike++
				}
			}
			t.Logf("%d of %d schedules take the same course", alike, schedules)
			require.Equal(t, always[s.Bug] != "", alike == 0)
		})
	}
}

// TestNobodyLooks: bugs that act while an event is taken in change nothing that
// anybody does if nobody reads or watches the cache. Then every schedule, with
// its events, takes the same course with them as without.
func TestNobodyLooks(t *testing.T) {
	for _, bug := range []string{"version-before-store", "progress-lowers-version", "store-without-snapshot", "kubernetes-58545"} {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			sc, err := scenarios.Find("outages")
			require.NoError(t, err)
			run := func(bugs ...string) *explore.Runner {
				p := sc.Params
				p.Cache, p.Bugs = "kep-4988", bugs
				p.Readers, p.Gets, p.Watchers = 0, 0, 0
				system, err := sc.New(p)
				require.NoError(t, err)
				return explore.NewRunner(system, p.Steps)
			}
			sick, healthy := run(bug), run()
			a, b := strategy.Random().New(strategy.Measure(sick)), strategy.Random().New(strategy.Measure(healthy))
			events := 0
			for seed := range uint64(300) {
				a.Begin(seed)
				b.Begin(seed)
				with, without := sick.Run(a), healthy.Run(b)
				require.Equal(t, without.TraceHash, with.TraceHash, "seed %d", seed)
				for _, f := range without.Findings {
					if f.Property == scenarios.Mirrors {
						events += f.Exercised
					}
				}
			}
			require.Greater(t, events, 300, "nothing was taken in")
		})
	}
}
