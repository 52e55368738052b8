package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusterbed"
	"github.com/watchbed/watchbed/upstream/stories"
)

const clusterHelp = `Judge released etcd as a cluster: members that are whole servers, of which machines, disks and the network fail.

  simrun cluster cluster@v3.6.16                      three members of one release
  simrun cluster cluster@v3.5.35 cluster@v3.6.16 ...  a release for each member
  simrun cluster cluster@v3.5.0 --config FILE         another world: JSON, or the name of a file with it
  simrun replay FILE                                  a run again, to the bit
  simrun shrink FILE                                  a smaller one that fails in the same way

A guest is compiled by "make upstream GUEST=cluster@v3.6.16" in the repository; cluster@DIR is a checkout with a change in it.
The exit code is 0 if all that was claimed holds, 1 if something is violated, 2 for bad usage and for output that cannot be written, and 3 if there is no
verdict: a claim was never checked, runs were cut off, or there was an interrupt.

Flags:
`

// clusterFlags are those of simrun cluster.
type clusterFlags struct {
	set        *flag.FlagSet
	config     string
	print      bool
	first      uint64
	seeds      uint64
	duration   time.Duration
	strategy   string
	workers    int
	runs       int
	replays    string
	stopAfter  int
	recheck    float64
	guestNames []string
}

// judgeCluster is simrun cluster. It is false if the arguments ask for something else.
func judgeCluster(arguments []string, out *output) (code int, is bool, err error) {
	if len(arguments) == 0 || arguments[0] != "cluster" {
		return 0, false, nil
	}
	f := &clusterFlags{set: flag.NewFlagSet("simrun cluster", flag.ContinueOnError)}
	f.set.StringVar(&f.config, "config", "{}", "what is otherwise than by default: JSON, or the name of a file with it; a duration is a text, such as \"20ms\"")
	f.set.BoolVar(&f.print, "print", false, "print the whole configuration and run nothing")
	f.set.Uint64Var(&f.first, "first", 0, "the first seed")
	f.set.Uint64Var(&f.seeds, "seeds", 100, "how many seeds run; 0 is no bound, as --for without it")
	f.set.DurationVar(&f.duration, "for", 0, "how long runs begin, such as 60s; 0 is no bound")
	f.set.StringVar(&f.strategy, "strategy", "random", "how choices are made, as in simrun run")
	f.set.IntVar(&f.workers, "workers", 0, "how many runs there are at the same time; 0 is one for each processor")
	f.set.IntVar(&f.runs, "runs", 300, "how many runs it may take to make a failing one smaller")
	f.set.IntVar(&f.stopAfter, "stop-after", 0, "stop soon after so many ways to fail; 0 is never")
	f.set.Float64Var(&f.recheck, "recheck", 0.01, "the share of the seeds that run a second time, to see that they take the same course")
	f.set.StringVar(&f.replays, "replays", failuresFolder, "the folder for replay files; what was not shrunk is in its folder unshrunk")
	if f.guestNames, err = parse(f.set, arguments[1:], clusterHelp, out); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			err = nil
		}
		return 0, true, err
	}
	if given := map[string]bool{}; f.duration > 0 {
		f.set.Visit(func(x *flag.Flag) { given[x.Name] = true })
		if !given["seeds"] {
			f.seeds = 0
		}
	}
	code, err = f.run(out)
	return code, true, err
}

// check refuses numbers that mean nothing.
func (f *clusterFlags) check() error {
	switch {
	case f.duration < 0:
		return fmt.Errorf("--for %v: want a duration of 0 at least", f.duration)
	case f.workers < 0:
		return fmt.Errorf("--workers %d: want 0 at least", f.workers)
	case f.runs < 1:
		return fmt.Errorf("--runs %d: want 1 at least", f.runs)
	case f.stopAfter < 0:
		return fmt.Errorf("--stop-after %d: want 0 at least", f.stopAfter)
	case f.recheck < 0 || f.recheck > 1:
		return fmt.Errorf("--recheck %v: want a share from 0 to 1", f.recheck)
	case f.first+f.seeds < f.first:
		return fmt.Errorf("--first %d: there are no %d seeds behind it", f.first, f.seeds)
	case f.recheck == 0:
		// A campaign takes 0 for its default.
		f.recheck = -1
	}
	return nil
}

func (f *clusterFlags) run(out *output) (code int, err error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	c := clusterbed.Default(slices.Clone(f.guestNames)...)
	if n := len(f.guestNames); n > 1 {
		c.Members = n
	}
	text := []byte(f.config)
	if !strings.HasPrefix(strings.TrimSpace(f.config), "{") {
		if text, err = os.ReadFile(f.config); err != nil {
			return 0, fmt.Errorf("--config is no object of JSON, and no file: %w", err)
		}
	}
	if c, err = clusterbed.Parse(text, c); err != nil {
		return 0, err
	}
	if len(f.guestNames) > 0 && !slices.Equal(c.Guests, f.guestNames) {
		return 0, fmt.Errorf("--config names the guests %s, and the command line %s: want them in one place", strings.Join(c.Guests, " "), strings.Join(f.guestNames, " "))
	}
	if f.print {
		out.printf("%s\n", c.Text())
		return 0, nil
	}
	by, err := strategy.Find(f.strategy)
	if err != nil {
		return 0, err
	}
	if at, err := os.Stat(f.replays); err == nil && !at.IsDir() {
		return 0, fmt.Errorf("--replays %s is no folder", f.replays)
	}
	subjects, err := c.Subjects()
	if broken := (*clusterbed.NotBooted)(nil); errors.As(err, &broken) {
		return exitViolated, err
	}
	if err != nil {
		return 0, err
	}
	ctx, later, stop := interrupted()
	defer stop()
	found := &finds{folder: filepath.Join(f.replays, "unshrunk"), began: time.Now(), by: by, subjects: subjects, first: map[explore.Failure]*unshrunk{}}
	r, err := campaign.Run(ctx, subjects, campaign.Config{
		Found: found.add,
		Progress: every(time.Minute, func(r *campaign.Result) {
			fmt.Fprintf(os.Stderr, "%6.0f s  %d schedules\n", r.Elapsed.Seconds(), r.Schedules)
		}),
		Strategy: by, FirstSeed: f.first, Seeds: f.seeds, For: f.duration, Workers: f.workers, StopAfter: f.stopAfter, RecheckShare: f.recheck, Steps: clusterbed.Steps,
	})
	switch {
	case r == nil:
		return 0, err
	case err != nil && len(found.first) > 0:
		return exitViolated, err
	case err != nil:
		complain("%v", err)
		return exitNoVerdict, nil
	}
	out.printf("%s\n\n", c.Title())
	var unchecked []string
	for _, p := range r.Properties {
		out.printf("  %-18s %-9s checked %d times", p.Name, p.Verdict, p.Exercised)
		if p.Violations > 0 {
			out.printf(", violated in %d of %s", p.Violations, sim.Some(int(r.Schedules), "schedule"))
		}
		out.printf("\n")
		if p.Verdict == model.Vacuous {
			unchecked = append(unchecked, p.Name)
		}
	}
	if len(unchecked) > 0 {
		out.printf("\nNo verdict on %s: other or more seeds may check that.\n", strings.Join(unchecked, ", "))
	}
	if r.Schedules > 0 {
		out.printf("\n%s (seeds %d to %d, strategy %s), %d choices in %.1f s, %.1f schedules a second of processor time; %s re-run: identical. Campaign hash %s.\n",
			sim.Some(int(r.Schedules), "schedule"), f.first, f.first+r.Schedules-1, by.Name, r.Stats.Choices, r.Elapsed.Seconds(), float64(r.Schedules)/r.CPU.Seconds(), sim.Some(int(r.Rechecked), "seed"), r.Hash)
	}
	if r.Truncated > 0 {
		out.printf("%s cut off after %d steps: no verdict on what holds until there.\n", sim.Some(int(r.Truncated), "schedule"), clusterbed.Steps)
	}
	if r.Interrupted {
		out.printf("Interrupted: these are the schedules until then.\n")
	}
	for _, line := range cameAbout(r) {
		out.printf("%s\n", line)
	}
	var lost error
	for _, failure := range r.Failures {
		lost = errors.Join(lost, f.tell(later, out, subjects, failure, found.first[failure.Failure]))
	}
	switch verdict := r.Verdict(); {
	case len(found.first) > 0:
		return exitViolated, lost
	case verdict == model.Holds && !r.Interrupted:
		return exitHolds, lost
	}
	return exitNoVerdict, lost
}

// reason is an error without the path in it, which may be that of a file that nothing names.
func reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// every calls f at most once in a period.
func every(period time.Duration, f func(*campaign.Result)) func(*campaign.Result) {
	last := time.Now()
	return func(r *campaign.Result) {
		if time.Since(last) >= period {
			last = time.Now()
			f(r)
		}
	}
}

// cameAbout are the lines that say what befell the members, and in how many schedules: the families of faults first, and then what became of them.
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
	folder   string
	began    time.Time
	by       strategy.Strategy
	subjects func() explore.Subject

	sync.Mutex
	first map[explore.Failure]*unshrunk
}

// unshrunk is a run that fails as it was found, and its replay file, or why there is none.
type unshrunk struct {
	seed uint64
	rec  *recording.Recording
	path string
	err  error
}

// add is called with the runs that fail.
func (k *finds) add(seed uint64, ways []explore.Failure) {
	k.Lock()
	defer k.Unlock()
	ways = slices.DeleteFunc(ways, func(f explore.Failure) bool { return k.first[f] != nil && k.first[f].seed <= seed })
	if len(ways) == 0 {
		return
	}
	for i, rec := range stories.Record(k.subjects, k.by, seed, ways...) {
		u := &unshrunk{seed: seed, rec: rec}
		u.path, u.err = rec.Create(k.folder)
		k.first[ways[i]] = u
		fmt.Fprintf(os.Stderr, "%6.0f s  %s is violated at seed %d. Unshrunk replay: %s\n", time.Since(k.began).Seconds(), ways[i], seed, u)
	}
}

// String is what a person does to see the run.
func (u *unshrunk) String() string {
	if u.err != nil {
		return fmt.Sprintf("none, as it cannot be written: %v", reason(u.err))
	}
	return recording.Again(program(), u.path)
}

// tell makes a run that fails smaller, says what happens in it, and writes its replay file. Where there is no time for that it names the run.
func (f *clusterFlags) tell(ctx context.Context, out *output, subjects func() explore.Subject, failure campaign.FailureTally, found *unshrunk) error {
	out.printf("\n%s is violated in %s, the first of seed %d", failure.Failure, sim.Some(int(failure.Schedules), "schedule"), failure.FirstSeed)
	cannotKeep := func(err error) error {
		return fmt.Errorf("cannot keep the replay file of %s under %s: %w (give another --replays; --first %d --seeds 1 finds it again)", failure.Failure, f.replays, reason(err), failure.FirstSeed)
	}
	if ctx.Err() != nil {
		out.printf(". Unshrunk replay: %s\n", found)
		if found.err != nil {
			return cannotKeep(found.err)
		}
		return nil
	}
	run, err := stories.Shrink(ctx, subjects, found.rec, failure.Failure, f.runs)
	if err != nil {
		return err
	}
	out.printf(":\n\n")
	tell(out, run)
	path, err := run.Recording.Create(f.replays)
	if err != nil {
		return cannotKeep(err)
	}
	switch {
	case ctx.Err() != nil:
		out.printf("\nA smaller run may fail as well: shrinking was interrupted, and %s shrink %s goes on.\n", program(), recording.ShellWord(path))
	case !run.Shrunk:
		out.printf("\nA smaller run may fail as well: --runs %d were used up, and %s shrink %s goes on.\n", f.runs, program(), recording.ShellWord(path))
	}
	out.printf("\nReplay: %s\n", recording.Again(program(), path))
	return nil
}
