package command

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

type drawnJSON struct {
	Draws, CampaignHash string
	Schedules           uint64
	Settings            []string
	Unexpected          []string
	Failures            []struct {
		Property, Replay string
		Draw             *uint64
	}
}

func (c *simrun) drawn(code int, args ...string) (got drawnJSON) {
	c.t.Helper()
	require.Equal(c.t, code, c.run(append([]string{"run", "any-requests", "--json"}, args...)...), "%s%s", c.out, c.err)
	require.NoError(c.t, json.Unmarshal([]byte(c.out), &got))
	return got
}

func TestDrawsShareTheSeeds(t *testing.T) {
	c := command(t)
	got := c.drawn(0, "--draw", "5..24", "--seeds", "200", "--expect")
	require.Equal(t, "5..24", got.Draws)
	require.EqualValues(t, 200, got.Schedules)
	require.Equal(t, got.CampaignHash, c.drawn(0, "--draw", "5..24", "--seeds", "200", "--expect", "--workers", "1").CampaignHash)
	require.NotEqual(t, got.CampaignHash, c.drawn(0, "--draw", "6..25", "--seeds", "200", "--expect").CampaignHash)
	c.run("run", "any-requests", "--draw", "0..999999999999", "--for", "200ms", "--no-story")
	require.Regexp(t, `, draws 0 to \d{1,5}, `, c.out, "those that were looked at")
	one := c.drawn(exitNoVerdict, "--draw", "5", "--seeds", "1")
	require.Empty(t, one.Draws, "one draw is parameters like any others")
	require.NotEmpty(t, one.Settings)
}

// TestFailuresOfDrawsAreReplayed: the replay file of a failure names what was drawn, so
// that the run needs no draw.
func TestFailuresOfDrawsAreReplayed(t *testing.T) {
	c := command(t)
	got := c.drawn(exitViolated, "--draw", "0..19", "--seeds", "200", "--bug", "kubernetes-125584", "--no-story")
	require.NotEmpty(t, got.Failures)
	require.Equal(t, exitViolated, c.run("run", "any-requests", "--draw", "0..19", "--seeds", "200", "--bug", "kubernetes-125584", "--no-shrink"))
	told := regexp.MustCompile(`The draw: --draw (\d+) --seeds (\d+)\.\.(\d+)`).FindStringSubmatch(c.out)
	require.NotNil(t, told, c.out)
	require.NotEmpty(t, c.drawn(exitViolated, "--draw", told[1], "--seeds", told[2]+".."+told[3], "--bug", "kubernetes-125584", "--no-story").Failures, "the draw shows it again")
	for _, f := range got.Failures {
		require.NotNil(t, f.Draw)
		if f.Replay != "" {
			require.Equal(t, exitViolated, c.run("replay", f.Replay), c.err)
		}
	}
}
