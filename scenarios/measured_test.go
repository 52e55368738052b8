package scenarios

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/workload"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// measured is how real servers took the script of #17507: a watch from an old
// revision on a range that never had a key, progress requests every 100 ms, the
// first one after a delay. The module conformance records it anew.
type measured struct {
	Etcd    string
	DelayMs int
	Runs    int
	// Silent runs saw no progress within three seconds.
	Silent int
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
	cfg    etcd.Config
	server *etcd.Server
	watch  workload.EtcdWatch
	plan   workload.EtcdWatchPlan
}

const noiseBefore = 20

func newQuietWatch(t testing.TB, mode sim.Mode, version string, delay time.Duration) *quietWatch {
	t.Helper()
	cfg, err := etcd.DefaultConfig(version)
	require.NoError(t, err)
	if mode == sim.Untimed {
		cfg.ProgressNotifyInterval = 0
	}
	cfg.InitialRevision = 1
	for i := range noiseBefore {
		cfg.InitialRevision++
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{
			Key: "/noise", Value: strconv.Itoa(i), CreateRevision: 2, ModRevision: cfg.InitialRevision, Version: int64(i + 1),
		})
	}
	return &quietWatch{
		mode: mode, cfg: cfg, server: etcd.New(cfg),
		plan: workload.EtcdWatchPlan{
			To:       1,
			Creates:  []*wire.WatchCreateRequest{{Key: "/quiet/", RangeEnd: model.PrefixEnd("/quiet/"), StartRevision: 2}},
			Requests: 30, After: delay, Every: 100 * time.Millisecond,
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
	return answered || w.Mode() == sim.Timed && w.Now() > sim.Time(4*time.Second)
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
	c := explore.Random().Chooser(r.Profile())
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

// TestSimulatedServersAreAsSilentAsRealOnes: the dependence on the delay comes
// from the phase of the sync loop alone, and no constant of the simulation was
// taken from the measurement.
func TestSimulatedServersAreAsSilentAsRealOnes(t *testing.T) {
	const runs = 4000
	for _, m := range measurements(t) {
		q := newQuietWatch(t, sim.Timed, m.Etcd, time.Duration(m.DelayMs)*time.Millisecond)
		silent := silence(t, q, runs)
		p := twoSided(m.Silent, m.Runs, float64(silent)/runs)
		t.Logf("etcd %s, first request after %3d ms: measured %d of %d silent, simulated %d of %d, p = %.3g", m.Etcd, m.DelayMs, m.Silent, m.Runs, silent, runs, p)
		require.Greater(t, p, 0.001)
	}
}

// TestSilenceIsNotAlwaysAndNotNever: what the test above compares is not a
// matter of yes and no, so it can fail.
func TestSilenceIsNotAlwaysAndNotNever(t *testing.T) {
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
// schedules and is silent in others, as long as the sync loop fires at all; the
// others always answer.
func TestUntimedServersCanDoWhatRealOnesDo(t *testing.T) {
	for _, c := range []struct {
		version           string
		answers, isSilent bool
	}{
		{"3.5.7", true, false}, {"3.5.12", true, true},
	} {
		silent := silence(t, newQuietWatch(t, sim.Untimed, c.version, 0), 500)
		require.Equal(t, c.answers, silent < 500, c.version)
		require.Equal(t, c.isSilent, silent > 0, c.version)
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
