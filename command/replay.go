package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

type replayFlags struct {
	parameters
	loose bool
	html  string
}

func replayCommand(s process) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "the same run to the bit, or where it first differs",
		Long: `Replay carries out a recorded run again. It exits 1 if the recorded violation shows again, 0 if the run was recorded as
one that holds, and 2, naming the first choice that does not fit, if the run takes another course.

What decides in a run of compiled code is told as it is in the file; --html searches for it again.

With --loose it follows the recording through changed code or other parameters as far as it fits.`,
		Example: s.named("  PROGRAM replay simrun-failures/linearizable-data-0123456789abcdef.json\n  PROGRAM replay FILE --loose --etcd 3.5.13"),
		Args:    oneArgument("replay file", s.program+" run writes them to simrun-failures/"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), s, args[0])
		},
	}
	f.add(c, s.program, "recording")
	c.Flags().BoolVar(&f.loose, "loose", false, "follow the recording as far as it fits")
	c.Flags().StringVar(&f.html, "html", "", "write a page about the run to this file (-: standard output)")
	return c
}

// open reads a replay file and finds its scenario, or its bed.
func (s process) open(path string) (*recording.Recording, *testbed.Scenario, *Bed, error) {
	if path == "" {
		return nil, nil, nil, usage("which replay file? the name is empty")
	}
	rec, err := recording.Open(path)
	if err != nil {
		return nil, nil, nil, usage("%w", err)
	}
	if kind, _, compiled := strings.Cut(rec.Scenario, "@"); compiled {
		if i := slices.IndexFunc(s.beds, func(b Bed) bool { return b.Kind == kind && b.Replay != nil }); i >= 0 {
			return rec, nil, &s.beds[i], nil
		}
		return nil, nil, nil, usage("%s: this is a run of %s, which is compiled code: the simrun of the folder upstream replays it, without flags (cd upstream && go run ./simrun replay FILE)", path, rec.Scenario)
	}
	sc, err := testbed.FindScenario(rec.Scenario)
	if err == nil {
		_, err = sc.RecordedParams(rec.Parameters)
	}
	if err != nil {
		return nil, nil, nil, usage("%s: %w; what is not built in is known to a command that imports it, such as the one that wrote the file: %s; or to a test beside it, with scenariotest.MustHoldReplay", path, err, rec.Tool)
	}
	return rec, sc, nil, nil
}

func (f *replayFlags) run(ctx context.Context, s process, path string) error {
	if err := spare(f.html, path); err != nil {
		return err
	}
	rec, sc, bed, err := s.open(path)
	if err != nil {
		return err
	}
	if bed != nil {
		return f.again(s, bed, rec, path)
	}
	if f.loose {
		return f.follow(ctx, s, sc, rec, path)
	}
	if f.given() {
		return usage("a strict replay takes its parameters from the file; add --loose to follow it with others")
	}
	system, err := sc.Recorded(rec.Parameters)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	result, err := recording.Replay(system.Runner(), rec)
	if err != nil {
		return usage("%s: %w", path, withRemedy(err))
	}
	var told error
	if failure, ok := worthTelling(rec, &result); ok {
		told = f.tell(ctx, s, sc, rec, failure, path)
	} else {
		s.noPage(f.html)
	}
	fmt.Fprintf(s.out, "The same run to the bit: %d choices, trace hash %s.\n", len(rec.Choices), rec.TraceHash)
	if err := sameFindings(rec, &result); err != nil {
		return errors.Join(usage("%s: %w", path, err), told)
	}
	for _, x := range result.Findings {
		if x.Verdict == model.VerdictUnknown {
			fmt.Fprintf(s.out, "%s is unknown, as when it was recorded.\n", x.Property)
		}
	}
	return errors.Join(Exit(verdictOf(&result)), told)
}

// again carries out a run of a bed again.
func (f *replayFlags) again(s process, bed *Bed, rec *recording.Recording, path string) error {
	if f.loose || f.html != "" || f.given() {
		return usage("%s: a run of a %s has no page, and is replayed as it is: %s, without flags", path, bed.Kind, recording.Again(s.program, path))
	}
	story, err := bed.Replay(rec)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	fmt.Fprintf(s.out, "%s\nThe same run to the bit: %d choices, trace hash %s.\n", story, len(rec.Choices), rec.TraceHash)
	return Exit(model.Violated)
}

// sameFindings compares what the file says of each property with how the run is
// judged now: a property may have changed since, although the run has not.
func sameFindings(rec *recording.Recording, r *explore.Result) error {
	now := map[string]model.Verdict{}
	for i := range r.Findings {
		now[r.Findings[i].Property] = r.Findings[i].Verdict
	}
	for _, f := range rec.Findings {
		v, ok := now[f.Property]
		switch {
		case !ok:
			return fmt.Errorf("the file has a verdict on %s, which the scenario does not claim; the code has changed since, or the file", f.Property)
		case v.String() != f.Verdict:
			return fmt.Errorf("the file says that %s is %q, and the same run is now judged %q; the code has changed since, or the file", f.Property, f.Verdict, v)
		}
		delete(now, f.Property)
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; now[f.Property] == model.Violated {
			return fmt.Errorf("%s is violated, and the file does not say so; the code has changed since, or the file", f.Property)
		}
	}
	return nil
}

// worthTelling is the violation that the file was made for, or else the first.
func worthTelling(rec *recording.Recording, r *explore.Result) (first explore.Failure, ok bool) {
	if failed, ok := rec.MadeFor(); ok && r.Find(failed) != nil {
		return failed, true
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Verdict == model.Violated {
			return f.Failure(), true
		}
	}
	return first, false
}

// withRemedy says what to do about a run that takes another course.
func withRemedy(err error) error {
	var d *recording.Divergence
	var m *recording.TraceMismatch
	if errors.As(err, &d) || errors.As(err, &m) {
		return fmt.Errorf("%w; the code has changed since, or the file: --loose follows it as far as it fits", err)
	}
	return err
}

// tell prints the story of the run in the file path, and writes the page about it. An interrupt ends the search for
// what decides, which takes hundreds of runs. Over compiled code there is one only for a page: without, the cause is
// the one that is in the file.
func (f *replayFlags) tell(ctx context.Context, s process, sc *testbed.Scenario, rec *recording.Recording, failure explore.Failure, path string) error {
	p, err := sc.RecordedParams(rec.Parameters)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	var d *diagnosis.Diagnosis
	if p.Compiled() && !f.loose && f.html == "" {
		d, err = diagnosis.Again(sc, rec, failure)
	} else {
		d, err = diagnosis.Until(ctx, sc, rec, failure)
	}
	if err != nil {
		return usage("%s: %w", path, err)
	}
	var page error
	if f.html != "" {
		page = s.writeFile("html", f.html, func(w io.Writer) error { return report.WriteRunHTML(w, s.program, d) })
	}
	err = report.WriteStory(s.out, s.terminal(), d)
	if !d.Searched && d.Kept == "" && ctx.Err() == nil {
		fmt.Fprintf(s.out, "`%s shrink %s` looks for it in a smaller run.\n", s.program, recording.ShellWord(path))
	}
	fmt.Fprintln(s.out)
	return errors.Join(page, err)
}

// follow replays loosely, with the parameters of the command line on top.
func (f *replayFlags) follow(ctx context.Context, s process, sc *testbed.Scenario, rec *recording.Recording, path string) error {
	p, err := sc.RecordedParams(rec.Parameters)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	asRecorded := changed(p)
	if err := f.apply(&p); err != nil {
		return err
	}
	f.note(s, &p)
	noteAlready(s, "the recording", &p, f.asked(asRecorded))
	runner, err := sc.Runner(p)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	follower, err := recording.NewFollower(rec)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	again, result := recording.Record(runner, follower)
	again.Scenario, again.Parameters = sc.Name, p.Expand()
	taken, recorded := follower.Followed()
	var told error
	if i := slices.IndexFunc(result.Findings, func(x explore.Finding) bool { return x.Verdict == model.Violated }); i >= 0 {
		told = f.tell(ctx, s, sc, again, result.Findings[i].Failure(), path)
	} else {
		s.noPage(f.html)
	}
	fmt.Fprintf(s.out, "Followed %d of %d recorded choices, in a run of %d.\n", taken, recorded, len(again.Choices))
	writeUnfitting(s.out, rec.Choices, follower.Unfitting())
	verdict := verdictOf(&result)
	if verdict != model.Violated {
		fmt.Fprintln(s.out, "No property is violated in it.")
	}
	return errors.Join(Exit(verdict), told)
}

// maxUnfitting is how many choices that did not fit are printed.
const maxUnfitting = 20

// writeUnfitting names the recorded choices that a run did not take, with their
// numbers in the file, from 1 on.
func writeUnfitting(w io.Writer, choices []string, places []int) {
	if len(places) == 0 {
		return
	}
	fmt.Fprintln(w, "These did not fit:")
	for i, at := range places {
		if i == maxUnfitting {
			fmt.Fprintf(w, "  and %d more\n", len(places)-i)
			return
		}
		fmt.Fprintf(w, "  %4d  %s\n", at+1, choices[at])
	}
}

// verdictOf is what one run says: it holds if nothing is violated or unknown
// and something was checked.
func verdictOf(r *explore.Result) (v model.Verdict) {
	for i := range r.Findings {
		v = v.And(r.Findings[i].Verdict)
	}
	return v
}
