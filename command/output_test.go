package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/report"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Every command says so if its output did not arrive. A violation keeps its exit code, and
// nothing else does.
func TestLostOutputIsReported(t *testing.T) {
	c := command(t)
	file := c.recorded()
	history := filepath.Join(c.dir, "history.jsonl")
	require.NoError(t, os.WriteFile(history, []byte(goodHistory), 0o600))
	vacuous := filepath.Join(c.dir, "vacuous.jsonl")
	line, _, _ := strings.Cut(goodHistory, "\n")
	require.NoError(t, os.WriteFile(vacuous, []byte(line), 0o600))
	require.Equal(t, exitNoVerdict, c.run("check", vacuous), c.out)
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"--help"}, exitUsage},
		{[]string{"list"}, exitUsage},
		{[]string{"check", history}, exitUsage},
		{[]string{"run", "issue-15220", "--seeds", "300", "--no-story"}, exitViolated},
		{[]string{"check", vacuous}, exitUsage},
		{[]string{"shrink", file}, exitUsage},
	} {
		var err strings.Builder
		code := run(context.Background(), test.args, process{program: "simrun", in: strings.NewReader(""), out: full{}, err: &err})
		require.Equal(t, test.code, code, "%v: %s", test.args, err.String())
		require.Equal(t, 1, strings.Count(err.String(), errFull.Error()), "%v: %s", test.args, err.String())
	}
}

func TestOutputFileFollowsLinksAndKeepsDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	for _, target := range []string{"old", "new"} {
		if target == "old" {
			require.NoError(t, os.WriteFile(target, []byte("before"), 0o600))
		}
		require.NoError(t, os.Symlink(target, target+".link"))
		require.NoError(t, process{}.writeFile("html", target+".link", hello))
		content, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, "hello", string(content))
		info, err := os.Lstat(target + ".link")
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
	}

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.NoError(t, process{}.writeFile("html", fmt.Sprintf("/dev/fd/%d", w.Fd()), hello))
	got := make([]byte, 5)
	_, err = r.Read(got)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
}

// What was there stays whole if the new contents cannot be written, and no other
// file is left behind.
func TestOutputFileIsWholeOrTheOldOne(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("page", []byte("before"), 0o600))
	err := process{}.writeFile("html", "page", func(io.Writer) error { return errFull })
	require.ErrorContains(t, err, "cannot write --html page: no space left")
	content, err := os.ReadFile("page")
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.ErrorContains(t, process{}.writeFile("html", ".", nil), "it is a directory")
	require.ErrorContains(t, process{}.writeFile("html", "missing/page", nil), "cannot write --html missing/page: no such file")
}

// TestJUnitSpellsOut: the text of a failure may have a client's name with control characters of writing direction.
func TestJUnitSpellsOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "junit.xml")
	found := &summary.Summary{
		Scenario: "s", Claims: []string{"linearizable"},
		Properties: map[string]summary.Property{"linearizable": {Verdict: "violated", Violations: 1}},
		Failures:   []summary.Failure{{Property: "linearizable", Story: []string{"a\u202eb is answered"}}},
	}
	require.NoError(t, process{}.writeFile("junit", path, func(w io.Writer) error { return report.WriteJUnit(w, []*summary.Summary{found}) }))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `>a\u202eb is answered</failure>`)
}

// A file at standard output is alone there, whole, and behind what was printed before.
func TestOutputFileAtStandardOutput(t *testing.T) {
	c := command(t)
	explored := []string{"run", "issue-15220", "--seeds", "102..102", "--out", "kept"}
	require.Equal(t, exitViolated, c.run(append(explored, "--junit", "-", "--html", "run.html")...))
	require.True(t, strings.HasPrefix(c.out, "<?xml"), c.out)
	require.True(t, strings.HasSuffix(c.out, "</testsuites>\n"), c.out)
	require.Contains(t, c.out, "<failure")
	page, err := os.ReadFile("run.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "<svg")
	require.Contains(t, c.err, "is violated", "the story is told all the same")
	require.Equal(t, exitViolated, c.run("replay", c.recorded(), "--html", "-"))
	require.True(t, strings.HasPrefix(c.out, "<!DOCTYPE html>"), c.out)
	require.NoFileExists(t, atStandardOutput)
	c.refuses([]string{"--html - and --json both write to standard output"}, append(explored, "--json", "--html", "-")...)
	c.refuses([]string{"--json and --save - both write"}, "compare", "kep-2340", "--scenarios", "issue-15220", "--json", "--save", "-")

	// As a shell opens it for "simrun ... --junit /dev/stdout >printed".
	printed, err := os.Create("printed")
	require.NoError(t, err)
	defer printed.Close()
	s := process{program: "simrun", in: strings.NewReader(""), out: printed, err: io.Discard, outFile: printed}
	path := fmt.Sprintf("/dev/fd/%d", printed.Fd())
	require.Equal(t, exitViolated, run(context.Background(), append(explored, "--no-story", "--junit", path), s))
	both, err := os.ReadFile("printed")
	require.NoError(t, err)
	require.Contains(t, string(both), "<?xml")
	require.Contains(t, string(both), "Campaign hash")
}

// TestOtherWaysToFailFitTheTerminal: they break between words, and are one line each where other programs read them.
func TestOtherWaysToFailFitTheTerminal(t *testing.T) {
	ways := []string{"linearizable-data (missing-write): 120 choices, simrun replay simrun-failures/x.json", "ordered: in the run that is told"}
	var piped, narrow strings.Builder
	writeOtherWays(&piped, report.Terminal{}, "Other ways to fail", ways)
	require.Equal(t, "Other ways to fail:\n  "+ways[0]+"\n  "+ways[1]+"\n\n", piped.String())
	writeOtherWays(&narrow, report.Terminal{Width: 40}, "Other ways to fail", ways)
	require.Equal(t, strings.Fields(piped.String()), strings.Fields(narrow.String()))
	for line := range strings.Lines(narrow.String()) {
		require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 40, line)
	}
}
