package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusterbed"
	"github.com/watchbed/watchbed/upstream/stories"
)

// clusterFlags are those of simrun cluster.
type clusterFlags struct {
	*cobra.Command
	config, strategy, out string
	print                 bool
	first, seeds          uint64
	duration              time.Duration
	workers, runs, stop   uint
	recheck               float64
}

func clusterCommand() *cobra.Command {
	f := &clusterFlags{}
	c := &cobra.Command{
		Use:   "cluster GUEST...",
		Short: "judge released etcd as a cluster",
		Long: `Cluster judges released etcd as a cluster: members that are whole servers, of which machines, disks and the network fail.

A guest is compiled by "make upstream GUEST=cluster@v3.6.16" in the repository; cluster@DIR is a checkout with a change in it.`,
		Example: `  simrun cluster cluster@v3.6.16                      three members of one release
  simrun cluster cluster@v3.5.35 cluster@v3.6.16 ...  a release for each member
  simrun cluster cluster@v3.5.0 --config FILE         another world: JSON, or the name of a file with it`,
		RunE: func(_ *cobra.Command, guests []string) error { return f.run(guests) },
	}
	f.Command = c
	c.Flags().StringVar(&f.config, "config", "{}", "what is otherwise than by default: JSON, or the name of a file with it; a duration is a text, such as \"20ms\"")
	c.Flags().BoolVar(&f.print, "print", false, "print the whole configuration and run nothing")
	c.Flags().Uint64Var(&f.first, "first", 0, "the first seed")
	c.Flags().Uint64Var(&f.seeds, "seeds", 100, "how many seeds run; 0 is no bound, as --for without it")
	c.Flags().DurationVar(&f.duration, "for", 0, "how long runs begin, such as 60s")
	c.Flags().StringVar(&f.strategy, "strategy", "random", "how choices are made, as in simrun run")
	c.Flags().UintVar(&f.workers, "workers", 0, "how many run at the same time; 0 is one for each processor")
	c.Flags().UintVar(&f.runs, "runs", 300, "how many runs it may take to make a failing one smaller")
	c.Flags().UintVar(&f.stop, "stop-after", 0, "stop soon after so many ways to fail; 0 is never")
	c.Flags().Float64Var(&f.recheck, "recheck", 0.01, "the share of the seeds that run a second time, to see that they take the same course")
	c.Flags().StringVar(&f.out, "out", "simrun-failures", "directory for replay files; what was not shrunk is in its folder unshrunk")
	return c
}

// check refuses numbers that mean nothing.
func (f *clusterFlags) check() error {
	switch {
	case f.runs < 1:
		return fmt.Errorf("--runs %d: want 1 at least", f.runs)
	case f.recheck < 0 || f.recheck > 1:
		return fmt.Errorf("--recheck %v: want a share from 0 to 1", f.recheck)
	case f.first+f.seeds < f.first:
		return fmt.Errorf("--first %d: there are no %d seeds behind it", f.first, f.seeds)
	case f.recheck == 0:
		// A campaign takes 0 for its default.
		f.recheck = -1
	}
	if f.duration > 0 && !f.Flags().Changed("seeds") {
		f.seeds = 0
	}
	return nil
}

func (f *clusterFlags) run(guests []string) error {
	if err := f.check(); err != nil {
		return err
	}
	c := clusterbed.Default(slices.Clone(guests)...)
	if n := len(guests); n > 1 {
		c.Members = n
	}
	text := []byte(f.config)
	if !strings.HasPrefix(strings.TrimSpace(f.config), "{") {
		var err error
		if text, err = os.ReadFile(f.config); err != nil {
			return fmt.Errorf("--config is no object of JSON, and no file: %w", err)
		}
	}
	c, err := clusterbed.Parse(text, c)
	if err != nil {
		return err
	}
	if len(guests) > 0 && !slices.Equal(c.Guests, guests) {
		return fmt.Errorf("--config names the guests %s, and the command line %s: want them in one place", strings.Join(c.Guests, " "), strings.Join(guests, " "))
	}
	out := f.OutOrStdout()
	if f.print {
		fmt.Fprintf(out, "%s\n", c.Text())
		return nil
	}
	by, err := strategy.Find(f.strategy)
	if err != nil {
		return err
	}
	subjects, err := c.Subjects()
	if broken := (*clusterbed.NotBooted)(nil); errors.As(err, &broken) {
		return errors.Join(command.Exit(model.Violated), err)
	}
	if err != nil {
		return err
	}
	ctx, stop := command.WithTimeToTell(f.Context())
	defer stop()
	last := time.Now()
	found := &finds{clusterFlags: f, began: last, by: by, subjects: subjects, first: map[explore.Failure]*unshrunk{}}
	r, err := campaign.Run(f.Context(), subjects, campaign.Config{
		Found: found.add,
		Progress: func(r *campaign.Result) {
			if time.Since(last) >= time.Minute {
				last = time.Now()
				fmt.Fprintf(f.ErrOrStderr(), "%6.0f s  %d schedules\n", r.Elapsed.Seconds(), r.Schedules)
			}
		},
		Strategy: by, FirstSeed: f.first, Seeds: f.seeds, For: f.duration, Workers: int(f.workers), StopAfter: int(f.stop), RecheckShare: f.recheck, Steps: clusterbed.Steps,
	})
	switch {
	case r == nil:
		return err
	case err != nil && len(found.first) > 0:
		return errors.Join(command.Exit(model.Violated), err)
	case err != nil:
		return command.NoVerdict(err)
	}
	fmt.Fprintf(out, "%s\n\n", c.Title())
	var unchecked []string
	for _, p := range r.Properties {
		fmt.Fprintf(out, "  %-18s %-9s checked %d times", p.Name, p.Verdict, p.Exercised)
		if p.Violations > 0 {
			fmt.Fprintf(out, ", violated in %d of %s", p.Violations, sim.Some(int(r.Schedules), "schedule"))
		}
		fmt.Fprintf(out, "\n")
		if p.Verdict == model.Vacuous {
			unchecked = append(unchecked, p.Name)
		}
	}
	if len(unchecked) > 0 {
		fmt.Fprintf(out, "\nNo verdict on %s: other or more seeds may check that.\n", strings.Join(unchecked, ", "))
	}
	if r.Schedules > 0 {
		fmt.Fprintf(out, "\n%s (seeds %d to %d, strategy %s), %d choices in %.1f s, %.1f schedules a second of processor time; %s re-run: identical. Campaign hash %s.\n",
			sim.Some(int(r.Schedules), "schedule"), f.first, f.first+r.Schedules-1, by.Name, r.Stats.Choices, r.Elapsed.Seconds(), float64(r.Schedules)/r.CPU.Seconds(), sim.Some(int(r.Rechecked), "seed"), r.Hash)
	}
	if r.Truncated > 0 {
		fmt.Fprintf(out, "%s cut off after %d steps: no verdict on what holds until there.\n", sim.Some(int(r.Truncated), "schedule"), clusterbed.Steps)
	}
	if r.Interrupted {
		fmt.Fprintf(out, "Interrupted: these are the schedules until then.\n")
	}
	for _, line := range cameAbout(r) {
		fmt.Fprintf(out, "%s\n", line)
	}
	var lost error
	for _, failure := range r.Failures {
		lost = errors.Join(lost, found.tell(ctx, out, failure))
	}
	verdict := r.Verdict()
	switch {
	case len(found.first) > 0:
		verdict = model.Violated
	case verdict == model.Holds && r.Interrupted:
		verdict = model.VerdictUnknown
	}
	return errors.Join(command.Exit(verdict), lost)
}

// cameAbout are the lines that say what befell the members, and in how many schedules: the families of faults first,
// and then what became of them.
func cameAbout(r *campaign.Result) (lines []string) {
	for _, kind := range []string{"faults: ", "cluster: "} {
		for _, p := range r.CoveragePoints {
			if what, is := strings.CutPrefix(p.CoveragePoint.String(), kind); is && p.Schedules > 0 {
				lines = append(lines, fmt.Sprintf("  %6d  %s", p.Schedules, what))
			}
		}
	}
	if len(lines) > 0 {
		lines = append([]string{"", "In so many schedules"}, lines...)
	}
	return lines
}

// finds keeps the run of the first seed of each way to fail, as it was found, on the disk from then on.
type finds struct {
	*clusterFlags
	began    time.Time
	by       strategy.Strategy
	subjects func() explore.Subject

	sync.Mutex
	first map[explore.Failure]*unshrunk
}

// unshrunk is a run that fails as it was found, replay is how it is carried out again, or why there is no file of it.
type unshrunk struct {
	rec    *recording.Recording
	replay string
	err    error
}

// add is called with the runs that fail.
func (k *finds) add(f campaign.FailureTally) {
	k.Lock()
	defer k.Unlock()
	if before := k.first[f.Failure]; before != nil && before.rec.Seed <= f.FirstSeed {
		return
	}
	u := &unshrunk{rec: stories.Record(k.subjects, k.by, f.FirstSeed, f.Failure)}
	path, err := u.rec.Create(filepath.Join(k.out, "unshrunk"))
	if u.replay = recording.Again(k.Root().Name(), path); err != nil {
		u.replay, u.err = "none, as it cannot be written: "+err.Error(), err
	}
	k.first[f.Failure] = u
	fmt.Fprintf(k.ErrOrStderr(), "%6.0f s  %s is violated at seed %d. Unshrunk replay: %s\n", time.Since(k.began).Seconds(), f.Failure, f.FirstSeed, u.replay)
}

// tell makes a run that fails smaller, says what happens in it, and writes its replay file. Where there is no time
// for that it names the run.
func (k *finds) tell(ctx context.Context, out io.Writer, f campaign.FailureTally) error {
	u := k.first[f.Failure]
	fmt.Fprintf(out, "\n%s is violated in %s, the first of seed %d", f.Failure, sim.Some(int(f.Schedules), "schedule"), f.FirstSeed)
	again := fmt.Sprintf("--first %d --seeds 1", f.FirstSeed)
	if ctx.Err() != nil {
		fmt.Fprintf(out, ". Unshrunk replay: %s\n", u.replay)
		if u.err != nil {
			return command.CannotKeep(f.Failure, k.out, u.err, again)
		}
		return nil
	}
	run, err := stories.Shrink(ctx, k.subjects, u.rec, f.Failure, int(k.runs))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, ":\n\n%s", run)
	path, err := run.Recording.Create(k.out)
	if err != nil {
		return command.CannotKeep(f.Failure, k.out, err, again)
	}
	if !run.Complete {
		why := fmt.Sprintf("--runs %d were used up", k.runs)
		if ctx.Err() != nil {
			why = "shrinking was interrupted"
		}
		fmt.Fprintf(out, "\nA smaller run may fail as well: %s, and %s shrink %s goes on.\n", why, k.Root().Name(), recording.ShellWord(path))
	}
	fmt.Fprintf(out, "\nReplay: %s\n", recording.Again(k.Root().Name(), path))
	return nil
}
