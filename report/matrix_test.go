package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
)

// twoCells is a matrix of one design: safe and live on one version, neither on
// the other, for which the campaigns of cost were not run any more.
func twoCells() *matrix.Matrix {
	evidence := func(scenario, property, label string, verdict model.Verdict) []*matrix.Run {
		c := &matrix.Claim{Property: property, Verdict: verdict, Exercised: 1234}
		if verdict == model.Violated {
			c.Violations = 56
			c.Ways = []matrix.Way{{Label: label, Seed: 7, Schedules: 56, Command: "simrun run " + scenario + " --seeds 7..7"}}
		}
		return []*matrix.Run{{Scenario: scenario, Schedules: 400, Claims: []*matrix.Claim{c}, Command: "simrun run " + scenario + " --seeds 0..399"}}
	}
	wait := &summary.Distribution{P50: 0.05, P99: 0.0999, Max: 0.1}
	cost := &matrix.Run{Scenario: matrix.Waiting, Cost: &matrix.Cost{Lists: 200, FromCache: 150, Wait: wait, RequestsPerList: 1, BytesPerList: 2500}}
	return &matrix.Matrix{
		Program: "simrun", Designs: []string{"kep-2340"}, Versions: []string{"3.6.16", "3.5.7"}, Schedules: 800, Seconds: 2,
		Cells: []*matrix.Cell{
			{
				Design: "kep-2340", Etcd: "3.6.16",
				Safe: matrix.Question{Verdict: model.Holds, Evidence: append(evidence("consistent-list", "linearizable", "", model.Holds), cost)},
				Live: matrix.Question{Verdict: model.Holds, Evidence: evidence("recovery", "answers-in-time", "", model.Holds)},
			},
			{
				Design: "kep-2340", Etcd: "3.5.7",
				Safe: matrix.Question{Verdict: model.Violated, Evidence: evidence("issue-15220", "linearizable", "missing-write", model.Violated)},
				Live: matrix.Question{Verdict: model.Violated, Evidence: evidence("issue-17507", "answers-in-time", "timeout", model.Violated)},
			},
		},
		Beyond: []matrix.Beyond{{
			Scenario: "rewatch", Properties: []string{"linearizable"}, Designs: []string{"kep-2340"}, Versions: []string{"3.6.16"},
			Because: []string{"the cache takes progress for that of its new watch"}, Command: "simrun run rewatch --etcd 3.6.16 --cache kep-2340",
		}},
	}
}

func TestMatrixText(t *testing.T) {
	m := twoCells()
	assert.Equal(t, "yes", answersOf(m.Cells[0])[0].Word)
	m.Cells[0].Masked = []string{"created"}
	assert.Equal(t, "yes, except race R1", answersOf(m.Cells[0])[0].Word)
	stale := m.Cells[1].Safe.Evidence[0].Claims[0]
	stale.Known, stale.Because = true, []string{"progress comes early (#15220)"}
	late := m.Cells[1].Live.Evidence[0]
	late.Claims = append(late.Claims, &matrix.Claim{Property: "recovers-in-time", Verdict: model.Violated, Exercised: 3, Violations: 2})
	var b bytes.Buffer
	require.NoError(t, WriteMatrix(&b, Terminal{Width: 400}, m))
	for _, want := range []string{
		"kep-2340  3.6.16  yes, except race R1  yes, except race R1 ", "99.9 ms     75%", "1.00  2.5 kB",
		"on 3.5.7: stale read (linearizable in 56 of 400 schedules): progress comes early (#15220)\n",
		"times out (answers-in-time in 56 of 400 schedules, the first of 2 properties): no reason is known; promised is: In the liveness phase every consistent read is served",
		"    simrun run issue-17507 --seeds 7..7\n", "busy p99  cached (busy)",
		"Race R1, of every release of etcd: Created of a new watch can be sent before older progress. `simrun run rewatch` shows it.\n",
		"800 schedules in 2.0 s. `simrun matrix --help` says what the columns mean.",
		"\n  rewatch. No verdict rests on these: ", "`simrun list NAME` says why",
	} {
		assert.Contains(t, b.String(), want)
	}
	m.Interrupted, m.Cells = true, m.Cells[:1]
	b.Reset()
	require.NoError(t, WriteMatrix(&b, Terminal{}, m))
	assert.Contains(t, b.String(), "Interrupted: 1 of 2 cells.")
}

// TestMatrixOfTooLittleTime: what was not measured is no number and no contradiction.
func TestMatrixOfTooLittleTime(t *testing.T) {
	m := twoCells()
	m.Cells = m.Cells[:1]
	m.Cells[0].Safe = matrix.Question{Verdict: model.VerdictUnknown, Evidence: []*matrix.Run{
		{Scenario: "issue-15220", Claims: []*matrix.Claim{{Verdict: model.VerdictUnknown}}}, {Scenario: matrix.Waiting, Cost: &matrix.Cost{}},
	}}
	var text, page bytes.Buffer
	require.NoError(t, WriteMatrix(&text, Terminal{Width: 400}, m))
	require.NoError(t, WriteMatrixHTML(&page, m))
	for _, b := range []string{text.String(), page.String()} {
		assert.Contains(t, b, "unknown")
		for _, wrong := range []string{"0.00", "0 B"} {
			assert.NotContains(t, b, wrong)
		}
	}
	assert.Contains(t, text.String(), "too few schedules: give it a longer --for, or more --seeds")
}

func TestMatrixPage(t *testing.T) {
	m := twoCells()
	var b bytes.Buffer
	require.NoError(t, WriteMatrixHTML(&b, m))
	for _, want := range []string{"not live: ", "not safe: ", "linearizable in 56 of 400 schedules", "none of 400 schedules", "with kep-2340 on 3.6.16: linearizable; the cache takes progress", "What a consistent LIST costs, on etcd 3.6.16"} {
		assert.Contains(t, b.String(), want)
	}
	b.Reset()
	m.Cells = m.Cells[:1]
	require.NoError(t, WriteMatrixHTML(&b, m))
	assert.Contains(t, b.String(), "not run")
}

func TestMatrixJSON(t *testing.T) {
	m := twoCells()
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, m))
	read := matrix.Matrix{Program: m.Program}
	require.NoError(t, json.Unmarshal(b.Bytes(), &read))
	assert.Equal(t, m, &read)
	var cells struct {
		Cells []struct {
			Design, Etcd string
			Safe, Live   struct{ Verdict string }
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &cells))
	assert.Equal(t, "violated", cells.Cells[1].Safe.Verdict, "the fields that scripts rely on")
	assert.Equal(t, "3.5.7", cells.Cells[1].Etcd)
}
