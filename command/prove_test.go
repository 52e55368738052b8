package command

import (
	"context"
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
)

// small are the bounds of a proof that takes a second.
var small = []string{"--set", "writers=1", "--set", "writes=1", "--set", "readers=1", "--set", "reads=1", "--firings", "1"}

func proveSmall(args ...string) []string { return append(append([]string{"prove"}, args...), small...) }

func TestProveSaysWhatItCovered(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run(proveSmall("issue-15220", "--etcd", "3.6.16")...), c.err)
	for _, want := range []string{
		"proved within bounds", "writers=1", "fires at most once", "created=in-order",
		"It begins when the caches have listed and watch", "Cut: progress request period of cache", "linearizable-data  checked by", "probability",
	} {
		require.Contains(t, c.out, want)
	}
	require.NoDirExists(t, "simrun-failures")

	require.Zero(t, c.run(proveSmall("issue-15220", "--etcd", "3.6.16", "--json", "--html", "page.html")...), c.err)
	require.FileExists(t, "page.html")
	var p proof.Proof
	require.NoError(t, json.Unmarshal([]byte(c.out), &p))
	require.Equal(t, "proved", p.Verdict)
	require.Greater(t, p.Transitions, p.States)
	require.Empty(t, p.Failures)
	require.Equal(t, []string{"created=in-order"}, p.Masked)
}

// Where a search does not judge a claim, what it judges is not all: neither engine says that the scenario is proved.
func TestProofOfAPartOfTheClaimsIsNoVerdict(t *testing.T) {
	for _, r := range []struct {
		args  []string
		says  string
		exits int
	}{
		{[]string{"quiet-range", "--etcd", "3.5.13", "--firings", "0"}, "proved within bounds: no schedule violates what is claimed.", 0},
		{[]string{"quiet-range", "--etcd", "3.5.13", "--firings", "0", "--engine", "schedules"},
			"proved of 1 of 2 claims: within bounds, and a search of schedules does not judge answered; run explores that, too.", exitNoVerdict},
		{strings.Fields("quiet-get --etcd 3.5.13 --set noise-writes=1 --set readers=1 --set keys=1 --set items=1 --set network=0s --set scheduling=0s --set horizon=1s"),
			"proved of 2 of 4 claims: within bounds, and a search of states does not judge served-as-promised, needed-progress; run explores that, too.", exitNoVerdict},
	} {
		c := command(t)
		require.Equal(t, r.exits, c.run(append([]string{"prove"}, r.args...)...), c.err)
		require.Contains(t, strings.Join(strings.Fields(c.out), " "), r.says)
		require.Equal(t, r.exits, c.run(append([]string{"prove", "--json"}, r.args...)...), c.err)
		var p proof.Proof
		require.NoError(t, json.Unmarshal([]byte(c.out), &p))
		require.Equal(t, r.exits == exitNoVerdict, p.Partial)
		require.Equal(t, map[bool]string{true: "undecided", false: "proved"}[p.Partial], p.Verdict)
	}
}

func TestProveTellsAShortestSchedule(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run(proveSmall("issue-15220", "--etcd", "3.5.7", "--html", "page.html")...), c.err)
	for _, want := range []string{"takes from ctrlStream", "progress=control-queue", "this is a shortest schedule, of 20 steps, 14 to 33 of its run"} {
		require.Contains(t, c.out, want)
	}
	page, err := os.ReadFile("page.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "What was searched")
	c.replaysOneFailure()
}

func TestProveBySchedulesSaysWhatItCovered(t *testing.T) {
	c := command(t)
	unfired := func(args ...string) []string {
		all := append(proveSmall(args...), "--engine", "schedules")
		all[slices.Index(all, "--firings")+1] = "0"
		return all
	}
	require.Zero(t, c.run(unfired("issue-15220", "--etcd", "3.6.16")...), c.err)
	for _, want := range []string{"proved within bounds", "48 complete schedules, each of a class of its own", "would have fired once more in 48 schedules", "checked by 3 schedules"} {
		require.Contains(t, c.out, want)
	}
	require.NotContains(t, c.out, "probability")

	require.Zero(t, c.run(unfired("issue-15220", "--etcd", "3.6.16", "--json")...), c.err)
	var p proof.Proof
	require.NoError(t, json.Unmarshal([]byte(c.out), &p))
	require.Equal(t, "schedules", p.Engine)
	require.Equal(t, &proof.Schedules{Complete: 48, Classes: 48}, p.Schedules)

	require.Equal(t, exitViolated, c.run(proveSmall("issue-15220", "--etcd", "3.5.7", "--engine", "schedules")...), c.err)
	require.Contains(t, c.out, "this is the first schedule found that shows it")
	c.replaysOneFailure()

	require.Equal(t, exitNoVerdict, c.run("prove", "issue-15220", "--etcd", "3.6.16", "--engine", "schedules", "--for", "1ms"))
	require.Contains(t, c.out, "undecided: ")
}

func TestProveThatALimitEndsIsUndecided(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("prove", "issue-15220", "--etcd", "3.6.16", "--states", "1000"))
	require.Contains(t, c.out, "undecided: ")
	require.Contains(t, c.out, "were found and not expanded")

	require.Equal(t, exitNoVerdict, c.run("prove", "issue-15220", "--etcd", "3.6.16", "--set", "readers=0", "--set", "writers=1", "--set", "writes=1"))
	require.Contains(t, c.out, "vacuous")
}

// A search that is kept goes on with the command that it says, and comes to the same.
func TestProveGoesOn(t *testing.T) {
	c := command(t)
	of := func(more ...string) []string { return append(proveSmall("issue-15220", "--etcd", "3.6.16"), more...) }
	require.Equal(t, exitNoVerdict, c.run(of("--states", "50")...))
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "it begins anew, unless --keep DIR keeps it")
	require.Equal(t, exitNoVerdict, c.run(of("--states", "50", "--keep", "my search")...))
	goOn := "simrun prove issue-15220 --etcd 3.6.16 --set writers=1 --set writes=1 --set readers=1 --set reads=1 --firings 1 --states 50 --keep 'my search'"
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "with: "+goOn)

	var once, often proof.Proof
	require.Zero(t, c.run(of("--json")...), c.err)
	require.NoError(t, json.Unmarshal([]byte(c.out), &once))
	require.Zero(t, c.run(of("--json", "--keep", "my search")...), c.err)
	require.NoError(t, json.Unmarshal([]byte(c.out), &often))
	require.Positive(t, often.Resumed)
	require.NotEmpty(t, once.Situations)
	require.Empty(t, often.Situations, "those of the steps before are not kept")
	often.Seconds, often.Bytes, often.Resumed, often.Situations = once.Seconds, once.Bytes, 0, once.Situations
	require.Equal(t, once, often)

	c.refuses([]string{"my search keeps another search: it has etcd=3.6.16, and this one etcd=3.5.7: give another directory"}, proveSmall("issue-15220", "--etcd", "3.5.7", "--keep", "my search")...)
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	c.refuses([]string{"cannot open file, where the search is kept"}, of("--keep", "file")...)
}

// quietTimed are the bounds of a timed proof that takes a second. A horizon belongs at its end.
var quietTimed = []string{
	"prove", "issue-17507", "--set", "noise-writes=1", "--set", "readers=1", "--set", "reads=1", "--set", "items=1", "--set", "keys=1",
	"--set", "network=0s", "--set", "scheduling=0s", "--set",
}

func TestProveOfTimedRunsSaysWhatItCovered(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run(append(quietTimed, "horizon=1s", "--etcd", "3.5.13")...), c.err)
	for _, want := range []string{
		"proved within bounds", "Virtual time: 1s.", "Messages and loops take no time", "phase of syncWatchersLoop (of 100)", "think (of 41)",
		"answers-in-time  checked by", "answers-in-time: within 300ms (", "2 polls of 100ms",
	} {
		require.Contains(t, c.out, want)
	}
	require.NotContains(t, c.out, "the time was over")
	require.NotContains(t, c.out, "fires")

	require.Zero(t, c.run(append(quietTimed, "horizon=350ms", "--etcd", "3.5.13", "--json")...), c.err)
	var p proof.Proof
	require.NoError(t, json.Unmarshal([]byte(c.out), &p))
	require.Equal(t, "proved", p.Verdict)
	require.Equal(t, "350ms", p.Bounds.Clock.Horizon)
	require.Equal(t, "300ms", p.Bounds.Clock.Within["answers-in-time"].Total)
	require.Contains(t, p.Bounds.Clock.Within["answers-in-time"].Derivation, "2 polls of 100ms")
	require.Equal(t, 2, p.Bounds.Answers)
	require.Contains(t, p.Bounds.Spread, proof.Spread{Question: "think", Answers: 41, Looked: 2})
	require.Positive(t, p.CutStates)
	require.Empty(t, p.Cut)

	// A horizon in which not all is done is said.
	require.Zero(t, c.run(append(quietTimed, "horizon=350ms", "--etcd", "3.5.13")...), c.err)
	require.Contains(t, c.out, "the time was over, and a client was not done")
}

// The clients of this scenario draw their plans when they start.
func TestProveOfAStartWithTooManyQuestionsIsUndecided(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("prove", "lease-times"), c.err)
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "undecided: a step, or the start of a run, asks questions with more than 4194304 combinations of answers.")
	require.Contains(t, c.out, "0 states, 0 transitions, depth 0")
}

func TestProveOfTimedRunsTellsAShortestSchedule(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run(append(quietTimed, "horizon=1s", "--html", "page.html")...), c.err)
	for _, want := range []string{"still waits after", "within 300ms", "progress=deferred", "this is a shortest schedule, of 35 steps"} {
		require.Contains(t, c.out, want)
	}
	require.FileExists(t, "page.html")
	c.replaysOneFailure()
}

// The design sends a new id with each progress request, so that no state comes again.
func TestProveSaysWhichBoundIsMissing(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("prove", "quiet-range", "--cache", "progress-echo", "--firings", "0"), c.err)
	require.Contains(t, strings.Join(strings.Fields(c.out), " "), "undecided: the bounds leave states without end: progress request period of cache has fired at rest again and again, each time in a new state; --depth N ends schedules after N steps.")
}

func TestProgressSaysWhatIsLeftOfTheDepth(t *testing.T) {
	at := prove.Progress{States: 3000, Depth: 7, Expanded: 1000, Done: 400, Layer: 900, Next: 650, Bytes: 5 << 20, Elapsed: 10 * time.Second}
	require.Equal(t, "3000 states, 300 a second; depth 7: 400 of 900, 5s left of it; next depth: 650 so far; 5 MB", searched(at))
}

func TestProveRefusesWhatItCannotSearch(t *testing.T) {
	c := command(t)
	c.refuses([]string{"which scenario?"}, "prove")
	c.refuses([]string{"unknown scenario", "nosuch"}, "prove", "nosuch")
	c.refuses([]string{"--firings is for runs without a clock", "horizon=20s"}, "prove", "issue-17507", "--firings", "1")
	c.refuses([]string{"needs a horizon", "horizon=20s"}, "prove", "issue-15220", "--set", "mode=timed")
	c.refuses([]string{"horizon=200ms", "within 316ms", "horizon=632ms"}, "prove", "issue-17507", "--set", "noise-writes=1", "--set", "horizon=200ms")
	c.refuses([]string{"--engine schedules", "timed", "mode=untimed"}, "prove", "issue-17507", "--engine", "schedules")
	c.refuses([]string{"--answers 1: want 2"}, "prove", "issue-15220", "--answers", "1")
	c.refuses([]string{"--firings -1"}, "prove", "issue-15220", "--firings", "-1")
	c.refuses([]string{"--states 0: want a number from 1 on"}, "prove", "issue-15220", "--states", "0")
	c.refuses([]string{"--depth 0: want a number from 1 on"}, "prove", "issue-15220", "--depth", "0")
	c.refuses([]string{"--memory 0"}, "prove", "issue-15220", "--memory", "0")
	c.refuses([]string{"--workers 0"}, "prove", "issue-15220", "--workers", "0")
	c.refuses([]string{"unknown engine", "states or schedules"}, "prove", "issue-15220", "--engine", "nosuch")
	for _, limit := range []string{"--depth", "--answers", "--states", "--memory", "--workers", "--keep"} {
		c.refuses([]string{limit + " is for --engine states"}, "prove", "issue-15220", "--engine", "schedules", limit, "1")
	}
	c.refuses([]string{"unknown bug"}, "prove", "issue-15220", "--bug", "nosuch")
}

// The start of a timed run may have millions of answers. A search that is interrupted does not go through the rest of them.
func TestProveIsInterruptedInTheMiddleOfAStart(t *testing.T) {
	c := command(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "prove", "memory-fallback"), c.err)
	require.Contains(t, c.out, "it was interrupted")
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestARunThatFailsInSeveralWaysIsToldOnce: they come to light in one step, and have one cause.
func TestARunThatFailsInSeveralWaysIsToldOnce(t *testing.T) {
	c := command(t)
	args := []string{"prove", "etcd-errors", "--bug", "client-repeats-writes", "--firings", "1"}
	for _, set := range strings.Fields("writers=1 writes=1 readers=1 reads=1 client-kv=false txns=false deletes=false gets=0 watchers=0 keys=1 items=0 history=0 timeouts=1 overloads=0 leader-changes=0 at-rest=true") {
		args = append(args, "--set", set)
	}
	require.Equal(t, exitViolated, c.run(args...), c.err)
	require.Equal(t, 1, strings.Count(c.out, "Replay: simrun replay "))
	require.Len(t, c.failures(), 1)
	_, others, _ := strings.Cut(c.out, "Other ways to fail:\n")
	others, _, _ = strings.Cut(others, "\n\n")
	require.Equal(t, "  linearizable-data (skipped-revision): in the run that is told\n  sequential (skipped-revision): in the run that is told", others)

	require.Equal(t, exitViolated, c.run(append(args, "--json")...), c.err)
	var found struct {
		Failures []struct {
			Property, Replay string
			Story            []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.out), &found))
	require.Len(t, found.Failures, 3)
	for _, f := range found.Failures {
		require.NotEmpty(t, f.Replay, f.Property)
		require.Equal(t, found.Failures[0].Story[0], f.Story[0], "%s: the same steps", f.Property)
	}
}

// TestLittleMemoryIsNotThatOfTheProcess: a limit below what is in use already would have the collector run all the time.
func TestLittleMemoryIsNotThatOfTheProcess(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	restore := holdGarbage(1)
	limit := debug.SetMemoryLimit(-1)
	restore()
	require.Greater(t, limit, inUse()+8<<20)
	require.Equal(t, before, debug.SetMemoryLimit(-1))
}

// TestASearchThatEndsEarlySaysHowToMakeItSmall: by options that fit, and by a world that was searched to its end.
func TestASearchThatEndsEarlySaysHowToMakeItSmall(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("prove", "issue-15220", "--etcd", "3.6.16", "--states", "100"))
	text := strings.Join(strings.Fields(c.out), " ")
	require.Contains(t, text, "These make the world smaller: --firings 0, --set writers=1 (not 2), ")
	require.Regexp(t, `A small world of this scenario has [\d,]+ states on etcd 3\.6\.16 with kep-2340\. This makes yours as\n  small:\n  simrun prove issue-15220 .*--set .* --firings \d\n`, c.out)
	require.Equal(t, exitNoVerdict, c.run("prove", "issue-15220", "--states", "100", "--json"))
	require.NotContains(t, c.out, "smaller")
	require.Equal(t, exitViolated, c.run("prove", "quiet-range", "--etcd", "3.5.12", "--firings", "0"))
	require.NotContains(t, c.out, "smaller")
}
