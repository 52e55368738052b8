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
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

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
	files, err := filepath.Glob(filepath.Join(c.dir, "simrun-failures", "*.json"))
	require.NoError(c.t, err)
	return files
}

// kept are the replay files of issue-15220, by their names, and what the run printed.
var (
	kept             = map[string][]byte{}
	keptOut, keptErr string
)

// recorded is found of 300 schedules, run and explained once for all tests that need not run it themselves.
func (c *simrun) recorded() string {
	c.t.Helper()
	if len(kept) == 0 {
		require.Equal(c.t, exitViolated, c.run("run", "issue-15220", "--seeds", "300"))
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

// found runs the one schedule of issue-15220 that is explained soonest, and returns the replay file of the first story.
func (c *simrun) found() string {
	c.t.Helper()
	require.Equal(c.t, exitViolated, c.run("run", "issue-15220", "--seeds", "102..102"))
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
		require.Contains(t, text, "With `--etcd 3.5.13` the same scenario holds.")
		require.Zero(t, c.run("run", "issue-15220", "--etcd", "3.5.13"))

		args := []string{"matrix", "--designs", "kep-2340,v0.37.2", "--etcd", "3.5.7,3.5.12,3.6.16"}
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

// TestUnwritableOut is refused before the run, also if it is the folder that is taken if none is named. If it becomes
// so during the run, the story is told all the same.
func TestUnwritableOut(t *testing.T) {
	c := command(t)
	require.Equal(t, exitViolated, c.runWithoutOut("run", "issue-15220", "--seeds", "102..102"))
	require.Contains(t, c.out, "It should show")
	require.Contains(t, c.err, "cannot keep the replay file")
	require.Contains(t, c.err, "--seeds")

	for _, args := range [][]string{{"run", "issue-15220"}, {"prove", "issue-15220"}, {"shrink", "x.json"}} {
		c.refuses([]string{"replay files are kept in simrun-failures, which cannot be written: simrun-failures is a file; name another folder with --out"}, args...)
	}
	require.Equal(t, exitViolated, c.run("run", "issue-15220", "--seeds", "300", "--out", "elsewhere", "--no-story"))
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

// runWithoutOut runs the command, and puts a file in the place of its folder for replay files as soon as it says
// something.
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

const goodHistory = `{"format":"watchbed-history","version":1}
{"client":"a","op":"put","call":1,"return":2,"request":{"key":"/x","value":"1"},"response":{"revision":2}}
{"client":"a","op":"list","call":3,"return":4,"request":{"key":"/","end":"0"},"response":{"revision":2,"items":[{"key":"/x","value":"1","mod":2}]}}
`

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

// TestCommandsThatShowBugsAreAccepted: what `list BUG` prints can be typed.
func TestCommandsThatShowBugsAreAccepted(t *testing.T) {
	c := command(t)
	for _, b := range testbed.KnownBugs() {
		require.NotEqual(t, exitUsage, c.run(append(explain.Command(b), "--seeds", "1", "--no-story")...), "%s: %s", b.Name, c.err)
	}
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
