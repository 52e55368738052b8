package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

const proveHelp = `Prove looks at every schedule of a scenario within bounds, and says what it covered.

The bounds are the options of the workload (--set writers=1, reads=2, breaks=1, ...),
and the timer bound: how often each timer fires that is not part of a client's plan (--timer-bound).
An untimed scenario has no clock: any armed timer may fire at any point, which is more than real time allows.

A timed scenario (mode=timed) has a virtual clock, and its bound is --set horizon=1s, when a run ends
at the latest. What is due first happens first, and what is due at one moment in every order. So
claims that something comes in time (answers-in-time) are searched: a violation is a shortest run
in which it does not. Each delay is one of a few (see --set network, --set scheduling), as are
when a client asks and when tickers begin. Of a question with more than --answers answers
(2 if timed) the first, the last and those evenly between are looked at, and the output says of which
question. With --set network=0s --set scheduling=0s only the orders are left. That messages take
a time between those that were looked at is not shown to be right.

A claim that something comes sooner or later (answered) is violated by a loop that can be
repeated for ever. For it, timers fire without end when nothing else can happen. If each such
firing leads to a new state, the search ends and says that --depth is missing.

A planted bug is refused if nothing that it violates is judged by the search: the verdict would say that it does no harm.

There are two engines, which must agree. "states" goes through states, breadth first, and so
finds a shortest schedule that violates something. "schedules" keeps no states: it follows one
schedule to its end of each class of those that differ only in the order of steps that do not
conflict. It judges whole histories, and stops at the first that violates something. It does
not judge claims about the steps on the way, about where etcd was when a client asked, and about
what comes sooner or later.

A node that is a compiled program has no states that can be told apart, so that its schedules are
searched: every order of its goroutines, each time that it runs. What its runtime leaves open are
questions within a step, and how it starts is not searched, as the output says.

The verdict is one of these:
  proved within bounds     no schedule violates what is claimed (exit 0)
  proved of N of M claims  the search does not judge the others; with --json it is unknown and partial (exit 3)
  violated                 the schedule is told and written to a replay file (exit 1)
  unknown                  a limit ended the search, or an interrupt (exit 3)
  vacuous                  a claim was never put to the test within the bounds (exit 3)

A search that takes long is kept with --keep DIR, about each second. After an interrupt, a limit
or a kill the same command goes on there, and comes to the same result as without. States that
--memory does not hold are looked up in files there; without --keep they end the search. Less
than a fifth of --memory is for what a search learns of nodes and their steps. When that is full
it is learned anew, which takes longer and comes to the same. A directory that keeps another
search, or one of another build of the program, is refused.

Of a state only a key is kept, a hash of 64 bits. Two states with the same key are taken for one,
and what comes after the second is not looked at; the output bounds the probability of that, if the
hash is as good as random: 3e-2 at a billion states. The states themselves are not kept: nodes have
running hashes of logs and stores where what is in them would be most of a state.`

const proveExamples = `  PROGRAM prove issue-15220 --etcd 3.6.16 --set writers=1 --set writes=1 --set readers=1 --set reads=1
  PROGRAM prove issue-15220 --etcd 3.5.7 --set writers=1 --set writes=1 --set readers=1 --set reads=1 --timer-bound 1
  PROGRAM prove quiet-range --etcd 3.5.12 --timer-bound 0
  PROGRAM prove issue-17507 --set noise-writes=1 --set readers=1 --set reads=1 --set items=1 --set keys=1 --set network=0s --set scheduling=0s --set horizon=1s
  PROGRAM prove issue-15220 --etcd 3.6.16 --set writers=1 --set writes=1 --set readers=1 --set reads=1 --timer-bound 1 --engine schedules`

type proveFlags struct {
	exploring
	engine, keep                               string
	timerBound, depth, states, memory, answers int
}

// The defaults of prove.
const (
	defaultTimerBound = 2
	defaultMemoryMB   = 1024
	// maxMemoryMB is 16 TB, more than a machine has.
	maxMemoryMB = 16 << 20
	// defaultTimedAnswers is the first answer and the last: of a delay the shortest and the longest.
	defaultTimedAnswers = 2
)

func proveCommand(s process) *cobra.Command {
	var f proveFlags
	c := &cobra.Command{
		Use:     "prove SCENARIO",
		Short:   "look at every schedule of a scenario within bounds",
		Long:    proveHelp,
		Example: s.named(proveExamples),
		Args:    oneArgument("scenario", s.program+" list scenarios"),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, s, args[0]) },
	}
	f.add(c, s, "", "the search and its first failure")
	c.Flags().StringVar(&f.engine, "engine", "", "what is searched: states or schedules (default: states; schedules if a node is a compiled program)")
	c.Flags().IntVar(&f.timerBound, "timer-bound", defaultTimerBound, "how often each timer fires that is not part of a client's plan")
	c.Flags().IntVar(&f.answers, "answers", 0, "how many answers to a question are looked at, from the first to the last evenly (default: all; 2 if timed)")
	c.Flags().IntVar(&f.depth, "depth", 0, "number of steps of the longest schedule (default: no bound)")
	c.Flags().IntVar(&f.states, "states", 0, "how many states may be found (default: no limit)")
	c.Flags().IntVar(&f.memory, "memory", defaultMemoryMB, "`MB` of memory that states and what is learned of them may take; with --keep more states go to files")
	c.Flags().StringVar(&f.keep, "keep", "", "directory that keeps the search, so that the same command goes on where it ended or was killed")
	return c
}

func (f *proveFlags) run(c *cobra.Command, s process, name string) error {
	sc, p, err := f.scenario(name)
	if err != nil {
		return err
	}
	if err := f.fits(c.Flags()); err != nil {
		return err
	}
	if err := f.fitsClock(c.Flags(), &p.Clock); err != nil {
		return err
	}
	if err := f.check(c.Flags()); err != nil {
		return err
	}
	f.note(s, &p)
	noteAlready(s, sc.Name, &p, f.asked(changed(sc.Params)))
	live := newProgress(s, 0, 0)
	found, runs, err := f.search(c.Context(), s, sc, p, live)
	if node := new(sim.NoFingerprint); errors.As(err, node) {
		if found, runs, err = f.searchProgram(c, s, sc, p, live); err != nil {
			err = usage("the states of %s cannot be told apart: %w", node.Node, err)
		}
	}
	live.end()
	if err != nil {
		return usage("%w", err)
	}
	kept, lost := f.diagnose(c.Context(), s, sc, found, runs, live)
	page := f.page(s, found, kept)
	if f.json {
		err = report.WriteJSON(s.out, found)
	} else {
		if err = s.tellFirst(kept, "", nil); err == nil {
			err = report.WriteProof(s.out, s.terminal(), found)
		}
		if found.Verdict == prove.Unknown && !found.Partial && err == nil {
			err = f.smaller(s, sc, &p)
		}
	}
	return errors.Join(proofExit(found), err, lost, page)
}

// searchProgram searches the schedules of a world with a node whose states cannot be told apart.
func (f *proveFlags) searchProgram(c *cobra.Command, s process, sc *testbed.Scenario, p testbed.Params, live *progress) (*proof.Proof, []*recording.Recording, error) {
	switch {
	case p.OnWholeServers():
		return nil, nil, fmt.Errorf("%s is made of whole servers, whose schedules are not searched; let run explore them", p.EtcdName())
	case f.engine == proof.States:
		return nil, nil, fmt.Errorf("leave out --engine %s, and schedules are searched", proof.States)
	case p.Clock.Mode == sim.Timed:
		return nil, nil, fmt.Errorf("a search of schedules has no clock; add --set mode=untimed, or let run explore it")
	}
	f.engine = proof.ClassSchedules
	if err := f.fits(c.Flags()); err != nil {
		return nil, nil, err
	}
	return f.search(c.Context(), s, sc, p, live)
}

func (f *proveFlags) search(ctx context.Context, s process, sc *testbed.Scenario, p testbed.Params, live *progress) (*proof.Proof, []*recording.Recording, error) {
	if f.engine == proof.ClassSchedules {
		cfg := schedules.Config{TimerBound: f.timerBound, For: f.limit, Progress: live.schedules}
		return proof.SearchSchedules(ctx, sc, p, cfg, s.tool())
	}
	cfg := prove.Config{
		Bounds:  prove.Bounds{TimerBound: f.timerBound, Depth: f.depth, Answers: f.answers},
		Workers: f.workers, States: f.states, Bytes: f.memory << 20, For: f.limit,
		Progress: live.search,
	}
	if f.keep != "" {
		code, err := codeHash()
		if err != nil {
			return nil, nil, err
		}
		cfg.Keep = &prove.Keep{Dir: f.keep, Question: []string{"program=" + code}, Every: keepEvery}
	}
	defer holdGarbage(f.memory)()
	found, runs, err := proof.Search(ctx, sc, p, cfg, s.tool())
	if err == nil && found.GoesOn && f.keep != "" {
		found.GoOn = s.again()
	}
	return found, runs, err
}

// holdGarbage has what the search uses and its garbage together take little more than this, unless a lower limit is
// set: garbage may otherwise grow to four times what is in use (collectSeldom).
func holdGarbage(megabytes int) (restore func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, inUse()+int64(max(megabytes, leastHeldMB))<<20/4*5))
	return func() { debug.SetMemoryLimit(before) }
}

// leastHeldMB is what a search takes with any --memory, about. Under a limit below that the collector would run all the
// time.
const leastHeldMB = 16

// inUse is the memory of the process before the search begins, as the limit counts it.
func inUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// keepEvery is the least time between two writes of a search that is kept. What was found
// since the last is found again after a kill.
const keepEvery = time.Second

// codeHash tells apart programs that may come to different results: a search that one has
// kept does not go on in another.
func codeHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("--keep must know which program searches: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("--keep must know which program searches: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("--keep must know which program searches: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// again is the command that was given.
func (s process) again() string {
	words := []string{s.program}
	for _, a := range s.args {
		words = append(words, recording.ShellWord(a))
	}
	return strings.Join(words, " ")
}

// fits refuses options that say nothing to the engine. A schedule that is cut off shows no
// conflict of what it did not come to, so that a bound on its length would leave out others too.
func (f *proveFlags) fits(set *pflag.FlagSet) error {
	switch f.engine {
	case "", proof.States:
		return nil
	case proof.ClassSchedules:
	default:
		return usage("unknown engine %q: want %s or %s", f.engine, proof.States, proof.ClassSchedules)
	}
	for _, name := range []string{"depth", "answers", "states", "memory", "workers", "keep"} {
		if set.Changed(name) {
			return usage("--%s is for --engine %s: schedules are followed to their end, one at a time, and no states are kept", name, proof.States)
		}
	}
	return nil
}

// fitsClock refuses a bound that a clock makes needless, and sets the default of another one.
func (f *proveFlags) fitsClock(set *pflag.FlagSet, c *testbed.Clock) error {
	switch {
	case set.Changed("answers") && f.answers < 2:
		return usage("--answers %d: want 2, for the first and the last, or more", f.answers)
	case c.Mode == sim.Untimed:
		return nil
	case set.Changed("timer-bound"):
		return usage("--timer-bound is for runs without a clock, and this one is timed: when timers fire, the clock says; --set horizon=%v bounds it", c.Horizon)
	}
	f.timerBound = 0
	if !set.Changed("answers") {
		f.answers = defaultTimedAnswers
	}
	return nil
}

// check refuses bounds that are none.
func (f *proveFlags) check(set *pflag.FlagSet) error {
	for _, b := range []struct {
		flag     string
		n, least int
	}{{"timer-bound", f.timerBound, 0}, {"depth", f.depth, 1}, {"states", f.states, 1}, {"memory", f.memory, 1}} {
		if set.Changed(b.flag) && b.n < b.least {
			return usage("--%s %d: want a number from %d on", b.flag, b.n, b.least)
		}
	}
	if f.memory > maxMemoryMB {
		return usage("--memory %d: want at most %d MB", f.memory, maxMemoryMB)
	}
	return checkWorkers(f.workers)
}

// diagnose writes the replay file of each failure and explains it: in this order, as what decides is looked for in
// hundreds of runs, which takes minutes over a program that is slow, and whatever ends the process meanwhile, the file
// is there. A run that fails in several ways is explained once: it is in the same step that they come to light.
func (f *proveFlags) diagnose(ctx context.Context, s process, sc *testbed.Scenario, found *proof.Proof, runs []*recording.Recording, live *progress) ([]*keptRun, error) {
	defer live.end()
	var kept []*keptRun
	var errs []error
	for i, rec := range runs {
		failure := explore.Failure{Property: found.Failures[i].Property, Label: found.Failures[i].Label}
		if at := slices.IndexFunc(kept, func(k *keptRun) bool { return k.Recording.TraceHash == rec.TraceHash }); at >= 0 {
			k := kept[at]
			k.Also = append(k.Also, failure)
			why := rec.Why(failure)
			found.Link(i, why, append(k.Story.Steps(), why), len(rec.Choices), k.path)
			continue
		}
		path, err := rec.Create(f.out)
		if err != nil {
			errs = append(errs, CannotKeep(failure, f.out, err, "the same command"))
		}
		live.line(fmt.Sprintf("telling %s, %d of %d", failure, i+1, len(runs)))
		d, err := diagnosis.Until(ctx, sc, rec, failure)
		if err != nil {
			return kept, errors.Join(append(errs, usage("%w", err))...)
		}
		if !d.Searched {
			s.complain("interrupted: there was no search for what decides %s; %s does it", failure, recording.Again(s.program, path))
		}
		kept = append(kept, &keptRun{Diagnosis: d, path: path})
		found.Link(i, d.Story.Why, d.Lines(), len(rec.Choices), path)
	}
	return kept, errors.Join(errs...)
}

func (f *proveFlags) page(s process, found *proof.Proof, kept []*keptRun) error {
	if f.html == "" {
		return nil
	}
	var first *diagnosis.Diagnosis
	if len(kept) > 0 {
		first = kept[0].Diagnosis
	}
	return s.writeFile("html", f.html, func(w io.Writer) error { return report.WriteProofHTML(w, s.program, found, first) })
}

// proofExit is the exit code of a search.
func proofExit(found *proof.Proof) error {
	switch found.Verdict {
	case prove.Proved:
		return Exit(model.Holds)
	case prove.Violated:
		return Exit(model.Violated)
	}
	return Exit(model.VerdictUnknown)
}
