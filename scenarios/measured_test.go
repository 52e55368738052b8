package scenarios_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// measured is how real servers took the script of #17507: a watch from an old
// revision on a range that never had a key, progress requests every 100 ms, the
// first one after a delay. The module conformance records it anew.
type measured struct {
	Etcd    string
	DelayMs int
	Runs    int
	// Silent runs saw no progress within WaitMs from the first request.
	Silent, WaitMs int
}

func measurements(t *testing.T) (list []measured) {
	t.Helper()
	b, err := os.ReadFile("testdata/progress-17507-measured.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &list))
	require.Len(t, list, 16, "four versions, four delays")
	return list
}

// quietWatch is the same script in the simulation. The phase of etcd's sync loop
// is a choice of the run; messages take up to a tenth of a millisecond and loops
// up to a twentieth, as on any machine that is not loaded, and far less than the
// 100 ms that matter.
type quietWatch struct {
	mode   sim.Mode
	wait   time.Duration
	cfg    etcd.Config
	server *etcd.Server
	watch  workload.EtcdWatch
	plan   workload.EtcdWatchPlan
}

const noiseBefore = 20

func newQuietWatch(t testing.TB, mode sim.Mode, m *measured) *quietWatch {
	t.Helper()
	cfg, err := etcd.DefaultConfig(m.Etcd)
	require.NoError(t, err)
	cfg.InitialRevision = 1
	for i := range noiseBefore {
		cfg.InitialRevision++
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{
			Key: "/noise", Value: strconv.Itoa(i), CreateRevision: 2, ModRevision: cfg.InitialRevision, Version: int64(i + 1),
		})
	}
	delay, wait, every := time.Duration(m.DelayMs)*time.Millisecond, time.Duration(m.WaitMs)*time.Millisecond, 100*time.Millisecond
	return &quietWatch{
		mode: mode, wait: delay + wait, cfg: cfg, server: etcd.New(cfg),
		plan: workload.EtcdWatchPlan{
			To:       1,
			Creates:  []*wire.WatchCreateRequest{{Key: "/quiet/", RangeEnd: model.PrefixEnd("/quiet/"), StartRevision: 2}},
			Requests: int(wait / every), After: delay, Every: every,
			// The phases that the server chooses from lie a millisecond apart. A
			// watch that began at one of them would always have most of that
			// millisecond before the loop can come round.
			Begin: sim.Delay{Max: time.Millisecond, Steps: 50},
		},
	}
}

func (q *quietWatch) Options() sim.Options {
	b := sim.Bounds{
		Network:    sim.Delay{Max: 100 * time.Microsecond, Steps: 4},
		Scheduling: sim.Delay{Max: 50 * time.Microsecond, Steps: 4},
	}
	return sim.Options{Mode: q.mode, Safety: b, Liveness: b}
}

func (q *quietWatch) Build(w *sim.World) {
	q.server.Reset(q.cfg)
	w.Add("etcd", q.server)
	q.watch.Reset("watch", q.plan)
	w.Add("watch", &q.watch)
}

func (q *quietWatch) After(*sim.World, sim.Action) {}

func (q *quietWatch) Over(w *sim.World) bool {
	_, answered := q.watch.FirstProgress()
	return answered || w.Mode() == sim.Timed && w.Now() > sim.Time(q.wait)
}

func (q *quietWatch) Judge(*sim.World) []explore.Finding {
	f := explore.Finding{Property: "answered", Verdict: model.Holds, Exercised: 1}
	if _, ok := q.watch.FirstProgress(); !ok {
		f.Verdict, f.Label = model.Violated, "silent"
	}
	return []explore.Finding{f}
}

// silence is how many of so many random runs are never answered.
func silence(t testing.TB, q *quietWatch, runs int) int {
	r := explore.NewRunner(q, 0)
	c := strategy.Random().For(r)
	silent := 0
	for seed := range runs {
		c.Begin(uint64(seed))
		res := r.Run(c)
		require.False(t, res.Truncated)
		if res.Findings[0].Verdict == model.Violated {
			silent++
		}
	}
	return silent
}

// TestMissingProgressRateMatches17507: the simulation leaves as many progress
// requests unanswered as real servers, for each delay. The dependence on the
// delay comes from the phase of the sync loop alone: no constant of the
// simulation was taken from the measurement.
func TestMissingProgressRateMatches17507(t *testing.T) {
	const runs = 8000
	for _, m := range measurements(t) {
		q := newQuietWatch(t, sim.Timed, &m)
		silent := silence(t, q, runs)
		p := twoSided(m.Silent, m.Runs, float64(silent)/runs)
		t.Logf("etcd %s, first request after %3d ms: measured %d of %d silent, simulated %d of %d, p = %.3g", m.Etcd, m.DelayMs, m.Silent, m.Runs, silent, runs, p)
		require.Greater(t, p, 0.001)
	}
}

// TestMeasuredRatesOf17507CanRefuteTheSimulation: some of the rates that the test
// above compares are neither 0 nor 1, so it can fail.
func TestMeasuredRatesOf17507CanRefuteTheSimulation(t *testing.T) {
	graded := 0
	for _, m := range measurements(t) {
		if m.Silent > 0 && m.Silent < m.Runs {
			graded++
			require.Equal(t, "3.5.12", m.Etcd)
		}
		// Half of the rate, or twice, would have been noticed.
		if m.Silent > m.Runs/4 && m.Silent < 3*m.Runs/4 {
			rate := float64(m.Silent) / float64(m.Runs)
			require.Less(t, twoSided(m.Silent, m.Runs, rate/2), 0.001)
		}
	}
	require.GreaterOrEqual(t, graded, 2)
}

// TestUntimedServersCanDoWhatRealOnesDo: without a clock 3.5.12 answers in some
// schedules and is silent in others. The versions before and after answer in
// all, as long as the sync loop comes round before the client gives up: what is
// random there is fair enough for that.
func TestUntimedServersCanDoWhatRealOnesDo(t *testing.T) {
	const runs = 500
	for _, c := range []struct {
		version           string
		answers, isSilent bool
	}{
		{"3.4.24", true, false}, {"3.4.25", true, true}, {"3.4.30", true, true}, {"3.4.31", true, false},
		{"3.5.7", true, false}, {"3.5.8", true, true}, {"3.5.12", true, true}, {"3.5.13", true, false},
		{"3.5.35", true, false}, {"3.6.0", true, false}, {"3.6.16", true, false},
	} {
		silent := silence(t, newQuietWatch(t, sim.Untimed, &measured{Etcd: c.version, WaitMs: 3000}), runs)
		require.Equal(t, c.answers, silent < runs, c.version)
		require.Equal(t, c.isSilent, silent > 0, "%s: %d of %d", c.version, silent, runs)
	}
}

// twoSided is the exact two-sided binomial test: the probability of all outcomes
// that are at most as likely as k of n, if each is a hit with probability p.
func twoSided(k, n int, p float64) float64 {
	mass := func(i int) float64 {
		if p == 0 || p == 1 {
			if float64(i) == p*float64(n) {
				return 1
			}
			return 0
		}
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		return math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	seen, sum := mass(k), 0.0
	for i := range n + 1 {
		// A little room for rounding, so that outcomes as likely as k count.
		if m := mass(i); m <= seen*(1+1e-9) {
			sum += m
		}
	}
	return sum
}
