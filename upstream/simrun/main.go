// Simrun with the code that ships beside the simulated caches: all that the root module
// registers, and the compiled guests as designs. Two beds are no scenarios: clusters of etcd (simrun cluster), and packages of a user's own. What they
// have recorded is replayed and shrunk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"

	"github.com/watchbed/watchbed/upstream/clientbed"
	"github.com/watchbed/watchbed/upstream/clusterbed"
	_ "github.com/watchbed/watchbed/upstream/designs"
	"github.com/watchbed/watchbed/upstream/stories"
)

func main() {
	for _, bed := range []func([]string, *output) (int, bool, error){judgeCluster, replayBed, shrinkBed} {
		var out output
		if code, is, err := bed(os.Args[1:], &out); is {
			os.Exit(end(code, errors.Join(err, out.lost())))
		}
	}
	os.Exit(command.Main(os.Args[1:]))
}

// The exit codes, as command has them.
const (
	exitHolds = iota
	exitViolated
	exitUsage
	exitNoVerdict
)

// end says what went wrong, in a line each, and is the exit code: nothing hides a violation, and a verdict is missing for as long as input or output is.
func end(code int, err error) int {
	if err == nil {
		return code
	}
	for line := range strings.Lines(err.Error()) {
		complain("%s", strings.TrimSuffix(line, "\n"))
	}
	if code == exitViolated {
		return code
	}
	return exitUsage
}

func complain(format string, values ...any) {
	fmt.Fprintf(os.Stderr, program()+": "+format+"\n", values...)
}

func program() string { return filepath.Base(os.Args[0]) }

// output is standard output. The first error of a write is kept: most of what is printed is printed without a look at it.
type output struct{ err error }

func (o *output) printf(format string, values ...any) {
	if _, err := fmt.Printf(format, values...); o.err == nil {
		o.err = err
	}
}

func (o *output) lost() error {
	if o.err == nil {
		return nil
	}
	return fmt.Errorf("standard output is incomplete: %w", o.err)
}

// parse reads flags and other arguments, which may stand in any order. The error is flag.ErrHelp if that is asked for, and was given.
func parse(set *flag.FlagSet, arguments []string, help string, out *output) (others []string, err error) {
	set.SetOutput(io.Discard)
	for len(arguments) > 0 {
		if err = set.Parse(arguments); errors.Is(err, flag.ErrHelp) {
			out.printf("%s", help)
			set.SetOutput(os.Stdout)
			set.PrintDefaults()
		}
		if err != nil {
			return nil, err
		}
		if arguments = set.Args(); len(arguments) > 0 {
			others, arguments = append(others, arguments[0]), arguments[1:]
		}
	}
	return others, nil
}

// beds have recordings that are none of a scenario, by the kinds of their guests.
var beds = map[string]func(*recording.Recording) (func() explore.Subject, error){"client": clientbed.Recorded, "cluster": clusterbed.Recorded}

// recorded is a recorded run of a bed.
type recorded struct {
	path string
	// kind is cluster or client.
	kind     string
	rec      *recording.Recording
	subjects func() explore.Subject
}

// of is an error about the file.
func (r *recorded) of(err error) error { return fmt.Errorf("%s: %w", r.path, err) }

// open finds the file among the arguments of a command that has a recorded run of a bed. It is nil if there is none.
func open(name string, arguments []string) (r *recorded, err error) {
	if len(arguments) == 0 || arguments[0] != name {
		return nil, nil
	}
	for _, path := range arguments[1:] {
		rec, err := recording.Open(path)
		if err != nil {
			continue
		}
		kind, _, _ := strings.Cut(rec.Scenario, "@")
		if of := beds[kind]; of != nil {
			r = &recorded{path: path, kind: kind, rec: rec}
			if r.subjects, err = of(rec); err != nil {
				return r, r.of(err)
			}
			return r, nil
		}
	}
	return nil, nil
}

// replayBed carries out a recorded run of a bed again. It is false if the arguments ask for something else.
func replayBed(arguments []string, out *output) (code int, is bool, err error) {
	r, err := open("replay", arguments)
	switch {
	case err != nil:
		return 0, true, err
	case r == nil:
		return 0, false, nil
	case len(arguments) > 2:
		return 0, true, r.of(fmt.Errorf("a run of a %s has no page, and is replayed as it is: %s, without flags", r.kind, recording.Again(program(), r.path)))
	}
	run, err := stories.Replay(r.subjects, r.rec)
	if err != nil {
		return 0, true, r.of(err)
	}
	tell(out, run)
	out.printf("\nThe same run to the bit: %d choices, trace hash %s.\n", len(r.rec.Choices), r.rec.TraceHash)
	return exitViolated, true, nil
}

// tell says what happens in a run, what is wrong, and what decides.
func tell(out *output, run *stories.Run) {
	out.printf("%s\n\n%s\n", strings.Join(run.Story, "\n"), run.Why)
	if len(run.Decides) > 0 {
		out.printf("\n%s\n", strings.Join(run.Decides, "\n"))
	}
}

const shrinkHelp = `Shrink a recorded run of a bed: simrun shrink FILE

Flags:
`

// shrinkBed makes a recorded run of a bed smaller. It is false if the arguments ask for something else.
func shrinkBed(arguments []string, out *output) (code int, is bool, err error) {
	r, err := open("shrink", arguments)
	if err != nil || r == nil {
		return 0, r != nil, err
	}
	set := flag.NewFlagSet("simrun shrink", flag.ContinueOnError)
	folder := set.String("out", failuresFolder, "the folder for the smaller replay file")
	runs := set.Int("runs", 1000, "how many runs it may take")
	switch others, err := parse(set, arguments[1:], shrinkHelp, out); {
	case errors.Is(err, flag.ErrHelp):
		return 0, true, nil
	case err != nil:
		return 0, true, err
	case len(others) != 1:
		return 0, true, errors.New("want one replay file, and flags")
	case *runs < 1:
		return 0, true, fmt.Errorf("--runs %d: want 1 at least", *runs)
	}
	failure, failed := r.rec.MadeFor()
	if !failed {
		return 0, true, r.of(errors.New("nothing is violated in it, so there is nothing to keep"))
	}
	ctx, _, stop := interrupted()
	defer stop()
	run, err := stories.Shrink(ctx, r.subjects, r.rec, failure, *runs)
	if err != nil {
		return 0, true, r.of(err)
	}
	unfinished := ""
	if !run.Shrunk {
		unfinished = " There may be a smaller one: the runs were used up or the search was interrupted."
	}
	if run.Recording.TraceHash == r.rec.TraceHash {
		out.printf("Nothing smaller than %s violates %s: %d recorded choices; %d runs.%s\n", r.path, failure.Property, len(r.rec.Choices), run.Runs, unfinished)
		return 0, true, nil
	}
	path, err := run.Recording.Create(*folder)
	if err != nil {
		return 0, true, fmt.Errorf("cannot keep the smaller run under %s: %w", *folder, reason(err))
	}
	out.printf("%s: %d recorded choices, before %d; %d runs.%s\n", path, len(run.Recording.Choices), len(r.rec.Choices), run.Runs, unfinished)
	return 0, true, nil
}

// failuresFolder is where replay files are, as those of simrun run.
const failuresFolder = "simrun-failures"

// toTell is how long what was found is still made smaller after an interrupt, as in simrun run.
const toTell = 10 * time.Second

// interrupted is a context that is done behind the first signal, and one that is done a while later. A later signal ends the process; not at once, because one interrupt
// may reach a process twice.
func interrupted() (ctx, later context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		time.AfterFunc(time.Second, stop)
		time.AfterFunc(toTell, cancel)
	})
	return ctx, later, stop
}
