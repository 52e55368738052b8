package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command/explain"
	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// defaultSeeds take well under a second in every scenario of the catalogue.
const defaultSeeds = 6_000

const runExamples = `  PROGRAM run issue-15220 --etcd 3.5.7
  PROGRAM run consistent-list --etcd 3.6.16 --for 5m --strategy paced
  PROGRAM run issue-15220 --set writers=3 --set reads=5 --seeds 1000..1999 --json
  PROGRAM run --bug kubernetes-58545
  PROGRAM run any-requests --draw 0..199 --expect`

// exploring are the flags of commands that explore, and keep what fails.
type exploring struct {
	parameters
	limit     time.Duration
	workers   int
	out, html string
	json      bool
}

// add declares them: until is how long to go on, page what --html writes.
func (f *exploring) add(c *cobra.Command, s process, until, page string) {
	f.parameters.add(c, s.program, "scenario")
	c.Flags().DurationVar(&f.limit, "for", 0, "how long to go on, such as 60s"+until)
	c.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), workersHelp)
	c.Flags().StringVar(&f.out, outFlag, failuresDir, "directory for replay files; none is ever overwritten")
	c.Flags().BoolVar(&f.json, "json", false, jsonHelp)
	c.Flags().StringVar(&f.html, "html", "", "write a page about "+page+" to this file (-: standard output)")
}

const (
	workersHelp = "how many run at the same time; the result does not depend on it"
	jsonHelp    = "print one JSON object and nothing else"
)

type runFlags struct {
	exploring
	seeds      string
	strategy   string
	junit      string
	latency    string
	expect     bool
	noShrink   bool
	noStory    bool
	draw       string
	first      uint64
	seedsCount uint64
	firstDraw  uint64
	drawsCount uint64
}

func runCommand(s process) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:     "run [SCENARIO]",
		Short:   "explore schedules of a scenario",
		Long:    "Run explores schedules of a scenario, and prints the shortest story of each way in which they fail.\nWith --bug and no scenario it takes the one in which the bug shows.\nThe first run of each, unshrunk, is in the folder unshrunk under --out as soon as it is found.\nAn interrupt stops it cleanly: what was found until then is shrunk for 10 seconds more, printed and kept.",
		Example: s.named(runExamples),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && len(f.bugs) > 0 {
				return nil
			}
			return oneArgument("scenario", s.program+" list scenarios")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.runWhereBugsShow(c, s)
			}
			return f.run(c.Context(), s, args[0])
		},
	}
	f.add(c, s, "; with --seeds the limit that is reached first ends it", "the first failure")
	c.Flags().StringVar(&f.seeds, "seeds", "", "how many seeds, or FIRST..LAST (default "+strconv.Itoa(defaultSeeds)+", unless --for is given); with --for the limit that is reached first ends it")
	c.Flags().StringVar(&f.draw, "draw", "", "swarm parameters: draw options, sizes and faults from this number, or from each of FIRST..LAST; these share the seeds, at least one each")
	c.Flags().StringVar(&f.strategy, "strategy", strategy.Default().Name, "strategy that chooses the steps ("+s.program+" list strategies)")
	c.Flags().StringVar(&f.junit, "junit", "", "write the outcome as JUnit XML to this file (-: standard output)")
	c.Flags().StringVar(&f.latency, "latency", "", "measure how long events are in each stage of their way from etcd to the clients of caches, and beside it what Kubernetes measures,\nand write a picture of it (SVG) to this file (-: standard output)")
	c.Flags().BoolVar(&f.expect, "expect", false, "compare what is violated with the rows of what is known ("+s.program+" list SCENARIO), and cite the reasons in them:\nexit 0 if they agree, 1 if a violation is in no row, 3 if one that every campaign finds is missing")
	c.Flags().BoolVar(&f.noShrink, "no-shrink", false, "do not shrink failing runs")
	c.Flags().BoolVar(&f.noStory, "no-story", false, "only count: tell and shrink no failing run; the first of each is in the folder unshrunk")
	return c
}

// oneArgument wants exactly one, and says which.
func oneArgument(what, where string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("which %s? (%s)", what, where)
		case len(args) > 1:
			return usage("one %s at a time, and not also %q", what, args[1])
		}
		return nil
	}
}

// runWhereBugsShow runs the scenario in which the planted bugs show.
func (f *runFlags) runWhereBugsShow(c *cobra.Command, s process) error {
	others := f.parameters
	others.bugs = nil
	choice, err := whereBugsShow(f.bugs, others.apply)
	switch {
	case errors.As(err, new(*exitError)):
		return err
	case err != nil:
		return usage("--bug: %w (run `%s list bugs` for all of them)", err, s.program)
	}
	f.bugs = choice.bugs
	if c.Flags().Changed("strategy") {
		choice.strategy = ""
	}
	f.strategy = cmp.Or(choice.strategy, f.strategy)
	s.complain("%s", choice.why)
	return f.run(c.Context(), s, choice.scenario.Name)
}

func (f *runFlags) run(ctx context.Context, s process, name string) error {
	x, err := f.plan(s, name)
	if err != nil {
		return err
	}
	f.note(s, &x.params)
	var asked []askedSetting
	if f.drawsCount <= 1 {
		// Of many draws each has something else already.
		asked = noteAlready(s, x.scenario.Name, &x.params, f.asked(f.built(x.scenario)))
	}
	if err := x.explore(ctx); err != nil {
		return err
	}
	ctx, cancel := WithTimeToTell(ctx)
	defer cancel()
	if err := x.diagnose(ctx); err != nil {
		return err
	}
	// Before the text, which may be the end: who reads it may close the pipe.
	files := x.files()
	if f.json {
		err = report.WriteJSON(s.out, x.found)
	} else {
		err = x.text()
	}
	if x.many == nil {
		idle, notCompared := idle(ctx, s.program, x.scenario, x.params, asked, x.cfg, x.result)
		for _, line := range idle {
			s.complain("%s", line)
		}
		err = errors.Join(err, notCompared)
	}
	return errors.Join(x.outcome(), err, files)
}

// explored is a scenario with what its schedules came to.
type explored struct {
	*runFlags
	s        process
	scenario *testbed.Scenario
	params   testbed.Params
	subjects func() explore.Subject
	cfg      campaign.Config
	// many is about several draws, nil if there is one, or none.
	many   *drawn
	live   *progress
	finder diagnosis.Finder
	first  *unshrunk
	result *campaign.Result
	found  *summary.Summary
	kept   []*keptRun
}

// plan reads the flags, refuses what does not fit together, and says what is explored.
func (f *runFlags) plan(s process, name string) (*explored, error) {
	f.measures = f.latency != ""
	sc, p, err := f.scenario(name)
	if err != nil {
		return nil, err
	}
	if err := f.parseDraws(); err != nil {
		return nil, err
	}
	if f.drawsCount > 0 {
		first, err := sc.Draw(f.firstDraw, f.apply)
		if err != nil {
			return nil, usage("--draw: %w", err)
		}
		if f.drawsCount == 1 {
			p = first
		}
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, usage("%w", err)
	}
	chosen, err := strategy.Find(f.strategy)
	if err != nil {
		return nil, usage("--strategy: %w", err)
	}
	if err := f.parseSeeds(); err != nil {
		return nil, err
	}
	switch {
	case f.seeds != "" && f.seedsCount < f.drawsCount:
		return nil, usage("--seeds %s: %d draws need as many seeds at least", f.seeds, f.drawsCount)
	case f.seeds == "" && f.limit == 0 && f.drawsCount > defaultSeeds:
		return nil, usage("--draw %s: %d draws take as many schedules at least, and without --seeds and --for there are %d: give one of these", f.draw, f.drawsCount, defaultSeeds)
	case f.html != "" && f.noStory:
		return nil, usage("--html draws the story of the first failure: leave out --no-story")
	case f.latency != "" && p.Clock.Mode != sim.Timed:
		return nil, usage("--latency: %s has no clock, so that nothing takes time; give it one with --set mode=timed", sc.Name)
	}
	outputs := []struct{ flag, path string }{{"html", f.html}, {"junit", f.junit}, {"latency", f.latency}}
	for i, a := range outputs {
		for _, b := range outputs[i+1:] {
			if a.path != "" && sameOutput(a.path, b.path) {
				return nil, usage("--%s and --%s both write %s; give them different files", a.flag, b.flag, b.path)
			}
		}
	}
	x := &explored{
		runFlags: f, s: s, scenario: sc, params: p, subjects: subjects, live: newProgress(s, f.seedsCount, f.limit), first: newUnshrunk(f.out),
		finder: diagnosis.Finder{Scenario: sc, Params: p, Strategy: chosen, First: f.first, Shrink: !f.noShrink, Tool: s.tool()},
	}
	x.cfg = campaign.Config{
		Strategy: chosen, FirstSeed: f.first, Seeds: f.seedsCount, For: f.limit, Workers: f.workers, Steps: p.Clock.Steps,
		Progress: x.live.campaign,
		Failed:   func(tally campaign.FailureTally) { x.first.keep(&x.finder, tally) },
	}
	return x, checkWorkers(f.workers)
}

// explore runs the schedules. The first run of each way to fail is kept at once.
func (x *explored) explore(ctx context.Context) (err error) {
	if !x.noStory {
		shown := firstStory{process: x.s, progress: x.live}
		if !x.noShrink {
			shown.then = ", then shrinking"
		}
		x.first.kept = shown.tell
	}
	if x.drawsCount > 1 {
		x.many = newDrawn(x)
		x.result, err = x.many.explore(ctx, x.cfg)
	} else {
		x.result, err = x.campaign(ctx)
	}
	x.live.end()
	if err != nil {
		return NoVerdict(err)
	}
	if err := summary.LeaveOutLacking(&x.params, x.result); err != nil {
		return usage("%w", err)
	}
	if x.many != nil {
		x.found = summary.OfDrawn(x.scenario, &x.params, x.result, x.many.looked(x.result), &x.many.outcome)
	} else {
		x.found = summary.Of(x.scenario, &x.params, x.result)
	}
	return nil
}

// campaign runs it in this process, or where a bed has it run.
func (x *explored) campaign(ctx context.Context) (*campaign.Result, error) {
	for _, b := range x.s.beds {
		if b.Campaign != nil {
			return b.Campaign(ctx, x.scenario, &x.params, x.cfg)
		}
	}
	return campaign.Run(ctx, x.subjects, x.cfg)
}

// diagnose shrinks, explains and saves each way to fail, and adds what comes of
// it to the summary.
func (x *explored) diagnose(ctx context.Context) (err error) {
	switch {
	case x.noStory:
	case x.many != nil:
		err = x.many.diagnose(ctx)
	default:
		x.finder.Last = x.runFlags.first + x.result.Schedules - 1
		err = x.diagnoseAll(ctx, x.finder, x.result.Failures)
	}
	x.first.link(x.found)
	return err
}

// built makes the parameters of a run from a change of those of its scenario: of what was drawn, if there is one draw.
func (f *runFlags) built(sc *testbed.Scenario) func(change func(*testbed.Params) error) (testbed.Params, error) {
	if f.drawsCount == 0 {
		return changed(sc.Params)
	}
	return func(change func(*testbed.Params) error) (testbed.Params, error) {
		return sc.Draw(f.firstDraw, change)
	}
}

// unknownScenario says where to look: the name may be one of something else.
func unknownScenario(program, name string, err error) error {
	if what := explain.Misnamed(name); what != "" {
		return usage("%q is not a scenario but %s; run `%s list %s`", name, what, program, name)
	}
	return usage("%w (run `%s list` for all names)", err, program)
}

// maxWorkers is more than any machine has processors.
const maxWorkers = 1024

func checkWorkers(n int) error {
	if n < 1 || n > maxWorkers {
		return usage("--workers %d: want 1 to %d", n, maxWorkers)
	}
	return nil
}

// parseSeeds reads "N" or "FIRST..LAST".
func (f *runFlags) parseSeeds() (err error) {
	switch {
	case strings.Contains(f.seeds, ".."):
		f.first, f.seedsCount, err = parseRange("seeds", "seed", f.seeds)
	case f.seeds != "":
		if f.seedsCount, err = strconv.ParseUint(f.seeds, 10, 64); err != nil || f.seedsCount == 0 {
			return usage("--seeds %s: want a number of seeds from 1 on, or FIRST..LAST", f.seeds)
		}
	case f.limit == 0:
		f.seedsCount = defaultSeeds
	}
	return err
}

// parseDraws reads "N" or "FIRST..LAST": the number of a draw, or of several.
func (f *runFlags) parseDraws() (err error) {
	switch {
	case strings.Contains(f.draw, ".."):
		f.firstDraw, f.drawsCount, err = parseRange("draw", "draw", f.draw)
	case f.draw != "":
		f.drawsCount = 1
		if f.firstDraw, err = strconv.ParseUint(f.draw, 10, 64); err != nil {
			return usage("--draw %s: want the number of a draw, or FIRST..LAST", f.draw)
		}
	}
	return err
}

// parseRange reads "FIRST..LAST", the value of a flag that counts such things.
func parseRange(flag, thing, text string) (first, count uint64, err error) {
	from, to, _ := strings.Cut(text, "..")
	a, errA := strconv.ParseUint(from, 10, 64)
	b, errB := strconv.ParseUint(to, 10, 64)
	switch {
	case errA != nil || errB != nil:
		return 0, 0, usage("--%s %s: want two numbers, FIRST..LAST", flag, text)
	case b < a:
		return 0, 0, usage("--%s %s: want FIRST..LAST with FIRST not above LAST", flag, text)
	case b-a == math.MaxUint64:
		return 0, 0, usage("--%s %s: want one %s less, so that their number fits into 64 bits", flag, text, thing)
	}
	return a, b - a + 1, nil
}

// keptRun is a diagnosis with its replay file; err says why there is none.
type keptRun struct {
	*diagnosis.Diagnosis
	path string
	err  error
}

// shows reports whether the run fails in this way.
func (k *keptRun) shows(f explore.Failure) bool { return k.Failure == f || slices.Contains(k.Also, f) }

// shrinkingLimit is how long the failures of one set of parameters are shrunk. Most take seconds.
const shrinkingLimit = 2 * time.Minute

// diagnoseAll is about the failures of one set of parameters.
func (x *explored) diagnoseAll(ctx context.Context, finder diagnosis.Finder, failures []campaign.FailureTally) error {
	var kept []*keptRun
	finder.Progress = func(failure explore.Failure, number, total int) {
		x.live.line(fmt.Sprintf("shrinking %s, %d of %d", failure, number, total))
	}
	finder.Found = func(d *diagnosis.Diagnosis) {
		k := &keptRun{Diagnosis: d}
		k.path, k.err = d.Recording.Create(x.out)
		kept = append(kept, k)
	}
	finder.Limit = shrinkingLimit
	_, err := finder.Find(ctx, failures)
	x.live.end()
	for _, k := range kept {
		if k.Stopped && k.err == nil {
			when := fmt.Sprintf("after %s", finder.Limit)
			if ctx.Err() != nil {
				when = fmt.Sprintf("%s after the interrupt", toTell)
			}
			x.s.complain("shrinking stopped %s; `%s shrink %s` goes on", when, x.s.program, recording.ShellWord(k.path))
			break
		}
	}
	for _, k := range kept {
		x.found.Link(k.Failure, k.Story.Why, k.Lines(), len(k.Recording.Choices), k.path)
		for _, also := range k.Also {
			// Its cause may be another one.
			why := k.Recording.Why(also)
			x.found.Link(also, why, append(k.Story.Steps(), why), len(k.Recording.Choices), k.path)
		}
	}
	for _, tally := range failures {
		if slices.ContainsFunc(kept, func(k *keptRun) bool { return k.err == nil && k.shows(tally.Failure) }) {
			a := x.first
			a.runs = slices.DeleteFunc(a.runs, func(r *foundRun) bool { return r.Failure == tally.Failure && r.FirstSeed == tally.FirstSeed })
		}
	}
	x.kept = append(x.kept, kept...)
	return err
}

// text tells the first failure, names the others, and ends with the summary,
// which is what a person looks at last.
func (x *explored) text() error {
	draw := ""
	if x.found.Draws != "" && len(x.kept) > 0 {
		draw = x.found.FirstOf(x.kept[0].Failure)
	}
	if err := x.s.tellFirst(x.kept, draw, x.first.lines(x.s.program)); err != nil {
		return err
	}
	return report.WriteSummary(x.s.out, x.s.terminal(), x.found)
}

// tellFirst tells the first of the runs that were kept, and names the other ways to fail, those without a run at the
// end.
func (s process) tellFirst(kept []*keptRun, draw string, others []string) error {
	o, title := s.terminal(), "Ways to fail"
	if len(kept) > 0 {
		title = "Other ways to fail"
		if err := report.WriteStory(s.out, o, kept[0].Diagnosis); err != nil {
			return err
		}
		fmt.Fprintln(s.out)
		if kept[0].path != "" {
			fmt.Fprintf(s.out, "Replay: %s\n", recording.Again(s.program, kept[0].path))
			if draw != "" {
				fmt.Fprintf(s.out, "The draw: %s\n", draw)
			}
			fmt.Fprintln(s.out)
		}
	}
	writeOtherWays(s.out, o, title, append(otherWays(s.program, kept), others...))
	return nil
}

// CannotKeep is the error about a replay file; again is what finds its run again.
func CannotKeep(failure explore.Failure, folder string, err error, again string) error {
	return usage("cannot keep the replay file of %s under %s: %w (give another --out; %s finds it again)", failure, folder, withoutPath(err), again)
}

// otherWays are the failures that are not told, each with its run. Some have none of
// their own, since the run of another one shows them as well.
func otherWays(program string, kept []*keptRun) []string {
	var lines []string
	for i, k := range kept {
		same := "in the run that is told"
		if i > 0 {
			line := fmt.Sprintf("%s: %d choices", k.Failure, len(k.Recording.Choices))
			if k.path != "" {
				line += fmt.Sprintf(", %s", recording.Again(program, k.path))
			}
			lines = append(lines, line)
			same = "in the run of " + k.Failure.String()
		}
		for _, also := range k.Also {
			lines = append(lines, also.String()+": "+same)
		}
	}
	return lines
}

// writeOtherWays writes a line for each, which goes on below it on a narrow terminal, and nothing if there are none.
func writeOtherWays(w io.Writer, o report.Terminal, title string, ways []string) {
	if len(ways) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for _, way := range ways {
		if o.Width > 0 {
			way = o.Wrap(way, 4)
		}
		fmt.Fprintf(w, "  %s\n", way)
	}
	fmt.Fprintln(w)
}

// files writes what was asked for besides, and reports replay files that could
// not be written: nothing is lost silently.
func (x *explored) files() error {
	var errs []error
	for _, k := range x.kept {
		if k.err != nil {
			errs = append(errs, CannotKeep(k.Failure, x.out, k.err, x.found.FirstOf(k.Failure)))
		}
	}
	for _, l := range x.first.lost {
		if !slices.ContainsFunc(x.kept, func(k *keptRun) bool { return k.shows(l.Failure) }) {
			errs = append(errs, CannotKeep(l.Failure, x.out, l.err, x.found.FirstOf(l.Failure)))
		}
	}
	switch {
	case len(x.kept) == 0:
		x.s.noPage(x.html)
	case x.html != "":
		errs = append(errs, x.s.writeFile("html", x.html, func(w io.Writer) error { return report.WriteRunHTML(w, x.s.program, x.kept[0].Diagnosis) }))
	}
	if x.junit != "" {
		errs = append(errs, x.s.writeFile("junit", x.junit, func(w io.Writer) error { return report.WriteJUnit(w, []*summary.Summary{x.found}) }))
	}
	if x.latency != "" {
		title := fmt.Sprintf("%s on etcd %s, cache design %s: how long events are in each stage", x.scenario.Name, x.params.EtcdName(), x.params.Cache)
		series := []report.Series{{Name: fmt.Sprintf("%d schedules", x.result.Schedules), Metrics: x.found.Metrics}}
		err := x.s.writeFile("latency", x.latency, func(w io.Writer) error { return report.WriteStages(w, title, series) })
		if errors.Is(err, report.ErrNoEvents) {
			x.s.complain("%v, so there is no picture to write to %s", report.ErrNoEvents, x.latency)
			err = nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// outcome is the exit code of a campaign.
func (x *explored) outcome() error {
	c, found := x.result, x.found
	verdict := c.Verdict()
	if !x.expect {
		if verdict == model.Holds && c.Interrupted {
			verdict = model.VerdictUnknown
		}
		return Exit(verdict)
	}
	for _, name := range found.Claims {
		if text := summary.BesideKnown(found.Properties[name].Violations > 0, slices.Contains(found.Missing, name), summary.Reasons(found.Known, name)); text != "" {
			x.s.complain("%s: %s", name, text)
		}
	}
	switch {
	case len(found.Unexpected) > 0:
		return Exit(model.Violated)
	case len(found.Missing) > 0 || c.Interrupted:
		return Exit(model.VerdictUnknown)
	case c.Schedules == 0:
		return Exit(model.Vacuous)
	}
	for _, t := range c.Properties {
		if t.Verdict == model.VerdictUnknown || t.Verdict == model.Vacuous {
			return Exit(t.Verdict)
		}
	}
	return nil
}
