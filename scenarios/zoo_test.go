package scenarios_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
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
	chooser  explore.Chooser
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
	return &menagerie{r, strategyOf(t, s).Chooser(r.Profile()), s.Property}
}

func strategyOf(t *testing.T, s scenarios.Specimen) explore.Strategy {
	t.Helper()
	if s.Strategy == "" {
		return explore.Portfolio()
	}
	i := slices.IndexFunc(explore.Strategies(), func(x explore.Strategy) bool { return x.Name == s.Strategy })
	require.GreaterOrEqual(t, i, 0, s.Strategy)
	return explore.Strategies()[i]
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
