package report

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// TestNothingIsFoldedIntoHolds: one answer that is not a yes makes the whole not
// a yes.
func TestNothingIsFoldedIntoHolds(t *testing.T) {
	for _, x := range []struct {
		verdicts []string
		want     string
	}{
		{[]string{"holds", "holds"}, "holds"},
		{[]string{"holds", "vacuous"}, "vacuous"},
		{[]string{"vacuous", "unknown", "holds"}, "unknown"},
		{[]string{"unknown", "holds", "violated", "vacuous"}, "violated"},
		{nil, "vacuous"},
	} {
		assert.Equal(t, x.want, worst(x.verdicts), "%v", x.verdicts)
	}
	half := &Cell{Interrupted: true, Safe: Question{Evidence: []Evidence{{Verdict: "holds"}}}}
	half.judge()
	assert.Equal(t, "unknown", half.Safe.Verdict, "the campaigns that are missing might have said no")
	assert.Equal(t, "vacuous", half.Live.Verdict)
	assert.Equal(t, model.Undecided, (&Matrix{Interrupted: true, Cells: []*Cell{{Safe: Question{Verdict: "holds"}, Live: Question{Verdict: "holds"}}}}).Verdict())
	assert.Equal(t, model.Vacuous, (&Matrix{}).Verdict())
}

func smallMatrix(t *testing.T, cfg MatrixConfig) *Matrix {
	t.Helper()
	cfg.Seeds = 60
	m, err := ExploreMatrix(t.Context(), cfg)
	require.NoError(t, err)
	return m
}

func TestMatrix(t *testing.T) {
	m := smallMatrix(t, MatrixConfig{Designs: []string{"kep-2340", "single-request", "stale"}, Versions: []string{"3.5.7", "3.6.16"}})
	require.Len(t, m.Cells, 6)
	want := []struct{ design, etcd, safe, live string }{
		{"kep-2340", "3.5.7", "no: missing-write", "yes"},
		{"kep-2340", "3.6.16", "yes", "yes"},
		{"single-request", "3.5.7", "no: missing-write", "yes"},
		{"single-request", "3.6.16", "yes", "no: timeout"},
		{"stale", "3.5.7", "no: missing-write", "yes"},
		{"stale", "3.6.16", "no: missing-write", "yes"},
	}
	for i, x := range want {
		c := m.Cells[i]
		assert.Equal(t, x.design, c.Design)
		assert.Equal(t, x.etcd, c.Etcd)
		assert.Equal(t, x.safe, c.Safe.word(), "%s on %s", x.design, x.etcd)
		assert.Equal(t, x.live, c.Live.word(), "%s on %s", x.design, x.etcd)
		assert.Len(t, c.Safe.Evidence, scenariosOfACell(), "every scenario has a claim of safety")
		assert.Len(t, c.Live.Evidence, len(matrixLiveness))
		assert.Len(t, c.Cost, len(MatrixCosts))
	}
	assert.Equal(t, model.Violated, m.Verdict())

	served := m.Cells[1].cost("cost-elsewhere")
	assert.InDelta(t, 1, served.RequestsPerList, 1e-9, "a consistent LIST reads etcd's revision")
	assert.Zero(t, served.BytesPerList, "which comes without data")
	assert.Equal(t, served.Lists, served.FromCache)
	assert.Greater(t, served.ProgressRequestsPerList, 0.)
	assert.Zero(t, m.Cells[5].cost("cost-elsewhere").RequestsPerList, "the stale cache asks nobody")

	var text, page, object bytes.Buffer
	require.NoError(t, m.WriteText(&text, Terminal{}))
	assert.Contains(t, text.String(), m.Cells[3].Live.failure().Command)
	require.NoError(t, WriteMatrixHTML(&page, m))
	assert.Contains(t, page.String(), "not live: timeout")
	require.NoError(t, m.WriteJSON(&object))
	var read Matrix
	require.NoError(t, json.Unmarshal(object.Bytes(), &read))
	assert.Equal(t, m, &read)
}

// TestMatrixDoesNotDependOnWorkers: all but the time is a function of the seeds.
func TestMatrixDoesNotDependOnWorkers(t *testing.T) {
	cfg := MatrixConfig{Designs: []string{"draft-2019"}, Versions: []string{"3.5.13"}, Workers: 1}
	one := smallMatrix(t, cfg)
	cfg.Workers = 3
	three := smallMatrix(t, cfg)
	one.Seconds, three.Seconds = 0, 0
	require.Equal(t, one, three)
}

func TestMatrixInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := ExploreMatrix(ctx, MatrixConfig{
		Designs: []string{"kep-2340", "direct"}, Versions: []string{"3.6.16"}, Seeds: 20,
		Progress: func(done, of int, _ string) {
			assert.Equal(t, 2*scenariosOfACell()+len(claims), of)
			if done == scenariosOfACell()+2 {
				cancel()
			}
		},
	})
	require.NoError(t, err)
	assert.True(t, m.Interrupted)
	require.Len(t, m.Cells, 2, "what was found is kept")
	assert.Equal(t, "yes", m.Cells[0].Safe.word())
	assert.True(t, m.Cells[1].Interrupted)
	assert.Equal(t, "unknown", m.Cells[1].Safe.word())
	assert.Equal(t, model.Undecided, m.Verdict())
	var page bytes.Buffer
	require.NoError(t, WriteMatrixHTML(&page, m))
}

// TestMetricsThatCostsAreReadFrom keeps the names in one package what they are in
// the other.
func TestMetricsThatCostsAreReadFrom(t *testing.T) {
	var all []explore.MetricTally
	for _, m := range sim.Metrics() {
		all = append(all, explore.MetricTally{Metric: m})
	}
	known := map[string]bool{}
	for i := range all {
		known[all[i].Metric.String()] = true
	}
	for _, name := range []string{
		"consistent_read_wait_seconds", "apiserver_watch_cache_read_wait_seconds", `apiserver_request_duration_seconds{verb="LIST"}`,
		"apiserver_cache_list_total", "etcd_progress_requests_total", "etcd_bookmark_total",
		`etcd_requests_total{operation="getCurrentResourceVersion"}`, `etcd_requests_total{operation="list",for="reflector"}`,
		`etcd_response_bytes_total{operation="list",for="client"}`,
	} {
		assert.True(t, known[name], name)
	}
}

// TestClaims says by hand which figures of the documents are borne out.
func TestClaims(t *testing.T) {
	x := &matrixExplorer{cfg: MatrixConfig{Seeds: 300}, of: len(claims)}
	want := []struct {
		document, where string
		borneOut        bool
	}{
		{"KEP-2340", "other resources are written", true},
		{"KEP-2340", "the resource and others are written", true},
		{"KEP-2340", "on etcd 3.5.12", false},
		{"KEP-2340", "50 ms to etcd, one way", false},
		{"draft of 2019", "the resource is not written", true},
		{"draft of 2019", "the resource is written twice a second", false},
		{"draft of 2019", "the resource is written 32 times a second", false},
		{"KEP-3157", "the resource is not written", false},
		{"KEP-3157", "the resource is written now and then", false},
		{"KEP-3157", "as shipped in v0.37.2", true},
	}
	require.Len(t, claims, len(want))
	for i := range claims {
		c, err := x.judge(t.Context(), &claims[i])
		require.NoError(t, err)
		assert.Equal(t, want[i].document, c.Document)
		assert.Equal(t, want[i].where, c.Where)
		assert.Equal(t, want[i].borneOut, c.BorneOut, "%s, %s: %s", c.Document, c.Where, c.Measured)
		assert.Contains(t, c.Command, "simrun run "+claims[i].scenario)
	}
}

// TestNothingMeasuredBearsNothingOut: a metric that has no values is no evidence.
func TestNothingMeasuredBearsNothingOut(t *testing.T) {
	for i := range claims {
		_, borneOut := claims[i].measured(nil)
		assert.False(t, borneOut, claims[i].says)
	}
}
