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
	c := &storyCase{scenario: sc, set: set}
	_, p := c.params(t)
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
	require.NoError(t, WriteSummary(&b, Terminal{}, s))
	require.NotContains(t, b.String(), "\x1b[")
}
