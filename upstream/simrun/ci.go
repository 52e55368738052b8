package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// ciFlags are those of simrun ci.
type ciFlags struct {
	*cobra.Command
	compileFlags
	base, out, failOn string
	scenarios, set    []string
	budget            time.Duration
}

func ciCommand() *cobra.Command {
	f := &ciFlags{}
	c := &cobra.Command{
		Use:   "ci SUBJECT --base REF",
		Short: "judge a change: a checkout against the commit that it is based on",
		Long: `Ci judges what a checkout changes, against the same code at another commit of its repository:

  kubernetes@DIR, etcd@DIR  both are compiled as guests, and compared in all scenarios (simrun compare). Run it in the folder upstream
  test@DIR                  the tests of a package run to the bit with both (simrun test)

The checkout is judged as it is, with what is not committed. A claim is newly violated if the base holds it and the difference is none of chance: Fisher's exact test, 0.01 divided by the number of claims that
either violates (Bonferroni). Both run the same seeds: code that behaves the same takes the same course to the bit, and nothing differs. A third of the
budget is kept to look longer at what chance may explain. A test is newly violated if it fails, and passed at the base or was not there. The folder of
--out gets summary.md and junit.xml, and for guests compare.json and a replay of each new violation. The exit code is 0 if nothing is newly violated, 1
if something is, 2 for bad usage or what does not compile, 3 if nothing was judged.`,
		Example: `  simrun ci kubernetes@$HOME/kubernetes --base origin/master --budget 10m
  simrun ci etcd@$HOME/etcd --base HEAD~1 --scenarios issue-15220,issue-17507
  simrun ci test@./mypkg --base main`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, subjects []string) error { return f.judge(c.Context(), subjects[0]) },
	}
	f.Command = c
	c.Flags().StringVar(&f.base, "base", "", "the commit, branch or tag to compare with")
	c.Flags().StringVar(&f.out, "out", "simrun-ci", "the folder of what comes out")
	c.Flags().StringVar(&f.failOn, "fail-on", "new", "what makes the exit code 1: new violations, any difference of verdicts (differs), or nothing (none)")
	c.Flags().DurationVar(&f.budget, "budget", 10*time.Minute, "how long both sides run together, beside compiling")
	c.Flags().StringSliceVar(&f.scenarios, "scenarios", nil, "only these scenarios, comma separated")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set an option for both, NAME=VALUE; may be repeated")
	f.add(c)
	return c
}

func (f *ciFlags) judge(ctx context.Context, subject string) error {
	kind, folder, found := strings.Cut(subject, "@")
	switch {
	case !found || folder == "" || !slices.Contains([]string{"kubernetes", "etcd", "test"}, kind):
		return fmt.Errorf("ci %s: want kubernetes@DIR, etcd@DIR or test@DIR", subject)
	case f.base == "":
		return errors.New("--base is missing: want the commit, branch or tag to compare with")
	case !slices.Contains([]string{"new", "differs", "none"}, f.failOn):
		return fmt.Errorf("--fail-on %s: want new, differs or none", f.failOn)
	}
	for _, flag := range map[bool][]string{true: {"scenarios", "set"}, false: {"run", "tags", "stand-in"}}[kind == "test"] {
		if f.Flags().Changed(flag) {
			return fmt.Errorf("--%s says nothing about %s", flag, subject)
		}
	}
	test, err := f.of(folder)
	if err != nil {
		return fmt.Errorf("ci %s@%w", kind, err)
	}
	at, err := checkOut(ctx, folder, f.base, filepath.Base(f.out)+"/")
	if err != nil {
		return err
	}
	defer at.remove()
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return err
	}
	var j *judged
	if kind == "test" {
		j, err = f.tests(ctx, folder, test, at)
	} else {
		j, err = f.guests(ctx, kind, folder, at)
	}
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	return f.report(j, at)
}

// based is a repository's work tree at another commit.
type based struct {
	// top is the repository, root the other work tree, below the folder of the subject in both.
	top, root, below string
	// commit is short, head is that of the checkout and says how much is not committed.
	commit, head string
}

// checkOut makes a work tree of the base beside the subject's. A folder out is none of its files.
func checkOut(ctx context.Context, folder, ref, out string) (*based, error) {
	git := func(arguments ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, arguments...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is in no git repository", folder)
	}
	commit, err := git("rev-parse", "--short=10", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("--base %s: %s has no such commit; a shallow clone has to fetch it", ref, top)
	}
	below, err := git("rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	head, err := git("rev-parse", "--short=10", "HEAD")
	if err != nil {
		return nil, err
	}
	changed, err := git("status", "--porcelain", ":/")
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(strings.Split(changed, "\n"), func(line string) bool { return line == "" || strings.HasSuffix(line, out) })
	if len(files) > 0 {
		head += " with " + sim.Some(len(files), "file") + " not committed"
	}
	directory, err := guests.Directory()
	if err != nil {
		return nil, err
	}
	// The same path each time: a guest is named after its folder, and refused if another folder has made it.
	b := &based{top, filepath.Join(directory, "base", filepath.Base(top), "base-"+commit), below, commit, head}
	b.remove()
	if out, err := exec.CommandContext(ctx, "git", "-C", top, "worktree", "add", "--quiet", "--force", "--detach", b.root, commit).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git worktree add: %s", bytes.TrimSpace(out))
	}
	return b, nil
}

func (b *based) remove() {
	// It may not be there.
	_ = exec.Command("git", "-C", b.top, "worktree", "remove", "--force", b.root).Run()
}

// judged is what a change makes different.
type judged struct {
	subject string
	// fresh are newly violated, mended no longer, other differs otherwise. Each is a line of a table.
	fresh, mended, other []differs
	// alike says what does not differ.
	alike string
	// stories are told of what is newly violated.
	stories []string
}

// differs is a claim in a scenario, or a test.
type differs struct{ in, claim, base, head, chance string }

// guests compares two guests.
func (f *ciFlags) guests(ctx context.Context, kind, folder string, at *based) (*judged, error) {
	base, err := f.compile(ctx, kind+"@"+filepath.Join(at.root, at.below))
	if err != nil {
		return nil, fmt.Errorf("the base, %s: %w", at.commit, err)
	}
	head, err := f.compile(ctx, kind+"@"+folder)
	if err != nil {
		return nil, err
	}
	c, err := f.compare(ctx, base, head, f.scenarios, f.budget*2/3)
	if err != nil {
		return nil, err
	}
	if again := perhapsNew(c); len(again) > 0 {
		longer, err := f.compare(ctx, base, head, again, f.budget/3)
		if err != nil {
			return nil, err
		}
		seen := func(d matrix.Difference) bool { return slices.Contains(again, d.Scenario) }
		c.Differs = append(slices.DeleteFunc(c.Differs, seen), longer.Differs...)
		c.Perhaps = append(slices.DeleteFunc(c.Perhaps, seen), longer.Perhaps...)
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(f.out, "compare.json"), append(text, '\n'), 0o644); err != nil {
		return nil, err
	}
	j, runs := sorted(head, c)
	for _, command := range runs {
		text, err := f.itself(ctx, append(strings.Fields(command)[1:], "--out", filepath.Join(f.out, "replays"))...)
		if err != nil {
			return nil, err
		}
		j.stories = append(j.stories, story.FindString(string(text)))
	}
	return j, nil
}

// story is the part of what simrun run prints up to the replay.
var story = regexp.MustCompile(`(?s)^.*?\nReplay: [^\n]*`)

// sorted tells new violations from what differs otherwise. runs are the commands that show the new ones, each once.
func sorted(head string, c *matrix.Comparison) (j *judged, runs []string) {
	j = &judged{subject: head, alike: fmt.Sprintf("%d claims of %s are alike; %d of these take the same course to the bit. Of %d claims nothing can be said.",
		c.Alike.Verdicts, sim.Some(c.Scenarios, "scenario"), c.Alike.SameRuns, len(c.Unknown))}
	most := fresh / float64(max(1, len(c.Differs)+len(c.Perhaps)+c.Alike.Violated))
	for _, d := range slices.Concat(c.Differs, c.Perhaps) {
		line := differs{d.Scenario, d.Property, side(d.Sides[0]), side(d.Sides[1]), fmt.Sprintf("%.2g", d.Chance)}
		switch {
		case isNew(d.Sides[0], d.Sides[1]) && d.Chance <= most:
			j.fresh = append(j.fresh, line)
			if ways := d.Sides[1].Ways; len(ways) > 0 && !slices.Contains(runs, ways[0].Command) {
				runs = append(runs, ways[0].Command)
			}
		case isNew(d.Sides[1], d.Sides[0]) && d.Chance <= most:
			j.mended = append(j.mended, line)
		default:
			j.other = append(j.other, line)
		}
	}
	return j, runs
}

// fresh is the chance below which all new violations together are none of chance.
const fresh = 0.01

func isNew(base, head *matrix.Claim) bool {
	return head.Verdict == model.Violated && base.Verdict != model.Violated
}

// perhapsNew are the scenarios in which chance may explain a new violation.
func perhapsNew(c *matrix.Comparison) (scenarios []string) {
	for _, d := range slices.Concat(c.Differs, c.Perhaps) {
		if isNew(d.Sides[0], d.Sides[1]) && d.Chance > fresh/100 && !slices.Contains(scenarios, d.Scenario) {
			scenarios = append(scenarios, d.Scenario)
		}
	}
	return scenarios
}

func side(c *matrix.Claim) string {
	return fmt.Sprintf("%s, %d of %d", c.Verdict, c.Violations, c.Schedules)
}

// compile makes a guest, and returns its name.
func (f *ciFlags) compile(ctx context.Context, guest string) (string, error) {
	c := exec.CommandContext(ctx, "go", "run", "./build", guest)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		if _, missing := os.Stat("build"); missing != nil {
			return "", errors.New("guests are compiled in the folder upstream of a clone of watchbed: run this there")
		}
		return "", errors.New(strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(complaints.String()), "\nexit status 2"), "build: "))
	}
	return strings.TrimSuffix(filepath.Base(strings.TrimSpace(out.String())), ".wasm"), nil
}

func (f *ciFlags) compare(ctx context.Context, base, head string, scenarios []string, budget time.Duration) (*matrix.Comparison, error) {
	arguments := []string{"compare", base, head, "--json", "--for", budget.Round(time.Second).String()}
	if len(scenarios) > 0 {
		arguments = append(arguments, "--scenarios", strings.Join(scenarios, ","))
	}
	for _, s := range f.set {
		arguments = append(arguments, "--set", s)
	}
	text, err := f.itself(ctx, arguments...)
	c := new(matrix.Comparison)
	if wrong := json.Unmarshal(text, c); wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	return c, nil
}

// itself runs the program once more: guests are registered when it starts. An exit code other than 2 is a verdict.
func (f *ciFlags) itself(ctx context.Context, arguments ...string) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out, complaints bytes.Buffer
	c := exec.CommandContext(ctx, program, arguments...)
	c.Stdout, c.Stderr = &out, io.MultiWriter(&complaints, f.ErrOrStderr())
	var end *exec.ExitError
	if err := c.Run(); errors.As(err, &end) && end.ExitCode() != exitOfUsage || err == nil {
		return out.Bytes(), nil
	}
	return out.Bytes(), errors.New(strings.TrimSpace(complaints.String()))
}

const exitOfUsage = 2

// outcome is a line that says what came of a test. Package testing puts a mark before it, which tells it from what the
// test prints.
var outcome = regexp.MustCompile(mark + ` *(?:=== (RUN)  |--- (PASS|FAIL|SKIP):) (\S+)`)

const mark = "\x16"

// tested is what came of the tests of a package, and what they printed.
type tested struct {
	outcomes map[string]string
	printed  string
}

// carryOut compiles the tests and runs them. A test that ends the process fails.
func (f *ciFlags) carryOut(ctx context.Context, t *overlay.Test, folder string) (*tested, error) {
	c, err := compile(ctx, t)
	if err != nil {
		return nil, err
	}
	defer c.remove()
	var out bytes.Buffer
	if _, err := c.run(ctx, []string{"-test.v=test2json", "-test.run=" + f.run}, "simrun test "+folder, &out, &out); err != nil {
		return nil, err
	}
	came := &tested{map[string]string{}, out.String()}
	for _, m := range outcome.FindAllStringSubmatch(came.printed, -1) {
		came.outcomes[m[3]] = cmp.Or(m[2], "FAIL")
	}
	return came, nil
}

// tests runs the tests of a package at both commits.
func (f *ciFlags) tests(ctx context.Context, folder string, t *overlay.Test, at *based) (*judged, error) {
	head, err := f.carryOut(ctx, t, folder)
	switch {
	case err != nil:
		return nil, err
	case len(head.outcomes) == 0:
		return nil, command.NoVerdict(fmt.Errorf("no test of %s ran: --run %q names none", folder, f.run))
	}
	j, base := &judged{subject: "test@" + folder}, &tested{}
	older := *t
	older.Folder, older.Tree, older.Repository = filepath.Join(at.root, at.below), at.root, at.top
	if _, err := os.Stat(older.Folder); err == nil {
		base, err = f.carryOut(ctx, &older, folder)
		switch {
		case errors.Is(err, overlay.ErrNoTests):
			base = &tested{}
		case err != nil:
			return nil, fmt.Errorf("the base, %s: %w", at.commit, err)
		}
	}
	if len(base.outcomes) == 0 {
		j.alike = "The base runs none of these tests. "
	}
	const none = "not run"
	alike := 0
	names := slices.Sorted(maps.Keys(head.outcomes))
	for name := range base.outcomes {
		if _, too := head.outcomes[name]; !too {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, now := cmp.Or(base.outcomes[name], none), cmp.Or(head.outcomes[name], none)
		line := differs{in: folder, claim: name, base: was, head: now}
		switch {
		case was == now:
			alike++
		case now == "FAIL":
			j.fresh = append(j.fresh, line)
			_, told, _ := strings.Cut(head.printed, mark+"=== RUN   "+name+"\n")
			told, _, _ = strings.Cut(told, mark+"=== RUN   ")
			j.stories = append(j.stories, strings.ReplaceAll(told, mark, ""))
		case now == "PASS" && was == "FAIL":
			j.mended = append(j.mended, line)
		default:
			j.other = append(j.other, line)
		}
	}
	j.alike += sim.Some(alike, "test") + " came to the same."
	return j, nil
}

// report writes what was found, and prints the summary.
func (f *ciFlags) report(j *judged, at *based) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s (%s) against %s (%s)\n\n", j.subject, at.head, f.base, at.commit)
	if len(j.fresh) == 0 {
		b.WriteString("**Nothing is newly violated.** ")
	} else {
		fmt.Fprintf(&b, "**Newly violated: %s.** ", sim.Some(len(j.fresh), "claim"))
	}
	b.WriteString(j.alike + "\n")
	table := func(title string, lines []differs) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n| in | claim | base | now | chance |\n| --- | --- | --- | --- | --- |\n", title)
		for _, l := range lines {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", l.in, l.claim, l.base, l.head, l.chance)
		}
	}
	table("Newly violated", j.fresh)
	for _, story := range j.stories {
		fmt.Fprintf(&b, "\n````text\n%s\n````\n", strings.TrimSpace(story))
	}
	table("No longer violated", j.mended)
	table("Differs otherwise", j.other)
	if err := os.WriteFile(filepath.Join(f.out, "summary.md"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	if err := writeJUnit(filepath.Join(f.out, "junit.xml"), j); err != nil {
		return err
	}
	if _, err := io.WriteString(f.OutOrStdout(), b.String()); err != nil {
		return err
	}
	if f.failOn == "new" && len(j.fresh) > 0 || f.failOn == "differs" && len(j.fresh)+len(j.mended)+len(j.other) > 0 {
		return command.Exit(model.Violated)
	}
	return nil
}

// testSuite is the part of JUnit's format that all of its readers know.
type testSuite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Failure *string `xml:"failure"`
}

func writeJUnit(file string, j *judged) error {
	s := testSuite{Name: j.subject, Tests: len(j.fresh) + len(j.mended) + len(j.other), Failures: len(j.fresh)}
	for i, d := range slices.Concat(j.fresh, j.mended, j.other) {
		c := testCase{Class: d.in, Name: d.claim}
		if i < len(j.fresh) {
			why := "base: " + d.base + "; now: " + d.head
			if i < len(j.stories) {
				why += "\n" + j.stories[i]
			}
			c.Failure = &why
		}
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
