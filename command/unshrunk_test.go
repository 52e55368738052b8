package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// TestFailuresAreKeptAsTheyAreFound: a campaign that is killed has lost nothing of what
// it had found, and what its lines name is there when it ends.
func TestFailuresAreKeptAsTheyAreFound(t *testing.T) {
	c := command(t)
	pattern := filepath.Join("simrun-failures", unshrunkDir, "*.json")
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() { ended <- c.runIn(ctx, "run", "issue-15220", "--for", "10m") }()
	var found []string
	require.Eventually(t, func() bool {
		found, _ = filepath.Glob(pattern)
		return len(found) > 0
	}, time.Minute, time.Millisecond, "the campaign goes on, and its first failure is on disk")
	whenKilled, err := os.ReadFile(found[0])
	require.NoError(t, err)
	interrupt()
	require.Equal(t, exitViolated, <-ended)
	named := regexp.MustCompile(`simrun-failures/\S+\.json`).FindAllString(c.out+c.err, -1)
	require.Greater(t, len(named), 2)
	for _, path := range named {
		require.FileExists(t, path)
	}

	require.NoError(t, os.WriteFile("killed.json", whenKilled, 0o600))
	require.Equal(t, exitViolated, c.run("replay", "killed.json"))
}

// TestAKilledCampaignLeavesNothingBehindTheNext: a campaign may be killed after it has made the
// folder and before there is a run in it.
func TestAKilledCampaignLeavesNothingBehindTheNext(t *testing.T) {
	c := command(t)
	dir := filepath.Join("simrun-failures", unshrunkDir)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.Equal(t, exitHolds, c.run("run", "consistent-list", "--seeds", "50"))
	require.NoDirExists(t, dir)
}

// TestARunUnshrunkGivesWayToAStory: two draws may fail in the same way, and an interrupt
// leave one of them without a smaller run.
func TestARunUnshrunkGivesWayToAStory(t *testing.T) {
	told, untold := explore.Failure{Property: "exact", Label: "old"}, explore.Failure{Property: "exact", Label: "new"}
	found := &summary.Summary{Failures: []summary.Failure{{Property: told.Property, Label: told.Label}, {Property: untold.Property, Label: untold.Label}}}
	found.Link(told, "why", []string{"story"}, 3, "small.json")
	first := &unshrunk{runs: []*foundRun{
		{FailureTally: campaign.FailureTally{Failure: told, FirstSeed: 8}, path: "unshrunk/a.json"},
		{FailureTally: campaign.FailureTally{Failure: untold, FirstSeed: 9}, path: "unshrunk/b.json"},
	}}
	first.link(found)
	require.Equal(t, "small.json", found.Failures[0].Replay)
	require.Equal(t, []string{"story"}, found.Failures[0].Story)
	require.Equal(t, "unshrunk/b.json", found.Failures[1].Replay)
}

// TestTheFirstStoryIsForSlowSchedulesOnATerminal: elsewhere it is a line, since what is printed there must not depend
// on a clock.
func TestTheFirstStoryIsForSlowSchedulesOnATerminal(t *testing.T) {
	c := command(t)
	rec, err := recording.Open(c.recorded())
	require.NoError(t, err)
	sc, err := testbed.FindScenario(rec.Scenario)
	require.NoError(t, err)
	failure, _ := rec.MadeFor()
	finder := &diagnosis.Finder{Scenario: sc}
	told := func(live bool, took time.Duration, times int) string {
		var out bytes.Buffer
		story := &firstStory{process: process{err: &out}, progress: &progress{w: &out, width: 80, live: live}}
		for range times {
			story.tell(&foundRun{FailureTally: campaign.FailureTally{Failure: failure}, finder: finder, recording: rec, took: took})
		}
		return out.String()
	}
	text := told(true, slowToRecord, 2)
	require.Equal(t, 1, strings.Count(text, "Unshrunk, seed"), "only the first")
	require.Contains(t, text, "is answered")
	require.Equal(t, 1, strings.Count(told(false, slowToRecord, 2), "\n"))
	require.Equal(t, told(false, slowToRecord, 1), told(false, 0, 1))
	require.Empty(t, told(true, slowToRecord-1, 1), "the story of the small run comes at once")
}

// TestTheFirstFailureIsSaidAtOnce: where there is no line of progress, the first failure is said before all else, and
// its run can be replayed from then on.
func TestTheFirstFailureIsSaidAtOnce(t *testing.T) {
	command(t)
	var out, before bytes.Buffer
	said := 0
	replayed := regexp.MustCompile("^simrun: (linearizable.*) is violated at seed \\d+; continuing, then shrinking. " +
		"Unshrunk replay: simrun replay (simrun-failures/unshrunk/.*)\n$")
	s := process{program: "simrun", in: strings.NewReader(""), out: &out, err: writerFunc(func(b []byte) (int, error) {
		said++
		before.Write(out.Bytes())
		found := replayed.FindSubmatch(b)
		require.NotNil(t, found, string(b))
		require.FileExists(t, string(found[2]))
		return len(b), nil
	})}
	require.Equal(t, exitViolated, run(context.Background(), []string{"run", "issue-15220", "--seeds", "102..102"}, s))
	require.Equal(t, 1, said)
	require.Empty(t, before.String())
	require.NotEmpty(t, out.String())
}

// TestShrinkingStopsAtAnInterrupt: that is what is said, and not that the time for it was used up.
func TestShrinkingStopsAtAnInterrupt(t *testing.T) {
	command(t)
	var said bytes.Buffer
	f := runFlags{seeds: "300", strategy: "portfolio"}
	f.workers, f.out = 1, "kept"
	x, err := f.plan(process{program: "simrun", out: io.Discard, err: &said}, "issue-15220")
	require.NoError(t, err)
	require.NoError(t, x.explore(t.Context()))
	said.Reset()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	require.NoError(t, x.diagnose(ctx))
	require.Regexp(t, "^simrun: shrinking stopped 10s after the interrupt; `simrun shrink kept/.*json` goes on\n$", said.String())
}
