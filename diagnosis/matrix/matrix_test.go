package matrix

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	_ "github.com/watchbed/watchbed/scenarios"
	_ "github.com/watchbed/watchbed/scenarios/informers"
)

// TestCellHoldsOnlyIfAllCampaignsHold: a cell holds only if every campaign of it
// holds.
func TestCellHoldsOnlyIfAllCampaignsHold(t *testing.T) {
	half := &Cell{Interrupted: true, Safe: Question{Evidence: []*Run{{Claims: []*Claim{verdict(model.Holds)}}}}}
	half.judge()
	assert.Equal(t, model.VerdictUnknown, half.Safe.Verdict, "the campaigns that are missing might have said no")
	assert.Equal(t, model.Vacuous, half.Live.Verdict)
	assert.Equal(t, model.VerdictUnknown, (&Matrix{Interrupted: true, Cells: []*Cell{{Safe: Question{Verdict: model.Holds}, Live: Question{Verdict: model.Holds}}}}).Verdict())
	assert.Equal(t, model.Vacuous, (&Matrix{}).Verdict())
}

func smallMatrix(t *testing.T, cfg Config) *Matrix {
	t.Helper()
	cfg.Seeds = 60
	m, err := Explore(t.Context(), cfg)
	require.NoError(t, err)
	return m
}

// TestNoAnswerWithoutSchedules: where the time is over before a campaign begins, nothing is
// said of it, and every cell is there.
func TestNoAnswerWithoutSchedules(t *testing.T) {
	m, err := Explore(t.Context(), Config{Designs: []string{"kep-2340", "direct"}, Versions: []string{"3.5.7", "3.6.16"}, Campaigns: Campaigns{For: time.Nanosecond}})
	require.NoError(t, err)
	require.Len(t, m.Cells, 4)
	for _, c := range m.Cells {
		assert.Equal(t, model.VerdictUnknown, c.Safe.Verdict, "%s on %s", c.Design, c.Etcd)
		assert.Equal(t, model.VerdictUnknown, c.Live.Verdict, "%s on %s", c.Design, c.Etcd)
		assert.Nil(t, c.CostOf(Waiting))
	}
	assert.Equal(t, model.VerdictUnknown, m.Verdict())
	assert.True(t, m.CutShort())
	assert.Empty(t, m.Beyond, "no cell says yes")
}

// TestTooFewSchedulesSayNothing: a campaign that does not find what is known is no reason for a
// yes.
func TestTooFewSchedulesSayNothing(t *testing.T) {
	for _, x := range []struct {
		schedules     uint64
		known, rarely bool
		want          model.Verdict
	}{
		{3, false, false, model.Holds},
		{Seeds, true, false, model.VerdictUnknown},
		{60, true, true, model.VerdictUnknown},
		{Seeds, true, true, model.Holds},
	} {
		cell := &Cell{}
		cell.add(&Run{Scenario: "paged-lists", Schedules: x.schedules, Claims: []*Claim{{Property: "linearizable-data", Verdict: model.Holds, Known: x.known, Rarely: x.rarely}}})
		cell.judge()
		assert.Equal(t, x.want, cell.Safe.Verdict, "%+v", x)
		assert.Equal(t, model.Holds, cell.Safe.Evidence[0].Verdict(), "the campaign itself")
	}
}

// withoutFailure is what a small matrix says where nothing failed: what is known to fail
// rarely stays unknown.
func withoutFailure(q *Question) model.Verdict {
	if slices.ContainsFunc(q.Evidence, (*Run).TooFew) {
		return model.VerdictUnknown
	}
	return model.Holds
}

func TestMatrix(t *testing.T) {
	m := smallMatrix(t, Config{Designs: []string{"kep-2340", "single-request", "stale"}, Versions: []string{"3.5.7", "3.6.16"}})
	require.Len(t, m.Cells, 6)
	want := []struct{ design, etcd, safe, live string }{
		{"kep-2340", "3.5.7", "missing-write", ""},
		{"kep-2340", "3.6.16", "", ""},
		{"single-request", "3.5.7", "missing-write", "behind"}, // a watch that resumed behind early progress
		{"single-request", "3.6.16", "", "slow"},
		{"stale", "3.5.7", "missing-write", ""},
		{"stale", "3.6.16", "missing-write", ""},
	}
	for i, x := range want {
		c := m.Cells[i]
		assert.Equal(t, x.design, c.Design)
		assert.Equal(t, x.etcd, c.Etcd)
		for _, q := range []struct {
			*Question
			label string
		}{{&c.Safe, x.safe}, {&c.Live, x.live}} {
			e := q.Failing()
			if q.label == "" {
				assert.Nil(t, e, "%s on %s", x.design, x.etcd)
				assert.Equal(t, withoutFailure(q.Question), q.Verdict, "%s on %s", x.design, x.etcd)
				continue
			}
			if assert.NotNil(t, e, "%s on %s", x.design, x.etcd) {
				assert.Equal(t, q.label, e.Failing().Ways[0].Label, "%s on %s", x.design, x.etcd)
				assert.Equal(t, model.Violated, q.Verdict, "%s on %s", x.design, x.etcd)
			}
		}
		assert.GreaterOrEqual(t, len(c.Safe.Evidence), len(basis()), "every scenario of the basis has a claim of safety")
		assert.GreaterOrEqual(t, len(c.Live.Evidence), len(Liveness))
		for _, name := range Costs {
			assert.NotNil(t, c.CostOf(name), name)
		}
	}
	assert.Equal(t, model.Violated, m.Verdict())

	served := m.Cell("kep-2340", "3.6.16").CostOf(Waiting)
	assert.InDelta(t, 1, served.RequestsPerList, 1e-9, "a consistent LIST reads etcd's revision")
	assert.Zero(t, served.BytesPerList, "which comes without data")
	assert.Equal(t, served.Lists, served.FromCache)
	assert.Greater(t, served.ProgressRequestsPerList, 0.)
	assert.Zero(t, m.Cell("stale", "3.6.16").CostOf(Waiting).RequestsPerList, "the stale cache sends no request")
}

// TestScenariosThatTellDesignsApart: what is safe and live in the basis is a "no" if a
// scenario outside of it, in which the KEP's own design holds, is violated.
func TestScenariosThatTellDesignsApart(t *testing.T) {
	m := smallMatrix(t, Config{Designs: []string{"kep-2340", "progress-echo", "kep-2340-fallback", "dynamic-fallback", "kep-4988", "v0.37.2"}, Versions: []string{"3.6.16"}})
	for _, x := range []struct{ design, safe, live string }{
		{"kep-2340", "", ""},
		{"progress-echo", "lagging-member", "recovery"},
		{"kep-2340-fallback", "", "guard-cascade"},
		{"dynamic-fallback", "", "guard-cascade"},
		{"kep-4988", "", "guard-cascade"},
		{"v0.37.2", "object-writes", "guard-cascade"},
	} {
		c := m.Cell(x.design, "3.6.16")
		for _, q := range []struct {
			*Question
			scenario string
		}{{&c.Safe, x.safe}, {&c.Live, x.live}} {
			e := q.Failing()
			if q.scenario == "" {
				assert.Equal(t, withoutFailure(q.Question), q.Verdict, x.design)
				continue
			}
			if assert.NotNil(t, e, x.design) {
				assert.Equal(t, q.scenario, e.Scenario, x.design)
				assert.Equal(t, model.Violated, q.Verdict, x.design)
			}
		}
	}
}

// TestBeyond: what no design can help is named beside the verdicts, and not folded
// into them.
func TestBeyond(t *testing.T) {
	cfg := Config{Campaigns: Campaigns{Program: "simrun"}}
	cell := func(design, version string, verdict model.Verdict) *Cell {
		return &Cell{Design: design, Etcd: version, Safe: Question{Verdict: verdict}, Live: Question{Verdict: verdict}}
	}
	yes := func(design, version string) *Cell { return cell(design, version, model.Holds) }
	no := cell("kep-2340", "3.5.7", model.Violated)
	named := map[string]Beyond{}
	all, err := cfg.beyond(context.Background(), []*Cell{no, yes("kep-2340", "3.6.16"), yes("v0.37.2", "3.6.16")})
	require.NoError(t, err)
	for _, b := range all {
		named[b.Scenario] = b
		assert.NotEmpty(t, b.Because, b.Scenario)
		assert.Equal(t, []string{"3.6.16"}, b.Versions, "of 3.5.7 the verdict speaks")
	}
	rewatch := named["rewatch"]
	assert.Contains(t, rewatch.Properties, "linearizable")
	assert.Equal(t, []string{"kep-2340", "v0.37.2"}, rewatch.Designs)
	assert.Equal(t, "simrun run rewatch --etcd 3.6.16 --cache kep-2340", rewatch.Command)
	assert.Contains(t, named, "shared-stream", "a choice of the topology")
	assert.Contains(t, named, "guard-downgrade", "another version serves later")
	assert.Contains(t, named, "lost-event", "no network loses an event of a stream that lives on")
	assert.NotContains(t, named, "several-caches")
}

// TestVariants: the label of a column is also in the commands, as what they set.
func TestVariants(t *testing.T) {
	m := smallMatrix(t, Config{Campaigns: Campaigns{Program: "simrun"}, Designs: []string{"kep-2340", "kep-2340+progress-period=250ms", "kep-2340+block-timeout=10ms"}, Versions: []string{"3.6.16+sync-interval=50ms"}})
	require.Len(t, m.Cells, 3)
	plain, slow, hasty := m.Cells[0], m.Cells[1], m.Cells[2]
	assert.Equal(t, "kep-2340+progress-period=250ms", slow.Design)
	assert.Greater(t, slow.CostOf(Waiting).Wait.P99, 2*plain.CostOf(Waiting).Wait.P99, "a LIST waits for progress")
	assert.Less(t, slow.CostOf(Waiting).ProgressRequestsPerList, plain.CostOf(Waiting).ProgressRequestsPerList)
	assert.Equal(t, "simrun run cost-elsewhere --etcd 3.6.16 --cache kep-2340 --set sync-interval=50ms --set progress-period=250ms --strategy random --seeds 0..5", find(slow.Safe.Evidence, func(r *Run) bool { return r.Scenario == Waiting }).Command)
	assert.Nil(t, slow.Live.Failing(), "the bound follows the period")
	no := hasty.Live.Failing()
	require.NotNil(t, no, "a LIST gives up before progress comes")
	assert.Equal(t, "timeout", no.Failing().Ways[0].Label)
	assert.Contains(t, no.Again(), " --etcd 3.6.16 --cache kep-2340 --set sync-interval=50ms --set block-timeout=10ms --seeds ")
}

// TestInterruptEndsPlanning: what is asked of each cell is found out before the first
// campaign, and what is known beside the verdicts after the last. Both take seconds if there
// are many cells.
func TestInterruptEndsPlanning(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cfg := Config{Designs: []string{"kep-2340"}, Versions: []string{"3.6.16"}, Campaigns: Campaigns{Progress: func(int, int, string) { t.Error("a campaign was begun") }}}
	_, err := cfg.plans(ctx)
	require.ErrorIs(t, err, errInterrupted)
	_, err = cfg.beyond(ctx, []*Cell{{Design: "kep-2340", Etcd: "3.6.16"}})
	require.ErrorIs(t, err, errInterrupted)
	m, err := Explore(ctx, cfg)
	require.NoError(t, err)
	require.True(t, m.Interrupted)
	require.Empty(t, m.Cells)
}

// TestVersionsThatBehaveAlike: one cell speaks of both, and says what each alone would.
func TestVersionsThatBehaveAlike(t *testing.T) {
	cfg := Config{Designs: []string{"v0.37.2"}, Versions: []string{"3.7.0", "3.5.7", "3.7.3", "3.7.3+sync-interval=50ms"}}
	plans, err := cfg.plans(context.Background())
	require.NoError(t, err)
	require.Len(t, plans, 3)
	assert.Equal(t, []string{"3.7.3"}, plans[0].also)
	assert.Empty(t, plans[1].also, "3.5.7 has bugs")
	assert.Empty(t, plans[2].also, "a variant")

	alone := func(version string) *Cell {
		m := smallMatrix(t, Config{Designs: cfg.Designs, Versions: []string{version}})
		require.Len(t, m.Cells, 1)
		c := m.Cells[0]
		for _, r := range slices.Concat(c.Safe.Evidence, c.Live.Evidence) {
			r.Command, r.CampaignHash = "", 0 // both have the name of the version
			for _, claim := range r.Claims {
				for i := range claim.Ways {
					claim.Ways[i].Command = ""
				}
			}
		}
		c.Etcd = ""
		return c
	}
	assert.Equal(t, alone("3.7.0"), alone("3.7.3"))
	m := &Matrix{Cells: []*Cell{{Design: "v0.37.2", Etcd: "3.7.0", Alike: []string{"3.7.3"}}}}
	assert.Equal(t, m.Cells[0], m.Cell("v0.37.2", "3.7.3"))
}

// TestMatrixDoesNotDependOnWorkers: all but the time is a function of the seeds.
func TestMatrixDoesNotDependOnWorkers(t *testing.T) {
	cfg := Config{Designs: []string{"draft-2019"}, Versions: []string{"3.5.13"}, Campaigns: Campaigns{Workers: 1}}
	one := smallMatrix(t, cfg)
	cfg.Workers = 3
	three := smallMatrix(t, cfg)
	one.Seconds, three.Seconds = 0, 0
	require.Equal(t, one, three)
}

func TestMatrixInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := Explore(ctx, Config{
		Designs: []string{"kep-2340", "direct"}, Versions: []string{"3.6.16"},
		Campaigns: Campaigns{Seeds: 20, Progress: func(done, total int, _ string) {
			assert.Greater(t, total, 2*len(basis()), "direct has a scenario more")
			if done == len(basis())+2 {
				cancel()
			}
		}},
	})
	require.NoError(t, err)
	assert.True(t, m.Interrupted)
	require.Len(t, m.Cells, 2, "what was found is kept")
	assert.Equal(t, model.Holds, m.Cells[0].Safe.Verdict)
	assert.True(t, m.Cells[1].Interrupted)
	assert.Equal(t, model.VerdictUnknown, m.Cells[1].Safe.Verdict)
	assert.Equal(t, model.VerdictUnknown, m.Verdict())
}

// TestMetricsOfCosts holds the names that costs are read from to those that the
// nodes register.
func TestMetricsOfCosts(t *testing.T) {
	registered := map[string]bool{}
	for _, m := range metric.All() {
		registered[m.String()] = true
	}
	for _, name := range []string{
		"consistent_read_wait_seconds", "apiserver_watch_cache_read_wait_seconds", `apiserver_request_duration_seconds{verb="LIST"}`,
		"apiserver_cache_list_total", "etcd_progress_requests_total", "etcd_bookmark_total",
		`etcd_requests_total{operation="getCurrentResourceVersion"}`, `etcd_requests_total{operation="list",for="reflector"}`,
		`etcd_response_bytes_total{operation="list",for="client"}`,
		"write_duration_seconds", "write_attempts_total", `etcd_response_bytes_total{operation="txn",for="write"}`,
	} {
		assert.True(t, registered[name], name)
	}
}
