package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

// simrun runs the command in an empty directory of its own.
type simrun struct {
	t        *testing.T
	dir      string
	program  string
	in       string
	out, err string
}

func command(t *testing.T) *simrun {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return &simrun{t: t, dir: dir, program: "simrun"}
}

func (c *simrun) run(args ...string) int { return c.runIn(context.Background(), args...) }

func (c *simrun) runIn(ctx context.Context, args ...string) int {
	var out, err bytes.Buffer
	code := run(ctx, args, process{program: c.program, in: strings.NewReader(c.in), out: &out, err: &err})
	c.out, c.err = out.String(), err.String()
	return code
}

// refuses wants exit code 2, nothing on standard output, and one line with these
// words on standard error.
func (c *simrun) refuses(words []string, args ...string) {
	c.t.Helper()
	require.Equal(c.t, exitUsage, c.run(args...), "%v: %s%s", args, c.out, c.err)
	require.Empty(c.t, c.out, args)
	require.Equal(c.t, 1, strings.Count(c.err, "\n"), "%v: %q", args, c.err)
	require.True(c.t, strings.HasPrefix(c.err, "simrun: "), c.err)
	for _, w := range words {
		require.Contains(c.t, c.err, w, args)
	}
}

func (c *simrun) failures() []string {
	files, err := filepath.Glob(filepath.Join(c.dir, "simrun-failures", "*"))
	require.NoError(c.t, err)
	return files
}

// replaysOneFailure: one replay file was written, and it replays.
func (c *simrun) replaysOneFailure() {
	files := c.failures()
	require.Len(c.t, files, 1)
	require.Equal(c.t, exitViolated, c.run("replay", files[0]))
	require.Contains(c.t, c.out, "The same run to the bit")
}

// kept are the replay files of issue-15220, by their names, and what the run printed.
var (
	kept             = map[string][]byte{}
	keptOut, keptErr string
)

// recorded is found, run and explained once for all tests that need not run it themselves.
func (c *simrun) recorded() string {
	c.t.Helper()
	if len(kept) == 0 {
		c.found()
		keptOut, keptErr = c.out, c.err
		for _, file := range c.failures() {
			content, err := os.ReadFile(file)
			require.NoError(c.t, err)
			kept[filepath.Base(file)] = content
		}
	}
	require.NoError(c.t, os.MkdirAll("simrun-failures", 0o755))
	for name, content := range kept {
		require.NoError(c.t, os.WriteFile(filepath.Join("simrun-failures", name), content, 0o644))
	}
	c.out, c.err = keptOut, keptErr
	return c.ofLostData()
}

// found runs issue-15220 and returns the replay file of the first story.
func (c *simrun) found() string {
	c.t.Helper()
	require.Equal(c.t, exitViolated, c.run("run", "issue-15220", "--seeds", "300"))
	return c.ofLostData()
}

func (c *simrun) ofLostData() string {
	c.t.Helper()
	files := c.failures()
	require.NotEmpty(c.t, files)
	for _, f := range files {
		if strings.Contains(f, "linearizable-data") {
			return f
		}
	}
	return files[0]
}

func TestRunFindsAndReplays(t *testing.T) {
	c := command(t)
	file := c.recorded()
	for _, want := range []string{"takes from ctrlStream, while", "progress=control-queue", "Replay: simrun replay simrun-failures", "linearizable (missing-write): in the run that is told", "Campaign hash", "violated"} {
		require.Contains(t, strings.Join(strings.Fields(c.out), " "), want)
	}
	require.Regexp(t, "^simrun: .* is violated at seed .*\n$", c.err)

	require.Equal(t, exitViolated, c.run("replay", file))
	require.Contains(t, c.out, "The same run to the bit")
	require.Contains(t, c.out, "linearizable-data is violated", "the one that the file is named after")
	require.Contains(t, c.out, "It should show")
}

var update = flag.Bool("update", false, "rewrite what the README shows of simrun's output")

// TestREADMEShowsWhatSimrunPrints holds the README to its word: the story of its
// first command, and if tests have their full size what the second version comes to, and the
// matrix. With -update it rewrites them.
func TestREADMEShowsWhatSimrunPrints(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	c := command(t)
	text := string(readme)

	if *update || testsize.Full() {
		require.Equal(t, exitViolated, c.run("run", "issue-15220", "--etcd", "3.5.7"))
	} else {
		c.recorded()
	}
	story, _, found := strings.Cut(c.out, "One known race")
	require.True(t, found)
	text = withBlock(t, text, "The first one says:", story)

	if *update || testsize.Full() {
		require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.13"))
		_, held, _ := strings.Cut(c.out, "\n\n")
		held, _, _ = strings.Cut(held, "\n\n")
		text = withBlock(t, text, "With `--etcd 3.5.13` the same scenario holds:", held)

		args := []string{"matrix", "--designs", "kep-2340,draft-2019,v0.37.2", "--etcd", "3.5.7,3.5.12,3.6.16"}
		c.run(args...)
		table, _, found := strings.Cut(c.out, "\n\nEach \"no\"")
		require.True(t, found)
		text = withBlock(t, text, "    go run ./cmd/simrun "+strings.Join(args, " "), table)
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	require.Equal(t, string(readme), text, "go test ./command -run README -update rewrites it")
}

// withBlock replaces the indented block below a line.
func withBlock(t *testing.T, text, line, block string) string {
	t.Helper()
	before, after, found := strings.Cut(text, line+"\n\n")
	require.True(t, found, line)
	end := 0
	for _, l := range strings.SplitAfter(after, "\n") {
		if l != "\n" && !strings.HasPrefix(l, "    ") {
			break
		}
		end += len(l)
	}
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimRight(block, "\n"), "\n") {
		if l != "" {
			b.WriteString("    " + l)
		}
		b.WriteString("\n")
	}
	return before + line + "\n\n" + b.String() + "\n" + after[end:]
}

func TestRunHolds(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.13", "--seeds", "300"))
	require.Contains(t, c.out, "holds")
	require.Empty(t, c.failures())
	require.NoDirExists(t, "simrun-failures")
}

// TestListOfOneScenario says what a scenario is about, and what is known of it.
func TestListOfOneScenario(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("list", "rewatch"))
	require.Contains(t, c.out, "watch id -1")
	require.Contains(t, c.out, "claims: bookmarkable")
	require.Contains(t, c.out, "known to be violated with these parameters:\n")
	require.Contains(t, c.out, "etcd=3.6.16")
	require.Zero(t, c.run("list", "rewatch", "--json"))
	require.Contains(t, c.out, `"expectedViolations": [`)
	require.Equal(t, exitUsage, c.run("list", "no-such-scenario"))
}

// TestBugThatChangesNothing is refused: "holds" would be misread.
func TestBugThatChangesNothing(t *testing.T) {
	c := command(t)
	require.Equal(t, exitUsage, c.run("run", "consistent-list", "--bug", "issue-20221"))
	require.Contains(t, c.err, "--bug issue-20221 changes nothing")
	require.Zero(t, c.run("run", "consistent-list", "--set", "progress=dropped", "--seeds", "20"), "an option may be set to the value that it has")
}

// TestASettingThatChangesNothing is told in one line, before the run if the scenario has it already, and after it if schedules are
// the same without it.
func TestASettingThatChangesNothing(t *testing.T) {
	c := command(t)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--set", "progress=dropped"}, "--set progress=dropped changes nothing: consistent-list on etcd 3.5.13 with the cache design kep-2340 has it already"},
		{[]string{"--set", "writers=2"}, "--set writers=2 changes nothing: consistent-list on etcd 3.5.13 with the cache design kep-2340 has it already"},
		{[]string{"--set", "ring=9", "--cache", "direct"}, "--set ring=9 changes nothing here: without it the first 20 schedules are the same to the bit"},
		{[]string{"--set", "writers=1"}, ""},
		{[]string{"--set", "members=3.5.7", "--set", "failovers=1", "--set", "progress=dropped"}, ""},
	} {
		c.run(append([]string{"run", "consistent-list", "--seeds", "20", "--no-story"}, test.args...)...)
		want := ""
		if test.says != "" {
			want = "simrun: " + test.says + "\n"
		}
		require.Equal(t, want, c.err, test.args)
	}
	c.run("run", "any-requests", "--seeds", "1", "--no-story", "--draw", "0..3", "--set", "keys=2")
	require.NotContains(t, c.err, "changes nothing", "each draw has something else already")
	require.Equal(t, exitNoVerdict, c.run("prove", "consistent-list", "--set", "writers=2", "--depth", "1"))
	require.Contains(t, c.err, "--set writers=2 changes nothing: consistent-list on etcd 3.5.13")
	c.run("replay", c.recorded(), "--loose", "--set", "writers=2")
	require.Contains(t, c.err, "--set writers=2 changes nothing: the recording on etcd 3.5.7")
}

// TestABugWithoutAScenario runs where the bug shows, and says in one line why there.
func TestABugWithoutAScenario(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "--bug", "kubernetes-58545", "--no-shrink", "--seeds", "300"))
	require.Contains(t, c.out, "resumed-watch on etcd 3.6.16 with the cache design kep-2340: ordered is violated")
	require.Regexp(t, `^simrun: the scenario is resumed-watch: kubernetes-58545 shows there by ordered \(median \d+ schedules, within \d+ in 95 of 100 campaigns\)\nsimrun: .* is violated at seed .*\n$`, c.err)

	require.NotEqual(t, exitUsage, c.run("run", "--bug", "kubernetes-116122", "--seeds", "1", "--json"))
	require.Contains(t, c.out, `"strategy": "pos"`)
	require.Contains(t, c.err, "; the strategy is pos\n")
	require.NotEqual(t, exitUsage, c.run("run", "--bug", "kubernetes-116122", "--seeds", "1", "--json", "--strategy", "random"))
	require.Contains(t, c.out, `"strategy": "random"`)

	require.Equal(t, exitViolated, c.run("run", "--bug", "issue-20693", "--etcd", "3.5.7", "--seeds", "300", "--no-story", "--json"))
	require.Contains(t, c.err, "and etcd 3.5.7 with the cache design kep-2340 has it anyway")
	require.Contains(t, c.out, `"scenario": "negative-watch"`)

	c.refuses([]string{"--bug: which scenario? none is known to show all", "issue-15220 in consistent-list"}, "run", "--bug", "issue-15220", "--bug", "kubernetes-58545")
	c.refuses([]string{"unknown bug", "issue-17507"}, "run", "--bug", "issue-17508")
	c.refuses([]string{"unknown bug", `did you mean "kubernetes-136509"?`}, "run", "--bug", "#136509")
	c.refuses([]string{"informer-removed-handlers=5", "there are 4 handlers"}, "run", "informer-handlers", "--set", "informer-removed-handlers=5")
	c.refuses([]string{"at most 100 handlers"}, "run", "informer-handlers", "--set", "informer-handlers=100000")
	c.refuses([]string{"--etcd", "nearest is 3.7.3"}, "run", "--bug", "issue-15220", "--etcd", "3.9.1")
}

// TestASummarySaysWhatIsOtherwise: a result that is passed on says what was run.
func TestASummarySaysWhatIsOtherwise(t *testing.T) {
	c := command(t)
	c.run("run", "consistent-list", "--set", "defragment=true", "--set", "informers=1", "--set", "ring=7", "--seeds", "1")
	require.Contains(t, c.out, "Otherwise than in the scenario: informers=1, defragment=true.\n")
	c.run("run", "consistent-list", "--seeds", "1")
	require.NotContains(t, c.out, "Otherwise")
}

// TestABugThatCannotShowHere: the schedules with it and without it are compared.
func TestABugThatCannotShowHere(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.13", "--bug", "kubernetes-58545", "--seeds", "50"))
	require.Regexp(t, `^simrun: kubernetes-58545 changes nothing here: without it the first 50 schedules are the same to the bit; `+
		"`simrun run --bug kubernetes-58545` takes resumed-watch, where it shows \\(median .*\\)\\n$", c.err)

	// A bug that makes a difference which no claim is about.
	require.Zero(t, c.run("run", "every-read", "--bug", "kubernetes-123674", "--seeds", "100"))
	require.Contains(t, c.err, "kubernetes-123674 changes what happens here, and every-read does not claim answers-in-time, which finds it; `simrun run --bug kubernetes-123674` takes quiet-get")

	require.Equal(t, exitViolated, c.run("run", "consistent-list", "--bug", "kubernetes-58545", "--seeds", "200", "--no-story"))
	require.Empty(t, c.err, "no test looks for it here, and it is seen")
	require.Equal(t, exitViolated, c.run("run", "resumed-watch", "--bug", "kubernetes-58545", "--seeds", "200", "--no-story"))
	require.Empty(t, c.err)
}

func TestRunVacuous(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("run", "issue-15220", "--seeds", "20", "--set", "readers=0"))
	require.Contains(t, c.out, "vacuous")
}

func TestRunInterrupted(t *testing.T) {
	c := command(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "run", "issue-15220", "--etcd", "3.5.13"))
	require.Contains(t, c.out, "Interrupted before the first schedule had ended")
	require.Equal(t, exitNoVerdict, c.runIn(ctx, "run", "issue-15220", "--etcd", "3.5.13", "--expect"), "nothing is as expected that did not run")
	require.Equal(t, exitNoVerdict, c.run("run", "issue-15220", "--etcd", "3.5.13", "--for", "1ns", "--expect"))
	require.Contains(t, c.out, "cache design kep-2340\n\nNo schedule ended within the time that it had: there is no verdict. Give it more.\n")
	require.NotContains(t, c.out, "hash")
}

// A property may have changed since a run was recorded, although the run has not.
func TestReplayComparesVerdicts(t *testing.T) {
	c := command(t)
	file := c.recorded()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, change := range []struct{ old, new, says string }{
		{`"verdict": "violated"`, `"verdict": "holds"`, `is "holds", and the same run is now judged "violated"`},
		{`"property": "linearizable"`, `"property": "linear"`, "a verdict on linear, which the scenario does not claim"},
	} {
		changed := strings.Replace(string(content), change.old, change.new, 1)
		require.NotEqual(t, string(content), changed)
		require.NoError(t, os.WriteFile("changed.json", []byte(changed), 0o600))
		require.Equal(t, exitUsage, c.run("replay", "changed.json"))
		require.Contains(t, c.err, change.says)
	}
	require.Equal(t, exitViolated, c.run("replay", file, "--html", "/dev/full"), "the page is lost, the verdict is not")
	require.Contains(t, c.err, "cannot write --html /dev/full")
}

// TestRunIsTheSameEverywhere: the campaign hash is a function of the seeds.
func TestRunIsTheSameEverywhere(t *testing.T) {
	c := command(t)
	hash := func(args ...string) string {
		c.run(append([]string{"run", "consistent-list", "--json", "--seeds", "50..249", "--no-story"}, args...)...)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(c.out), &got), c.out)
		require.Equal(t, 200.0, got["seeds"])
		return got["campaignHash"].(string)
	}
	require.Equal(t, hash("--workers", "1"), hash("--workers", "3"))
	require.NotEqual(t, hash(), hash("--etcd", "3.5.7"))
}

func TestRunJSON(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--json"))
	var got struct {
		Scenario, Etcd, Cache, Strategy, CampaignHash string
		Properties                                    map[string]struct{ Verdict string }
		Failures                                      []struct {
			Property, Why, Replay string
			Story                 []string
			Choices               int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.out), &got), "one object and nothing else")
	require.Equal(t, "3.5.7", got.Etcd)
	require.Equal(t, "violated", got.Properties["linearizable-data"].Verdict)
	require.NotEmpty(t, got.Failures)
	reasons := map[string]bool{}
	for _, f := range got.Failures {
		require.FileExists(t, f.Replay)
		require.NotEmpty(t, f.Story)
		require.Positive(t, f.Choices)
		require.False(t, reasons[f.Why], "each failure has its own reason: %s", f.Why)
		reasons[f.Why] = true
		told := strings.Contains(f.Story[len(f.Story)-1], "decides")
		require.True(t, told || f.Story[len(f.Story)-1] == f.Why, "no cause is said of a failure for which it was not looked for")
	}
	require.Regexp(t, "^simrun: .* is violated at seed .*\n$", c.err)
}

func TestExpect(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("run", "issue-15220", "--seeds", "400", "--no-story", "--expect"), c.err)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.13", "--seeds", "100", "--expect"), c.err)
	// The bug violates linearizable-data, and linearizable as a further property.
	require.Zero(t, c.run("run", "namespaces", "--bug", "kubernetes-125584", "--seeds", "100", "--no-story", "--expect"), c.err)
	require.Contains(t, c.err, "linearizable: violated as expected: the same objects")
	// One schedule shows no violation that is expected in one of twenty.
	require.Equal(t, exitNoVerdict, c.run("run", "issue-15220", "--seeds", "1", "--strategy", "random", "--expect"))
	require.Contains(t, c.err, "linearizable-data: expected to be violated, and was not")
}

// TestReplayFilesAreNeverOverwritten: a second run of the same seeds leaves the
// files alone, and writes one of another name where a file was changed.
func TestReplayFilesAreNeverOverwritten(t *testing.T) {
	c := command(t)
	file := c.recorded()
	first := c.failures()
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o644))
	c.found()
	require.Subset(t, c.failures(), first)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(kept))
	require.Len(t, c.failures(), len(first)+1)
}

func TestAPageDoesNotOverwriteItsReplayFile(t *testing.T) {
	c := command(t)
	file := c.recorded()
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	c.refuses([]string{"--html " + file + " would overwrite the file that the page is about"}, "replay", file, "--html", file)
	c.refuses([]string{"--html " + file + " would overwrite the file that the page is about"}, "replay", file, "--loose", "--html", file)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// TestUnwritableOut is refused before the run, also if it is the folder that is taken if none is named. If it becomes so
// during the run, the story is told all the same.
func TestUnwritableOut(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.runWithoutOut("run", "issue-15220", "--seeds", "300"))
	require.Contains(t, c.out, "It should show")
	require.Contains(t, c.err, "cannot keep the replay file")
	require.Contains(t, c.err, "--seeds")

	for _, args := range [][]string{{"run", "issue-15220"}, {"prove", "issue-15220"}, {"shrink", "x.json"}} {
		c.refuses([]string{"replay files are kept in simrun-failures, which cannot be written: simrun-failures is a file; name another folder with --out"}, args...)
	}
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--out", "elsewhere", "--no-story"))
}

func TestUnwritableReport(t *testing.T) {
	c := command(t)
	require.Equal(t, exitUsage, c.run("run", "issue-15220", "--etcd", "3.5.13", "--seeds", "50", "--junit", "no/such/dir.xml"))
	require.Contains(t, c.err, "no such file or directory")
}

func TestShrink(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--no-shrink", "--out", "whole"))
	whole, err := filepath.Glob("whole/linearizable-data*")
	require.NoError(t, err)
	require.NotEmpty(t, whole)
	require.Zero(t, c.run("shrink", whole[0]), c.err)
	require.Regexp(t, `: \d\d recorded choices, before \d\d\d;`, c.out)
	small := c.failures()
	require.Len(t, small, 1)
	require.Contains(t, small[0], "linearizable-data", "the property that the file was made for, and not the first in it")
	require.Zero(t, c.run("shrink", small[0]), c.err)
	require.Contains(t, c.out, "Nothing smaller than "+small[0]+" violates linearizable-data")
	require.Equal(t, small, c.failures(), "nothing is written")
	require.Equal(t, exitViolated, c.run("replay", small[0]))
	c.refuses([]string{`"cache-matches-etcd" is not violated`}, "shrink", whole[0], "--property", "cache-matches-etcd")
}

func TestReplayLoose(t *testing.T) {
	c := command(t)
	file := c.recorded()
	require.Zero(t, c.run("replay", file, "--loose", "--etcd", "3.5.13"), c.out+c.err)
	require.Contains(t, c.out, "No property is violated")
	require.Equal(t, exitViolated, c.run("replay", file, "--loose"))
	require.Regexp(t, `Followed (\d+) of (\d+) recorded choices`, c.out)
	require.NotContains(t, c.out, "did not fit")
	require.Zero(t, c.run("replay", file, "--loose", "--etcd", "3.5.13"))
	require.Regexp(t, `These did not fit:\n +\d+  run etcd sendLoop client.0 takes ctrlStream\n`, c.out)
	c.refuses([]string{"add --loose"}, "replay", file, "--etcd", "3.5.13")
}

// TestReplayNamesTheFirstDifference: a recording that was changed by hand.
func TestReplayNamesTheFirstDifference(t *testing.T) {
	c := command(t)
	file := c.recorded()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	edit := func(old, new string) {
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile("edited.json", []byte(strings.Replace(string(text), old, new, 1)), 0o644))
	}
	edit(`"fire writer-2 next 0"`, `"fire writer-9 next 0"`)
	c.refuses([]string{"edited.json", "fire writer-9 next 0", "--loose"}, "replay", "edited.json")
	edit(`"format": 1`, `"format": 2`)
	c.refuses([]string{"edited.json", "format"}, "replay", "edited.json")
	edit(`"scenario": "issue-15220"`, `"scenario": "issue-15221"`)
	c.refuses([]string{"edited.json", `did you mean "issue-15220"`, "a command that imports it", "the one that wrote the file: simrun, watchbed ", "scenariotest.MustHoldReplay"}, "replay", "edited.json")
	edit(`"value": "kep-2340"`, `"value": "kep-234"`)
	c.refuses([]string{"edited.json", `did you mean "kep-2340"`}, "replay", "edited.json")
	require.NoError(t, os.WriteFile("cut.json", text[:len(text)/2], 0o644))
	c.refuses([]string{"cut.json"}, "replay", "cut.json")
	c.refuses([]string{"cut.json"}, "shrink", "cut.json")
	c.refuses([]string{"cannot read nowhere.json: no such file"}, "replay", "nowhere.json")
	c.refuses([]string{"cannot read .: is a directory"}, "shrink", ".")
}

func TestBadInput(t *testing.T) {
	c := command(t)
	c.refuses([]string{`did you mean "issue-15220"`}, "run", "issue-1522")
	c.refuses([]string{"which scenario?"}, "run")
	c.refuses([]string{"one scenario at a time"}, "run", "issue-15220", "issue-17507")
	c.refuses([]string{"--etcd", "nearest is 3.7.3"}, "run", "issue-15220", "--etcd", "3.9.1")
	c.refuses([]string{"--client", "is not a version"}, "run", "issue-15220", "--client", "banana")
	c.refuses([]string{"--cache", `did you mean "direct"`}, "run", "issue-15220", "--cache", "dirct")
	c.refuses([]string{"--bug", "unknown bug", "`simrun list bugs`"}, "run", "issue-15220", "--bug", "foo")
	c.refuses([]string{"--etcd", "nearest is 3.3.0"}, "run", "issue-15220", "--etcd", "3.2.32")
	c.refuses([]string{"--bug", "unknown bug", "issue-17507"}, "run", "issue-15220", "--bug", "issue-17508")
	c.refuses([]string{"both set progress"}, "run", "issue-15220", "--bug", "issue-15220", "--bug", "issue-17507")
	c.refuses([]string{"unknown option", `"progress"`}, "run", "issue-15220", "--set", "progres=dropped")
	c.refuses([]string{"unknown bug", "--set takes NAME=VALUE"}, "run", "issue-15220", "--bug", "progress=dropped")
	c.refuses([]string{`progress has no value "droped"`, `"dropped"`}, "run", "issue-15220", "--set", "progress=droped")
	c.refuses([]string{"both set progress"}, "run", "issue-15220", "--bug", "issue-15220", "--set", "progress=dropped")
	c.refuses([]string{"both set writes"}, "run", "issue-15220", "--set", "writes=1", "--set", "writes=2")
	c.refuses([]string{"--set", "readers"}, "run", "issue-15220", "--set", "reders=2")
	c.refuses([]string{"want NAME=VALUE"}, "run", "issue-15220", "--set", "readers")
	c.refuses([]string{"whole number"}, "run", "issue-15220", "--set", "readers=many")
	c.refuses([]string{"there must be a cache"}, "run", "issue-15220", "--set", "caches=0")
	c.refuses([]string{"needs a horizon"}, "run", "issue-15220", "--set", "mode=timed")
	c.refuses([]string{"more than 12000 clients", "set fewer writers"}, "run", "issue-15220", "--set", "writers=1000000")
	c.refuses([]string{"--strategy", "paced"}, "run", "issue-15220", "--strategy", "pace")
	c.refuses([]string{"--seeds 0"}, "run", "issue-15220", "--seeds", "0")
	c.refuses([]string{"FIRST not above LAST"}, "run", "issue-15220", "--seeds", "9..1")
	c.refuses([]string{"want two numbers"}, "run", "issue-15220", "--seeds", "1..")
	c.refuses([]string{"issue-15220 has nothing to draw"}, "run", "issue-15220", "--draw", "0..9")
	c.refuses([]string{"want the number of a draw"}, "run", "any-requests", "--draw", "some")
	c.refuses([]string{"FIRST not above LAST"}, "run", "any-requests", "--draw", "9..1")
	c.refuses([]string{"--draw is given twice; leave one out"}, "run", "any-requests", "--draw", "7", "--draw", "8")
	c.refuses([]string{"--workers 0"}, "run", "issue-15220", "--workers", "0")
	c.refuses([]string{"want 1 to 1024"}, "run", "issue-15220", "--workers", "9223372036854775807")
	c.refuses([]string{"more than 500000"}, "run", "issue-15220", "--set", "items=10000000")
	c.refuses([]string{"keys", "more than 500000"}, "run", "issue-15220", "--set", "keys=10000000")
	c.refuses([]string{"wide=true", "all 400000 keys", "more than 500000"}, "run", "issue-15220", "--set", "keys=400000", "--set", "wide=true")
	c.refuses([]string{"both set etcd"}, "run", "issue-15220", "--set", "etcd=3.5.7", "--etcd", "3.5.13")
	c.refuses([]string{"is there twice"}, "run", "consistent-list", "--bug", "kubernetes-58545", "--bug", "kubernetes-58545")
	c.refuses([]string{"--out"}, "run", "issue-15220", "--out", "")
	c.refuses([]string{`nothing is called ""`}, "list", "")
	c.refuses([]string{`unknown scenario ""`}, "run", "")
	c.refuses([]string{"one name at a time"}, "list", "progress", "designs")
	c.refuses([]string{"the name is empty"}, "replay", "")
	c.refuses([]string{"unknown flag", "--help"}, "run", "issue-15220", "--sedes", "3")
	c.refuses([]string{"unknown command", "run"}, "runn")
	c.refuses([]string{`unknown command "explain"`, "; see simrun --help"}, "explain")
	c.refuses([]string{`nothing is called "progres"; did you mean "progress"`}, "list", "progres")
	c.refuses([]string{`progress has no value "droped"`, `"dropped"`}, "list", "progress=droped")
	c.refuses([]string{`nothing is called "qqqqqqqqqqqqqqqqq"; `, "`simrun list`"}, "list", "qqqqqqqqqqqqqqqqq")
	c.refuses([]string{`unknown scenario "nope"`, "run `simrun list`"}, "run", "nope")
	c.refuses([]string{`did you mean "issue-15220"`, "run `simrun list`"}, "run", "issue-1522")
	c.refuses([]string{`not a scenario but a known bug; run ` + "`simrun list kubernetes-58545`"}, "run", "kubernetes-58545")
	c.refuses([]string{"--etcd", "the value is empty"}, "run", "issue-15220", "--etcd", "")
	c.refuses([]string{"--cache", "the value is empty"}, "run", "issue-15220", "--cache=")
	c.refuses([]string{"--draw", "the value is empty"}, "run", "any-requests", "--draw", "")
	c.refuses([]string{"--html", "the value is empty"}, "run", "issue-15220", "--html", "")
	c.refuses([]string{"--etcd", "the value is empty"}, "replay", "run.json", "--loose", "--etcd", "")
	c.refuses([]string{"--etcd", "the value is empty"}, "matrix", "--etcd", "")
	c.refuses([]string{"--designs", "the value is empty"}, "matrix", "--designs", "")
	c.refuses([]string{"--for 0s", "want a time"}, "run", "issue-15220", "--for", "0s")
	c.refuses([]string{"--for 0s", "want a time"}, "matrix", "--for", "0s")
	c.refuses([]string{"--workers x: want a whole number"}, "run", "issue-15220", "--workers", "x")
	c.refuses([]string{"--for 5: want a duration, such as 60s"}, "run", "issue-15220", "--for", "5")
	c.refuses([]string{"--json maybe: want true or false"}, "run", "issue-15220", "--json=maybe")
	c.refuses([]string{"--seeds 10: 20 draws need as many seeds at least"}, "run", "any-requests", "--draw", "0..19", "--seeds", "10")
	c.refuses([]string{"--html and --junit both write page"}, "run", "issue-15220", "--html", "page", "--junit", "page")
	c.refuses([]string{"--html and --junit both write page"}, "run", "issue-15220", "--html", "./page", "--junit", "page")
	c.refuses([]string{"--html and --junit both write /dev/tty"}, "run", "issue-15220", "--html", "/dev/tty", "--junit", "/dev/tty")
	require.Equal(t, exitHolds, c.run("run", "issue-15220", "--seeds", "1", "--html", os.DevNull, "--junit", os.DevNull), "what is written there is lost anyway: %s", c.err)
	c.refuses([]string{`cannot read a\nb: no such file`}, "replay", "a\nb")
	c.refuses([]string{`--set a\nb=c: unknown option`}, "run", "issue-15220", "--set", "a\nb=c")
	c.refuses([]string{`unknown flag: --a\x1b[2Jb; see`}, "run", "--a\x1b[2Jb")
	c.refuses([]string{"--memory 1TB: want a whole number of MB"}, "prove", "issue-15220", "--memory", "1TB")
	c.refuses([]string{"--memory 99999999999999999999: want a whole number of MB below 2^63"}, "prove", "issue-15220", "--memory", "99999999999999999999")
	c.refuses([]string{"--memory 99999999999: want at most"}, "prove", "issue-15220", "--memory", "99999999999")
	c.refuses([]string{"keys=0", "must be a key"}, "run", "consistent-list", "--set", "keys=0")
	c.refuses([]string{"simrun: --set ring=-1: want a whole number"}, "run", "consistent-list", "--set", "ring=-1")
	c.refuses([]string{"ring=3 and ring-max=2: ", "lower ring, or raise ring-max"}, "run", "consistent-list", "--set", "ring=3", "--set", "ring-max=2")
	c.refuses([]string{"--set horizon=1s: an untimed run has no clock", "--set mode=timed"}, "run", "consistent-list", "--set", "horizon=1s")
	c.refuses([]string{"--set catch-up-units=64: want a whole number from 65"}, "run", "stalled-watches", "--set", "catch-up-units=64")
	for _, compiled := range [][]string{{"--cache", "kubernetes@v0.37.2"}, {"--etcd", "etcd@v3.5.7"}} {
		c.refuses([]string{compiled[0] + ": ", compiled[1], "cd upstream && go run ./simrun"}, "run", "consistent-list", compiled[0], compiled[1])
		c.refuses([]string{compiled[1], "cd upstream && go run ./simrun"}, "list", compiled[1])
	}
	require.NoDirExists(t, "simrun-failures")
}

// TestOutputThatHasNoPlaceIsRefusedFirst: nothing is explored whose result could not be written.
func TestOutputThatHasNoPlaceIsRefusedFirst(t *testing.T) {
	c := command(t)
	file := c.recorded()
	require.NoError(t, os.Mkdir("folder", 0o700))
	for _, args := range [][]string{
		{"run", "issue-15220", "--html", "missing/x"}, {"run", "issue-15220", "--junit", "folder"}, {"run", "issue-15220", "--out", file},
		{"run", "issue-15220", "--out", file + "/below"}, {"prove", "issue-15220", "--html", "missing/x"}, {"matrix", "--html", "missing/x"},
		{"compare", "3.5.7", "--save", "missing/x"}, {"replay", file, "--html", "missing/x"}, {"shrink", file, "--out", file}, {"check", file, "--html", "missing/x"},
	} {
		begin := time.Now()
		c.refuses([]string{"--" + args[len(args)-2][2:] + " " + args[len(args)-1] + ": cannot be written: "}, args...)
		require.Less(t, time.Since(begin), 5*time.Second, "%v", args)
	}
	left, err := os.ReadDir("folder")
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, "missing")
	require.Equal(t, exitHolds, c.run("run", "issue-15220", "--seeds", "1", "--out", "not/yet/there", "--html", "page"), c.err)
	require.NoDirExists(t, "not", "nothing is made of which there is nothing to keep")
	require.NoFileExists(t, "page")
}

// TestAReplayOfCompiledCodeSaysWhere: the root module has no compiled guests, and no design of one's own.
func TestAReplayOfCompiledCodeSaysWhere(t *testing.T) {
	c := command(t)
	content, err := os.ReadFile(c.recorded())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("own.json", []byte(strings.Replace(string(content), `"kep-2340"`, `"mine"`, 1)), 0o600))
	c.refuses([]string{`own.json: recorded parameters: unknown cache design "mine"`, "a command that imports it", "scenariotest.MustHoldReplay"}, "replay", "own.json")
	require.NoError(t, os.WriteFile("client.json", []byte(strings.Replace(string(content), `"scenario": "`, `"scenario": "client@`, 1)), 0o600))
	c.refuses([]string{"client.json: this is a run of client@", "cd upstream && go run ./simrun"}, "replay", "client.json")
	for _, change := range []struct{ old, new string }{{`"kep-2340"`, `"kubernetes@v0.37.2"`}, {`"name": "etcd-program",
   "value": ""`, `"name": "etcd-program",
   "value": "etcd@v3.5.7"`}} {
		require.Contains(t, string(content), change.old)
		require.NoError(t, os.WriteFile("guest.json", []byte(strings.Replace(string(content), change.old, change.new, 1)), 0o600))
		c.refuses([]string{"guest.json: recorded parameters: ", "the simrun of the folder upstream has", "cd upstream && go run ./simrun"}, "replay", "guest.json")
		c.refuses([]string{"guest.json", "cd upstream && go run ./simrun"}, "shrink", "guest.json")
	}
}

// TestZeroThatStandsForADefaultIsSaid: a stream with no keys in its first chunk is not what is explored.
func TestZeroThatStandsForADefaultIsSaid(t *testing.T) {
	c := command(t)
	require.Equal(t, exitHolds, c.run("run", "streamed-lists", "--seeds", "20", "--set", "stream-chunk=0"), c.err)
	require.Equal(t, "simrun: --set stream-chunk=0: 0 stands for the default, which is 10\n", c.err)
	require.Equal(t, exitHolds, c.run("run", "streamed-lists", "--seeds", "20", "--set", "compactions=0"), c.err)
	require.Empty(t, c.err)
}

// TestFailuresThatCannotBeKept: a run that is on no disk is not lost in silence.
func TestFailuresThatCannotBeKept(t *testing.T) {
	c := command(t)
	lost := "cannot keep the replay file of linearizable-data (missing-write) under simrun-failures: not a directory (give another --out; --seeds 6..6 finds it again)"
	require.NoError(t, os.Mkdir("simrun-failures", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("simrun-failures", unshrunkDir), nil, 0o600))
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--no-story"))
	require.Contains(t, c.err, lost)
	require.Equal(t, 1, strings.Count(c.err, "linearizable-data (missing-write)"), c.err)
}

// runWithoutOut runs the command, and puts a file in the place of its folder for replay files as soon as it says something.
func (c *simrun) runWithoutOut(args ...string) int {
	var out, said bytes.Buffer
	s := process{program: c.program, in: strings.NewReader(""), out: &out, err: writerFunc(func(b []byte) (int, error) {
		if said.Len() == 0 {
			require.NoError(c.t, os.RemoveAll("simrun-failures"))
			require.NoError(c.t, os.WriteFile("simrun-failures", nil, 0o644))
		}
		return said.Write(b)
	})}
	code := run(context.Background(), args, s)
	c.out, c.err = out.String(), said.String()
	return code
}

// TestClientsThatRequestNothing: a client with a plan of no requests does nothing.
func TestClientsThatRequestNothing(t *testing.T) {
	c := command(t)
	require.Equal(t, exitNoVerdict, c.run("run", "any-requests", "--set", "drawn-requests=0", "--seeds", "20", "--no-story"), c.out+c.err)
	require.Contains(t, c.out, "served-as-promised  vacuous")
}

// A right history is not without verdict because one write was not answered, or because it
// is short; where there is none, a line says why.
func TestCheckSaysWhatCanBeKnown(t *testing.T) {
	c := command(t)
	write := func(name string, lines ...string) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644))
	}
	put := `{"client":"a","op":"put","call":1,"return":2,"request":{"key":"/x","value":"1"},"response":{"revision":2}}`
	get := `{"client":"b","op":"get","call":3,"return":4,"request":{"key":"/x"},"response":{"items":[{"key":"/x","value":"1","mod":2}]}}`
	write("two.jsonl", put, get)
	require.Zero(t, c.run("check", "two.jsonl"), c.out+c.err)
	require.Contains(t, c.out, "vacuous: no client read or compared after a write that it had made or seen")
	require.Equal(t, exitNoVerdict, c.run("check", "two.jsonl", "--property", "sequential"), "asked for by name, it is not passed")

	lost := `{"client":"a","op":"put","call":1,"request":{"key":"/x","value":"1"},"unknown":true}`
	write("lost.jsonl", lost, get, strings.NewReplacer("3", "5", `"return":4`, `"return":6`).Replace(get))
	require.Zero(t, c.run("check", "lost.jsonl"), c.out+c.err)

	register := func(s string) string { return strings.NewReplacer(`"revision":2`, "", `,"mod":2`, "").Replace(s) }
	write("register.jsonl", register(put), register(get))
	require.Zero(t, c.run("check", "register.jsonl"), c.out+c.err)
	// One of two writes that overlap came last, and only porcupine tries both orders.
	overlapping := `{"client":"c","op":"put","call":1,"return":2,"request":{"key":"/x","value":"2"},"response":{}}`
	write("overlapping.jsonl", register(put), overlapping, register(get))
	require.Zero(t, c.run("check", "overlapping.jsonl"), c.out+c.err)
	require.Equal(t, exitNoVerdict, c.run("check", "overlapping.jsonl", "--budget", "1"))
	require.Contains(t, c.out, `unknown: the put of "/x" by a (called at 1, answered at 2) changed the store, and its answer has no revision (nor has 1 other answer); `+
		`porcupine gave up after 1 steps: record the revision of every write, or "commit" where it becomes known later, or give porcupine ten times as many (--budget 10), which takes up to 1 MB`)
	c.refuses([]string{"--budget 0: want 1 step at least"}, "check", "register.jsonl", "--budget", "0")
	write("unread.jsonl", register(put), strings.Replace(register(get), `"1"`, `"2"`, 1))
	require.Equal(t, exitViolated, c.run("check", "unread.jsonl"))
}

// With a declaration that not all writers are recorded, a gap is none of the recorded
// clients' fault, and what contradicts itself still is.
func TestCheckPartialHistories(t *testing.T) {
	c := command(t)
	part := strings.NewReplacer(`"revision":2`, `"revision":7`, `"mod":2`, `"mod":7`).Replace(goodHistory)
	require.NoError(t, os.WriteFile("part.jsonl", []byte(part), 0o644))
	require.Equal(t, exitViolated, c.run("check", "part.jsonl"))
	require.Zero(t, c.run("check", "--partial", "part.jsonl"), c.out+c.err)
	require.Contains(t, c.out, "in part: not all writers are recorded")
	header := strings.Replace(part, `"version":1`, `"version":1,"partial":true`, 1)
	require.NoError(t, os.WriteFile("part.jsonl", []byte(header), 0o644))
	require.Zero(t, c.run("check", "part.jsonl"), c.out+c.err)
	require.NoError(t, os.WriteFile("part.jsonl", []byte(strings.Replace(header, `"value":"1","mod"`, `"value":"2","mod"`, 1)), 0o644))
	require.Equal(t, exitViolated, c.run("check", "part.jsonl"))
	require.Contains(t, c.out, `it shows key "/x" as "2"`)
	watch := `{"watch":"w","request":{"key":"/","end":"0","startRevision":3}}` + "\n" +
		`{"watch":"w","response":{"events":[{"type":"put","item":{"key":"/x","value":"1","mod":7}}]}}`
	require.NoError(t, os.WriteFile("part.jsonl", []byte(header+watch), 0o644))
	require.Equal(t, exitNoVerdict, c.run("check", "part.jsonl"))
	require.Contains(t, c.out, "unknown: revision 2 was made by a write that is not recorded, so that behind revision 1 nothing is certain but what recorded writes made")
}

const goodHistory = `{"format":"watchbed-history","version":1}
{"client":"a","op":"put","call":1,"return":2,"request":{"key":"/x","value":"1"},"response":{"revision":2}}
{"client":"a","op":"list","call":3,"return":4,"request":{"key":"/","end":"0"},"response":{"revision":2,"items":[{"key":"/x","value":"1","mod":2}]}}
`

func TestCheck(t *testing.T) {
	c := command(t)
	require.NoError(t, os.WriteFile("good.jsonl", []byte(goodHistory), 0o644))
	bad := strings.Replace(goodHistory, `"items":[{"key":"/x","value":"1","mod":2}]`, `"items":[]`, 1)
	require.NoError(t, os.WriteFile("bad.jsonl", []byte(bad), 0o644))
	require.Zero(t, c.run("check", "good.jsonl"), c.out+c.err)
	require.Equal(t, exitViolated, c.run("check", "good.jsonl", "bad.jsonl", "--html", "page.html"))
	require.Contains(t, c.out, `key "/x" is not in it`)
	require.FileExists(t, "page.html")
	c.in = bad
	require.Equal(t, exitViolated, c.run("check", "-", "--json", "--property", "linearizable"))
	var got []map[string]any
	require.NoError(t, json.Unmarshal([]byte(c.out), &got))
	require.Equal(t, "violated", got[0]["verdict"])
	require.Equal(t, exitNoVerdict, c.run("check", "good.jsonl", "--property", "pages"), "vacuous is not passed")

	one := strings.Split(goodHistory, "\n")[1]
	require.NoError(t, os.WriteFile("one.jsonl", []byte(one), 0o644))
	require.Equal(t, exitNoVerdict, c.run("check", "one.jsonl"))
	require.Contains(t, c.out, "one.jsonl: 1 operation of 1 client\n")
	require.NoError(t, os.WriteFile("one.jsonl", []byte(strings.Replace(one, `"revision":2`, `"revision":9`, 1)), 0o644))
	require.Equal(t, exitViolated, c.run("check", "one.jsonl"))
	require.NotContains(t, c.out, "violated, checked 0 times")

	require.NoError(t, os.WriteFile("cut.jsonl", []byte(goodHistory[:len(goodHistory)-20]), 0o644))
	c.refuses([]string{"cut.jsonl", "line 3"}, "check", "cut.jsonl")
	require.NoError(t, os.WriteFile("empty.jsonl", nil, 0o644))
	require.Equal(t, exitNoVerdict, c.run("check", "empty.jsonl"), "nothing was checked")
	c.refuses([]string{"which history?"}, "check")
	c.refuses([]string{"which history? a name is empty"}, "check", "")
	c.refuses([]string{"unknown property", "linearizable"}, "check", "--property", "fast", "good.jsonl")
	c.refuses([]string{"cannot read nowhere: no such file"}, "check", "nowhere")
	require.Equal(t, exitUsage, c.run("check", "nowhere", "good.jsonl"))
	require.Contains(t, c.out, "good.jsonl: 2 operations", "a history that cannot be read does not hide the others")
	c.refuses([]string{"once only"}, "check", "-", "-")
	c.refuses([]string{"is there twice"}, "check", "--property", "linearizable", "--property", "linearizable", "good.jsonl")
	require.NoError(t, os.WriteFile("escape.jsonl", []byte(strings.ReplaceAll(goodHistory, `"client":"a"`, `"client":"a\u001b[31m"`)), 0o644))
	c.refuses([]string{"control character"}, "check", "escape.jsonl")
}

func TestList(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("list"))
	for _, want := range []string{"issue-15220", "3.5.7", "single-request", "issue-17507", "paced", "chan-buf", "control-queue"} {
		require.Contains(t, c.out, want)
	}
	require.Zero(t, c.run("list", "bugs", "--json"))
	var got map[string][]map[string]string
	require.NoError(t, json.Unmarshal([]byte(c.out), &got))
	require.Contains(t, got, "bugs")
	require.NotContains(t, got, "etcd")
	require.Zero(t, c.run("list", "figures"))
	require.Contains(t, c.out, "outside the range, of a client that selects by the first line of the value: 30 to 15395 times (said: 20..50); ")
	require.Zero(t, c.run("list", "figures", "--json"))
	var figures []map[string]any
	require.NoError(t, json.Unmarshal([]byte(c.out), &figures))
	require.Equal(t, "adopted", figures[0]["verdict"])
	require.Zero(t, c.run("list", "proofs"))
	require.Contains(t, c.out, "prove issue-15220 --etcd 3.5.7 --cache kep-2340 --set writers=1 --set writes=1 --set readers=1 --set reads=1 --firings 1\n    violated: linearizable, 20 steps; ")
	require.Zero(t, c.run("list", "proofs", "--html", "-"))
	require.Contains(t, c.out, "<h2>Known bugs</h2>")
	require.Equal(t, 2, c.run("list", "bugs", "--html", "-"))
}

// TestListEtcdSaysWhatReleasesDifferIn: each line says something else, or names the
// line that says it.
// TestListsFitTheTerminal: a line that is too long goes on below its text, and is one line
// where other programs read it.
func TestListsFitTheTerminal(t *testing.T) {
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	var whole, wrapped strings.Builder
	all := explain.Lists(explain.ListNames...)
	require.NoError(t, listText(&whole, report.Terminal{}, all))
	require.NoError(t, listText(&wrapped, report.Terminal{Width: 100}, all))
	require.Equal(t, flat(whole.String()), flat(wrapped.String()))
	for _, line := range strings.Split(wrapped.String(), "\n") {
		if rest, ok := strings.CutPrefix(line, strings.Repeat(" ", 20)); ok && strings.Contains(rest, " ") {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
		}
	}
	require.Greater(t, strings.Count(wrapped.String(), "\n"), strings.Count(whole.String(), "\n"))
}

func TestListEtcdSaysWhatReleasesDifferIn(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("list", "etcd"))
	list, _, _ := strings.Cut(c.out, "\n\n")
	require.Contains(t, list, "progress=control-queue")
	require.Regexp(t, `3\.5\.12 +behaves the same as 3\.4\.30\n`, list)
	require.Regexp(t, `3\.4\.30 +as 3\.4\.24, but progress=deferred notify-min-rev=always\n`, strings.ReplaceAll(list, "notify-min-rev=always progress=deferred", "progress=deferred notify-min-rev=always"))
	about := map[string]bool{}
	for line := range strings.Lines(list) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		require.False(t, about[text] && !strings.HasPrefix(text, "behaves the same as"), line)
		about[text] = true
	}
}

// TestUnreleasedVersionSaysHowItBehaves in one line, and runs.
func TestUnreleasedVersionSaysHowItBehaves(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "report", "testdata", "stories", "issue-15220.json"))
	require.NoError(t, err)
	c := command(t)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.40", "--seeds", "20"))
	require.Equal(t, "simrun: etcd 3.5.40 is newer than 3.5.35, the newest release known of its branch, and behaves as that one\n", c.err)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.35", "--seeds", "20"))
	require.Empty(t, c.err)
	require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.35", "--client", "3.5.40", "--seeds", "20"))
	require.Contains(t, c.err, "simrun: the client library 3.5.40 is newer than 3.5.35")
	c.run("replay", file, "--loose", "--etcd", "3.5.40")
	require.Contains(t, c.err, "simrun: etcd 3.5.40 is newer than 3.5.35")
}

// TestListExplainsNames: text, JSON, and a name that is a list and an option.
func TestListExplainsNames(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("list"))
	require.Contains(t, c.out, "simrun list NAME explains any of these names")

	require.Zero(t, c.run("list", "issue-15220"))
	require.Contains(t, c.out, "scenario issue-15220: ")
	require.Contains(t, c.out, "\nknown bug issue-15220: ")

	require.Zero(t, c.run("list", "cache"))
	require.Contains(t, c.out, "  kep-2340  ")
	require.Contains(t, c.out, "\noption cache: design of the cache")
	require.Contains(t, c.out, "\noptions of cache: ")

	require.Zero(t, c.run("list", "progress", "--json"))
	var got struct {
		Explained []struct {
			Kind, Name string
			Facts      []struct {
				Label string
				Items []struct{ Name string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.out), &got))
	require.Equal(t, "option", got.Explained[0].Kind)
	require.Equal(t, "progress", got.Explained[0].Name)
	last := got.Explained[0].Facts[len(got.Explained[0].Facts)-1]
	require.Equal(t, "dropped-below-start", last.Items[3].Name)
}

// TestListFindsWordsInTexts: a word that is no name, and the number of an issue, are looked for in all texts.
func TestListFindsWordsInTexts(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("list", "138494"))
	require.Regexp(t, `^Nothing is called "138494"\. These speak of it:\n\nscenarios\n  defragmented-member  .*kubernetes#138494\)\.\n$`, c.out)
	number := c.out
	for _, written := range []string{"kubernetes #138494", "kubernetes/kubernetes#138494", "https://github.com/kubernetes/kubernetes/pull/138494"} {
		require.Zero(t, c.run("list", written))
		require.Equal(t, number, c.out, written)
	}
	require.Zero(t, c.run("list", "429"))
	require.Contains(t, c.out, "\n  defragmented-member ")
	require.Regexp(t, `(?s)\noptions\n.*  on-timeout=throttle +429 \(`, c.out)
	require.NotContains(t, c.out, "did you mean")
	require.Zero(t, c.run("list", "Fairness", "--json"))
	var got struct {
		Explained []struct{ Name string }
		Mentioned map[string][]explain.Entry
	}
	require.NoError(t, json.Unmarshal([]byte(c.out), &got))
	require.NotNil(t, got.Explained)
	require.NotEmpty(t, got.Mentioned["scenarios"])
	require.Zero(t, c.run("list", "13766"))
	require.Contains(t, c.out, "known bug issue-13766: ")
	require.Contains(t, c.out, "\nThese speak of it as well:\n\noptions\n  unapplied-entries=skipped ")
	require.Zero(t, c.run("list", "scenario"))
	require.Contains(t, c.out, `Nothing is called "scenario"; did you mean "scenarios"? These speak of it:`)
	c.refuses([]string{`nothing is called "998877"`}, "list", "998877")
	c.refuses([]string{`nothing is called "of"`}, "list", "of")
}

// TestCommandsThatShowBugsAreAccepted: what `list BUG` prints can be typed.
func TestCommandsThatShowBugsAreAccepted(t *testing.T) {
	c := command(t)
	for _, b := range testbed.KnownBugs() {
		require.NotEqual(t, exitUsage, c.run(append(explain.Command(b), "--seeds", "1", "--no-story")...), "%s: %s", b.Name, c.err)
	}
}

// TestAViolatedCheckIsACheck: no watch of the run is sent the end of its initial
// events.
func TestAViolatedCheckIsACheck(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "watch-list-ends", "--etcd", "3.5.12", "--cache", "direct", "--seeds", "12..12", "--no-shrink"))
	require.Regexp(t, `initial-events-end +violated +checked (once|\d+ times), violated in 1 of 1 schedule\n`, c.out)
	require.NotContains(t, c.out, "checked 0 times")
	require.Equal(t, 1, strings.Count(c.out, "so that it does not"), "one sentence about what is switched off")
}

// TestStoriesShowTheStall: what holds up a step, or takes away what it was to send, is told.
func TestStoriesShowTheStall(t *testing.T) {
	if !testsize.Full() {
		t.Skip("shrinking a run of 20 seconds takes 8")
	}
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "stalled-neighbours", "--set", "slow-watchers=ended", "--seeds", "0..0"), c.err)
	story, _, _ := strings.Cut(c.out, "takes each event as it comes")
	require.Regexp(t, `has no room for the event of revision \d+ in the channel of watcher-\d`, story)
	require.Contains(t, strings.Join(strings.Fields(story), " "), "dispatches nothing more to any watch until there is")
	require.Equal(t, exitViolated, c.run("run", "stalled-watches", "--set", "slow-watchers=reinitialised", "--seeds", "299..299"), c.err)
	story, _, _ = strings.Cut(c.out, "cache ended the watch")
	require.Contains(t, strings.Join(strings.Fields(story), " "), "without an error: its history has lost what it was sending")
	require.Contains(t, story, "sees its watch end without an error")
}

// TestStoriesSayWhyEtcdIsAsked: a cache that has not heard yet that etcd is new enough passes LISTs on.
func TestStoriesSayWhyEtcdIsAsked(t *testing.T) {
	if !testsize.Full() {
		t.Skip("shrinking a run of a minute takes 7 s")
	}
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "memory-fallback", "--cache", "v0.38.0-alpha.2", "--seeds", "20"), c.err)
	story := strings.Join(strings.Fields(c.out), " ")
	require.Regexp(t, `does not rely on progress notifications: it has not heard yet that etcd is new enough; passes informer-\d+'s LIST /registry/pods/ limit=500 on to etcd`, story)
	require.Contains(t, story, "One behaviour of the cache decides: version-check=shipped.")
}

// TestNoStory: runs are counted as with stories, and the first run of each way to fail is
// kept unshrunk.
func TestNoStory(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--no-story"))
	require.True(t, strings.HasPrefix(c.out, "Ways to fail:\n  linearizable"), c.out)
	_, file, _ := strings.Cut(c.out, "simrun replay ")
	file, _, _ = strings.Cut(file, "\n")
	require.Contains(t, file, "unshrunk")
	_, counts, _ := strings.Cut(c.out, "cache design kep-2340\n")
	counts, _, _ = strings.Cut(counts, " choices")
	c.recorded()
	require.Contains(t, c.out, counts)
	require.Equal(t, exitViolated, c.run("replay", file))
	c.refuses([]string{"--html draws the story", "leave out --no-story"}, "run", "issue-15220", "--no-story", "--html", "x.html")
}

// TestTheProgramsOwnName is in everything that can be typed, also in a main of one's
// own.
func TestTheProgramsOwnName(t *testing.T) {
	c := command(t)
	c.program = "mysim"
	file := c.found()
	require.Contains(t, c.out, "Replay: mysim replay ")
	for _, args := range [][]string{
		{"--help"}, {"run", "--help"}, {"list", "--help"}, {"matrix", "--help"}, {"replay", "--help"}, {"shrink", "--help"}, {"check", "--help"},
		{"list"}, {"list", "issue-15220"}, {"list", "progress=deferred"}, {"list", "cache"}, {"list", "kep-2340"}, {"list", "3.5.7"}, {"list", "paced"},
		{"replay", file, "--html", "run.html"}, {"run", "nope"}, {"run", "kubernetes-58545"}, {"list", "qqqqqqqqqqq"}, {"run"}, {"run", "--sedes"},
		{"matrix", "--designs", "direct,stale", "--etcd", "3.5.12", "--seeds", seeds(10)},
	} {
		c.run(args...)
		require.Contains(t, c.out+c.err, "mysim", args)
		require.NotRegexp(t, `\bsimrun `, c.out+c.err, args)
		require.NotContains(t, c.out+c.err, "PROGRAM", args)
	}
	page, err := os.ReadFile("run.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "mysim replay FILE")
	require.NotRegexp(t, `\bsimrun `, string(page))
}

func TestHelp(t *testing.T) {
	c := command(t)
	require.Zero(t, c.run("--help"))
	for _, want := range []string{"Exit codes", "simrun run issue-15220", "replay", "shrink", "check", "bench", "list"} {
		require.Contains(t, c.out, want)
	}
	require.Zero(t, c.run("--version"))
	require.Contains(t, c.out, "simrun")
	for _, sub := range []string{"run", "replay", "shrink", "prove", "matrix", "compare", "check", "bench", "list"} {
		require.Zero(t, c.run(sub, "--help"))
		require.NotEmpty(t, c.out)
		require.NotRegexp(t, `default (0s|\[\])`, c.out, "no default is empty")
	}
}
