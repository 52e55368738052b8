package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

func summarized(t *testing.T, name string, set ...string) *summary.Summary {
	t.Helper()
	sc, err := testbed.FindScenario(name)
	require.NoError(t, err)
	p := sc.Params
	for _, s := range set {
		k, v, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(k, v))
	}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	found, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 500})
	require.NoError(t, err)
	return summary.Of(sc, &p, found)
}

// TestJSONHasTheContractsFields holds the names that scripts rely on.
func TestJSONHasTheContractsFields(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, summarized(t, "issue-15220")))
	var got map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	for _, name := range []string{"scenario", "etcd", "cache", "strategy", "seeds", "schedules", "choices", "seconds", "violations", "campaignHash", "properties", "failures"} {
		require.Contains(t, got, name)
	}
	property := got["properties"].(map[string]any)["linearizable-data"].(map[string]any)
	require.Equal(t, "violated", property["verdict"])
	require.Greater(t, property["exercised"], 0.0)
	require.Contains(t, got["failures"].([]any)[0], "seed")
	require.Len(t, got["campaignHash"], 16)
}

func TestJUnit(t *testing.T) {
	bad, good := summarized(t, "issue-15220"), summarized(t, "issue-15220", "etcd=3.5.13")
	bad.Failures[0].Story = []string{"a <story> & more"}
	vacuous := summarized(t, "issue-15220", "readers=0")
	var b bytes.Buffer
	require.NoError(t, WriteJUnit(&b, []*summary.Summary{bad, good, vacuous}))
	var parsed junitSuites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &parsed))
	require.Len(t, parsed.Suites, 3)
	require.Equal(t, 2, parsed.Suites[0].Failures)
	require.Equal(t, "a <story> & more", strings.TrimSpace(parsed.Suites[0].Cases[0].Failure.Text))
	require.Zero(t, parsed.Suites[1].Failures+parsed.Suites[1].Errors)
	require.Equal(t, 2, parsed.Suites[2].Errors, "vacuous is not passed")
}

func TestSummaryText(t *testing.T) {
	var b bytes.Buffer
	s := summarized(t, "issue-15220")
	s.Truncated, s.Interrupted = 3, true
	require.NoError(t, WriteSummary(&b, Terminal{Width: 40, Color: true}, s))
	for _, want := range []string{"violated", "checked", "cut off", "Interrupted", "\x1b["} {
		require.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, WriteSummary(&b, Terminal{Program: "mysim"}, s))
	require.NotContains(t, b.String(), "\x1b[")
	require.Contains(t, flat(b.String()), "One known race that every etcd release has is switched off here, so that it does not hide others: "+
		"Created of a new watch can be sent before older progress. `mysim run rewatch` shows it.")
	s.Failures[0].Story = []string{"told"}
	b.Reset()
	require.NoError(t, WriteSummary(&b, Terminal{}, s))
	require.NotContains(t, b.String(), "switched off", "the story has said it")
}

// flat is a text without line breaks.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestSummaryOfOneSchedule: one is not counted in the plural, and a rate of no time is
// left out.
func TestSummaryOfOneSchedule(t *testing.T) {
	s := &summary.Summary{
		Schedules: 1, FirstSeed: 12, Choices: 1, Rechecked: 1, Truncated: 1, Strategy: "portfolio",
		Claims: []string{"linearizable"}, Properties: map[string]summary.Property{"linearizable": {Verdict: "violated", Exercised: 1, Violations: 1}},
	}
	var b bytes.Buffer
	require.NoError(t, WriteSummary(&b, Terminal{Width: 500}, s))
	require.Contains(t, b.String(), "checked once, violated in 1 of 1 schedule\n")
	require.Contains(t, b.String(), "\n1 schedule (seed 12, strategy portfolio), 1 choice; 1 seed re-run: identical.")
	require.Contains(t, b.String(), "1 run was cut off before it ended: what held in it is unknown.")
	s.Schedules, s.Choices, s.Rechecked, s.Seconds = 1500, 3_000_000, 2, 2
	b.Reset()
	require.NoError(t, WriteSummary(&b, Terminal{Width: 500}, s))
	require.Contains(t, b.String(), "1,500 schedules (seeds 12 to 1511, strategy portfolio), 3,000,000 choices in 2.00 s, 1.5 million a second; 2 seeds re-run")
	s.Choices = 30_000
	b.Reset()
	require.NoError(t, WriteSummary(&b, Terminal{Width: 500}, s))
	require.Contains(t, b.String(), "30,000 choices in 2.00 s, 15,000 a second; 2 seeds re-run")
}

// TestSummaryFitsANarrowTerminal: no line is broken by the terminal, within a word.
func TestSummaryFitsANarrowTerminal(t *testing.T) {
	s := &summary.Summary{
		Scenario: "issue-15220-catching-up", Etcd: "3.5.7", Cache: "kep-2340", Schedules: 6000, Strategy: "portfolio",
		Claims:     []string{"linearizable-data"},
		Properties: map[string]summary.Property{"linearizable-data": {Verdict: "violated", Exercised: 12_496, Violations: 428}},
	}
	for _, width := range []int{40, 80} {
		var b bytes.Buffer
		require.NoError(t, WriteSummary(&b, Terminal{Width: width}, s))
		for _, line := range strings.Split(b.String(), "\n") {
			require.LessOrEqual(t, len(line), width, line)
		}
		require.Contains(t, flat(b.String()), "linearizable-data violated checked 12,496 times, violated in 428 of 6,000 schedules")
	}
	var b bytes.Buffer
	require.NoError(t, WriteSummary(&b, Terminal{}, s))
	require.Contains(t, b.String(), "\n  linearizable-data  violated  checked 12,496 times, violated in 428 of 6,000 schedules\n", "a line of its own in a pipe")
}
