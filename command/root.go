// Package command is the command line of simrun as a library: list, run, matrix,
// compare, replay, shrink, check and bench. A main of one's own registers what it brings
// and calls Main:
//
//	func main() { os.Exit(command.Main(os.Args[1:])) }
//
// Designs of a cache, scenarios, properties, known bugs and values of options that
// imported packages register stand beside ours in every subcommand.
//
// The package must never import what opens sockets or talks to a real etcd: its
// cold start stays short.
package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/properties"
	"github.com/watchbed/watchbed/report"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

const rootHelp = `PROGRAM runs a simulated etcd, the watch cache in front of it and their clients as
one state machine. A seed chooses every step; what the clients read is judged.

A run that fails is shrunk and written to a replay file: the choices by name,
which give the same run to the bit on every machine.

PROGRAM list has all names, and PROGRAM list NAME explains one: a scenario, an option
or a value of it, a known bug, a cache design, a release of etcd, a property.

Exit codes:
  0  all that was claimed holds (with --expect: what is violated is what is known;
     prove: no schedule within the bounds violates it)
  1  a violation was found
  2  bad usage or bad input, or output that could not be written
  3  no verdict: unknown, vacuous (a claim that was never checked), or
     interrupted before anything was found
If several are so, the first of 1, 2 and 3 is the code.`

const rootExamples = `  PROGRAM list
  PROGRAM list issue-15220
  PROGRAM run issue-15220 --etcd 3.5.7
  PROGRAM run issue-15220 --etcd 3.5.13
  PROGRAM run consistent-list --etcd 3.6.16 --for 60s
  PROGRAM run issue-17507 --etcd 3.5.13 --set progress=deferred
  PROGRAM replay simrun-failures/linearizable-data-0123456789abcdef.json
  PROGRAM prove issue-15220 --etcd 3.6.16 --set writers=1 --set writes=1 --set readers=1 --set reads=1
  PROGRAM matrix --etcd 3.5.13,3.6.16
  PROGRAM compare 3.5.7 3.5.13
  PROGRAM check history.jsonl`

// run is the command without the process around it.
func run(ctx context.Context, args []string, s process) int {
	out := &output{to: &report.Spelt{To: s.out}}
	s.out, s.err, s.stdout, s.args = out, &report.Spelt{To: s.err}, out, args
	dir := failuresDir
	root := &cobra.Command{
		Use:           s.program,
		Short:         "break a cache in front of etcd, from a seed, and replay it to the bit",
		Long:          s.named(rootHelp),
		Example:       s.named(rootExamples),
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		// No command below has one of its own, which would take its place.
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if out := c.Flags().Lookup(outFlag); out != nil {
				dir = out.Value.String()
			}
			if err := refuseEmptyFlags(c, args); err != nil {
				return err
			}
			if err := refuseRepeatedFlags(c, s.args); err != nil {
				return err
			}
			if err := out.share(c.Flags(), s.err); err != nil {
				return err
			}
			return s.ready(c.Flags())
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetArgs(args)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(listCommand(s), runCommand(s), replayCommand(s), linkCommand(s), shrinkCommand(s), proveCommand(s), matrixCommand(s), compareCommand(s), checkCommand(s), benchCommand(s))
	for _, b := range s.beds {
		if b.Command != nil {
			root.AddCommand(b.Command())
		}
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return badFlag(err) })
	err := explore.Settled(func() error { return root.ExecuteContext(ctx) })
	err = out.lost(s.kept(dir, err))
	for _, line := range messages(err) {
		s.complain("%s", line+s.hint(line))
	}
	return codeOf(err)
}

// badFlag says what a flag takes, where the library quotes the function that refused its
// value.
func badFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	want := ""
	switch kind := invalid.GetFlag().Value.Type(); kind {
	case "int", "uint", "uint64":
		want = "a whole number"
		if unit, _ := pflag.UnquoteUsage(invalid.GetFlag()); unit != kind {
			want += " of " + unit
		}
		if errors.Is(err, strconv.ErrRange) {
			want += " below 2^63"
		}
	case "duration":
		want = "a duration up to 2562047h, such as 60s"
	case "bool":
		want = "true or false"
	default:
		return err
	}
	return usage("--%s %s: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

// hint says where to look after a mistake in the flags, or in the name of a subcommand
// that is like no other, of which the error itself says nothing more.
func (s process) hint(line string) string {
	if strings.HasPrefix(line, "unknown command") && !strings.Contains(line, "Did you mean") {
		return "; see " + s.program + " --help"
	}
	if strings.HasPrefix(line, "unknown flag") || strings.HasPrefix(line, "unknown shorthand flag") {
		return "; see " + s.program + " --help, or --help after the subcommand"
	}
	return ""
}

// version is that of the module, and the commit if the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
				v += "-" + setting.Value[:12]
			}
		}
	}
	return v
}

// Bed explores what is no scenario, such as clusters of compiled etcd. Replay and shrink take what it has recorded.
type Bed struct {
	// Kind is how the names in its recordings begin, up to an @.
	Kind string
	// Command explores it; nil is none. Its errors are bad usage, but for those of Exit.
	Command func() *cobra.Command
	// Replay carries out a recorded run again, and says what happens in it; nil is that it records none.
	Replay func(*recording.Recording) (story string, err error)
	// Shrink makes one smaller that fails in this way, in so many runs at most. The story is in what is recorded.
	Shrink func(context.Context, *recording.Recording, explore.Failure, int) (*recording.Shrunk, error)
	// Campaign carries out those of simrun run in place of this process; nil is that it carries out none. It returns
	// what campaign.Run returns.
	Campaign func(context.Context, *testbed.Scenario, *testbed.Params, campaign.Config) (*campaign.Result, error)
}

// shrinkRunsOfBed is how many runs shrink takes by default, where one takes a second or so.
const shrinkRunsOfBed = 1000

// Main runs the command with these arguments, the program's name left out, on the
// process's standard streams. It returns the exit code: 0 all that was claimed
// holds, 1 a violation was found, 2 bad usage or input, 3 no verdict. The beds are there beside the scenarios.
func Main(args []string, beds ...Bed) int {
	collectSeldom()
	// CI systems cancel with SIGTERM, terminals that close send SIGHUP: what was found
	// is kept, as after an interrupt.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// The first signal stops cleanly. A later one ends the process; not at once,
	// because one interrupt may reach a process twice, by itself and by its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	return run(ctx, args, process{program: programName(), in: os.Stdin, out: os.Stdout, err: os.Stderr, outFile: os.Stdout, errFile: os.Stderr, beds: beds})
}

// programName is what the program is called on the command line. Texts that can be
// typed begin with it, so that they work with a main of one's own as well.
func programName() string {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

// collectSeldom lets garbage grow to five times what is in use, unless GOGC says
// otherwise. A campaign uses a few megabytes and makes little garbage: by default
// the collector would run dozens of times a second, and each time slow down every
// write of a pointer.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// parameters are the flags that change what is explored.
type parameters struct {
	etcd, client, cache string
	bugs, set           []string
	// program is the name of the program in errors.
	program string
	// measures: how long events take is measured.
	measures bool
}

// add declares the flags. Without them everything is as that says, of which base is the
// name.
func (f *parameters) add(c *cobra.Command, program, base string) {
	f.program = program
	c.Flags().StringVar(&f.etcd, "etcd", "", "version of the etcd server, such as 3.5.7 (default: the "+base+"'s)")
	c.Flags().StringVar(&f.client, "client", "", "version of clientv3 (default: that of the server)")
	c.Flags().StringVar(&f.cache, "cache", "", "design of the cache (default: the "+base+"'s)")
	c.Flags().StringArrayVar(&f.bugs, "bug", nil, "plant a known bug, by name; may be repeated ("+program+" list bugs)")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set an option, NAME=VALUE; may be repeated ("+program+" list options)")
}

// refuseEmptyFlags refuses flags of any command that were given an empty value, as by a
// variable of the shell that is not set: what they stand for would be left out silently. No
// time at all is as empty: it would stand for no bound.
func refuseEmptyFlags(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(given *pflag.Flag) {
		switch text := given.Value.String(); {
		case err != nil:
		case text == "" || text == "[]":
			err = usage("--%s: the value is empty; leave the flag out for the default", given.Name)
		case given.Value.Type() == "duration" && (text == "0s" || strings.HasPrefix(text, "-")):
			err = usage("--%s %s: want a time to go on for, such as 60s", given.Name, text)
		}
	})
	return err
}

// refuseRepeatedFlags refuses a flag that is given twice, since the first value would be lost. Flags that take many
// values may be repeated.
func refuseRepeatedFlags(c *cobra.Command, args []string) error {
	_, args, err := c.Root().Find(args)
	if err != nil {
		return err
	}
	given := map[string]int{}
	return c.Flags().ParseAll(args, func(f *pflag.Flag, _ string) error {
		given[f.Name]++
		if _, many := f.Value.(pflag.SliceValue); !many && given[f.Name] > 1 {
			return usage("--%s is given twice; leave one out", f.Name)
		}
		return nil
	})
}

func (f *parameters) given() bool {
	return f.etcd != "" || f.client != "" || f.cache != "" || len(f.bugs)+len(f.set) > 0
}

// scenario finds a scenario, and changes its parameters as the flags say.
func (f *parameters) scenario(name string) (*testbed.Scenario, testbed.Params, error) {
	sc, err := testbed.FindScenario(name)
	if err != nil {
		return nil, testbed.Params{}, unknownScenario(f.program, name, err)
	}
	p := sc.Params
	err = f.apply(&p)
	return sc, p, err
}

// apply changes the parameters as the flags say, and checks that they fit
// together.
func (f *parameters) apply(p *testbed.Params) error {
	settings, err := parseSettings(f.set)
	if err != nil {
		return err
	}
	for _, set := range settings {
		if err := p.Set(set.Name, set.Value); err != nil {
			if strings.HasPrefix(err.Error(), set.String()) {
				return usage("--set %w", err)
			}
			return usage("--set %s: %w", set, err)
		}
	}
	for _, set := range []struct{ flag, name, value string }{
		{"--etcd", "etcd", f.etcd}, {"--client", "client", f.client}, {"--cache", "cache", f.cache},
	} {
		if set.value == "" {
			continue
		}
		for _, other := range settings {
			if other.Name == set.name {
				return usage("--set %s and %s %s both set %s; give one of them", other, set.flag, set.value, set.name)
			}
		}
		if err := p.Set(set.name, set.value); err != nil {
			return usage("%s: %w", set.flag, err)
		}
	}
	p.Clock.Latency = p.Clock.Latency || f.measures
	for i, name := range f.bugs {
		b, err := testbed.FindBug(name)
		if err != nil {
			return usage("--bug: %w (run `%s list bugs` for all of them)", err, f.program)
		}
		f.bugs[i] = b.Name
	}
	for _, set := range settings {
		if by := p.Ignores(set.Name, set.Value); by != "" {
			return usage("--set %s: %s does not read it", set, by)
		}
		if p.Clock.Unread(set.Name) {
			return usage("--set %s: an untimed run has no clock, and does not read it; give it one with --set mode=timed", set)
		}
	}
	without := *p
	p.Bugs = append(p.Bugs[:len(p.Bugs):len(p.Bugs)], f.bugs...)
	if _, err := p.Nodes(); err != nil {
		return usage("--bug: %w", err)
	}
	for i, name := range f.bugs {
		if slices.Contains(f.bugs[:i], name) {
			return usage("--bug %s is there twice", name)
		}
		bug, err := testbed.FindBug(name)
		if err != nil {
			return usage("--bug: %w", err)
		}
		for _, set := range settings {
			if planted := bug.Planting(); set.Name == planted.Name && set.Value != planted.Value {
				return usage("--bug %s and --set %s both set %s; give one of them", name, set, set.Name)
			}
		}
		if !without.Has(name) {
			continue
		}
		return usage("--bug %s changes nothing: etcd %s with the cache design %s has it already", name, p.EtcdName(), p.Cache)
	}
	return nil
}

// parseSettings reads what --set was given. An option that is set twice is an error.
func parseSettings(texts []string) ([]option.Setting, error) {
	var all []option.Setting
	for _, text := range texts {
		set, err := option.ParseSetting(text)
		if err != nil {
			return nil, usage("--set %w", err)
		}
		for _, other := range all {
			if other.Name == set.Name {
				return nil, usage("--set %s and --set %s both set %s; give one of them", other, set, set.Name)
			}
		}
		all = append(all, set)
	}
	return all, nil
}

// note prints a line on standard error for each parameter that stands for another: a release that is not known to be
// out, and a setting of 0 that the option takes for its default.
func (f *parameters) note(s process, p *testbed.Params) {
	noteUnreleased(s, p.Etcd, p.Client)
	settings, err := parseSettings(f.set)
	if err != nil {
		return
	}
	for _, set := range settings {
		if amount := testbed.StandsFor(set.Name, set.Value); amount != "" {
			s.complain("--set %s: 0 stands for the default, which is %s", set, amount)
		}
	}
}

// noteUnreleased says of a version of etcd or of its client library that is not known to
// be out how it behaves. An empty version is none.
func noteUnreleased(s process, version, client string) {
	for _, v := range []struct{ subject, version string }{{"etcd", version}, {"the client library", client}} {
		if newest, ok := etcd.Unreleased(v.version); ok {
			s.complain("%s %s is newer than %s, the newest release known of its branch, and behaves as that one", v.subject, v.version, newest)
		}
	}
}
