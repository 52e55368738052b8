package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
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

// TestScripts plays the files of testdata/scripts, which github.com/cockroachdb/datadriven reads: command lines, and
// what each prints. `go test ./command -run Scripts -rewrite` writes that anew; read the diff.
//
//	simrun                       command lines, each in the directory of its file. "full" behind it: at full size only
//	run issue-1522               the arguments. Those with blanks stand in quotes, those with a * are names of files
//	list etcd | ^  3.5           of what is printed the lines that match
//	----
//	! simrun: unknown ...        a line of standard error
//	[2]                          the exit code, unless it is 0
//
// "file NAME" writes a file, "edit FILE NEW" copies one and replaces the first line of its input by the second, "stdin"
// is what the next commands read, and "interrupted" runs commands after an interrupt. Times, hashes and the version of
// the program are left out.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			path, err := filepath.Abs(file)
			require.NoError(t, err)
			c := command(t)
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return c.play(t, d) })
		})
	}
}

func (c *simrun) play(t *testing.T, d *datadriven.TestData) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch arg := func(i int) string { return c.names(d.CmdArgs[i].String())[0] }; d.Cmd {
	case "file":
		require.NoError(t, os.MkdirAll(filepath.Dir(arg(0)), 0o755))
		require.NoError(t, os.WriteFile(arg(0), []byte(d.Input+"\n"), 0o644))
		return ""
	case "edit":
		was, is, _ := strings.Cut(d.Input, "\n")
		content, err := os.ReadFile(arg(0))
		require.NoError(t, err)
		require.Contains(t, string(content), was)
		require.NoError(t, os.WriteFile(arg(1), []byte(strings.Replace(string(content), was, is, 1)), 0o644))
		return ""
	case "stdin":
		c.in = d.Input + "\n"
		return ""
	case "interrupted":
		cancel()
	}
	if d.HasArg("full") && !testsize.Full() {
		return d.Expected
	}
	var b strings.Builder
	lines := strings.Split(d.Input, "\n")
	for i, line := range lines {
		if len(lines) > 1 {
			b.WriteString(map[bool]string{true: "\n"}[i > 0] + "> " + line + "\n")
		}
		line, only, _ := strings.Cut(line, " | ")
		code := c.runIn(ctx, c.words(line)...)
		b.WriteString(matching(steady(c.out), only, "") + matching(steady(c.err), only, "! "))
		if code != exitHolds {
			b.WriteString("[" + string(rune('0'+code)) + "]\n")
		}
	}
	return b.String()
}

var word = regexp.MustCompile(`"[^"]*"|\S+`)

// words are the arguments of a line.
func (c *simrun) words(line string) (words []string) {
	for _, w := range word.FindAllString(line, -1) {
		if strings.HasPrefix(w, `"`) {
			words = append(words, strings.NewReplacer(`\n`, "\n", `\x1b`, "\x1b").Replace(strings.Trim(w, `"`)))
		} else {
			words = append(words, c.names(w)...)
		}
	}
	return words
}

// names are the files that a pattern stands for.
func (c *simrun) names(pattern string) []string {
	if found, err := filepath.Glob(pattern); err == nil && strings.Contains(pattern, "*") && len(found) > 0 {
		return found
	}
	return []string{pattern}
}

// matching are the lines of a text that match a pattern.
func matching(text, pattern, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if regexp.MustCompile(pattern).MatchString(line) {
			b.WriteString(prefix + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

// unsteady is what differs from run to run, from build to build, or with each change of what is simulated.
var unsteady = []struct {
	text *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(` in \d+\.\d+ s\b`), " in T s"},
	{regexp.MustCompile(`depend on it \(default \d+\)`), "depend on it (default N)"},
	{regexp.MustCompile(`time="\d+\.\d+"`), `time="T"`},
	{regexp.MustCompile(`\d[\d.,]* (million )?(states )?a second(, [\d.]+ bytes a state)?`), "N a second"},
	{regexp.MustCompile(` in T s, N a second`), ""},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "HASH"},
	{regexp.MustCompile(`-[0-9a-f]{8}\.json`), "-HASH.json"},
	{regexp.MustCompile(`#1\.[-\w]{100,1000}\b`), "#1.LINK"},
	{regexp.MustCompile(`watchbed (devel|v\d)[-+.\w]*`), "watchbed VERSION"},
	{regexp.MustCompile(`simrun version .*`), "simrun version VERSION"},
}

// longestSummary is more bytes than the summary of a campaign or a search has, and fewer than a catalogue.
const longestSummary = 2_000

func steady(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		line := strings.Join(strings.Fields(paragraph), " ")
		if len(line) < longestSummary && (strings.Contains(line, "a second") || strings.Contains(line, "re-run: identical")) {
			// Where the lines of a summary end depends on the times, and whether it has a rate.
			paragraphs[i] = line + map[bool]string{true: "\n"}[strings.HasSuffix(paragraph, "\n")]
		}
	}
	text = strings.Join(paragraphs, "\n\n")
	for _, u := range unsteady {
		text = u.text.ReplaceAllString(text, u.by)
	}
	return text
}
