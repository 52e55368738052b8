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

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/command"
	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// goFlags are arguments of simrun test as go test takes them: a dash before a name, and -args.
func goFlags(arguments []string) []string {
	if len(arguments) == 0 || arguments[0] != "test" {
		return arguments
	}
	arguments = slices.Clone(arguments)
	for i, a := range arguments {
		switch {
		case a == "-args" || a == "--args":
			arguments[i] = "--"
			return arguments
		case len(a) > 2 && a[0] == '-' && a[1] != '-':
			arguments[i] = "-" + a
		}
	}
	return arguments
}

// compileFlags say how a test is compiled, and which of its tests run.
type compileFlags struct {
	run, tags string
	standIns  []string
}

func (f *compileFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.run, "run", "", "a regular expression: the tests that run, as in go test")
	c.Flags().StringVar(&f.tags, "tags", "", "build tags of a test, with commas between them")
	c.Flags().StringArrayVar(&f.standIns, "stand-in", nil, "PACKAGE/FILE.go=YOURS.go: a file of a module that a test does not compile with for wasip1, and the one in its place; again for others")
}

// of is the test of a folder.
func (f *compileFlags) of(folder string) (*overlay.Test, error) {
	t := &overlay.Test{Tags: f.tags, StandIns: map[string]string{}}
	for _, s := range f.standIns {
		file, by, both := strings.Cut(s, "=")
		if !both || filepath.Ext(file) != ".go" {
			return nil, fmt.Errorf("--stand-in %s: want PACKAGE/FILE.go=YOURS.go", s)
		}
		t.StandIns[file] = by
	}
	if strings.HasSuffix(folder, "...") {
		return nil, fmt.Errorf("%s: want the folder of one package", folder)
	}
	if s, err := os.Stat(folder); err != nil || !s.IsDir() {
		return nil, fmt.Errorf("%s: there is no such folder", folder)
	}
	var err error
	t.Folder, err = filepath.Abs(folder)
	return t, err
}

// testFlags are those of simrun test.
type testFlags struct {
	*cobra.Command
	compileFlags
	verbose bool
	count   uint
}

func testCommand() *cobra.Command {
	f := &testFlags{}
	c := &cobra.Command{
		Use:   "test [PACKAGE] [-args ARGUMENTS...]",
		Short: "run a Go test of package etcdtest to the bit",
		Long: `Test compiles the test binary of a package of yours for the bed, and runs it. The test is one of package etcdtest, and the same as with go test. Here
the seed of a schedule also decides what Go leaves open: which goroutine runs next, the case of a select, the order of a
map, each random number. So a schedule that fails does so each time.

The package is a folder, the present one if none is named. The test can write below t.TempDir and nowhere else, starts no process, and has no network
but within itself. Times are those of the virtual clock. Goroutines take turns where they wait, yield or take a lock, so a data race is for
go test -race. Flags may have one dash, as those of go test.`,
		Example: `  simrun test ./mypkg -run TestCache
  ETCDTEST_SEED=12 simrun test ./mypkg -run TestCache   one schedule, as a failure names it`,
		RunE: func(c *cobra.Command, arguments []string) error { return f.test(arguments, c.ArgsLenAtDash()) },
	}
	f.Command = c
	f.add(c)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print each test")
	c.Flags().UintVar(&f.count, "count", 1, "how many times each test runs")
	return c
}

func (f *testFlags) test(arguments []string, dash int) error {
	var rest []string
	if dash >= 0 {
		arguments, rest = arguments[:dash], arguments[dash:]
	}
	if len(arguments) > 1 {
		return fmt.Errorf("test %s: want one package", strings.Join(arguments, " "))
	}
	folder := "."
	if len(arguments) == 1 {
		folder = arguments[0]
	}
	t, err := f.of(folder)
	if err != nil {
		return fmt.Errorf("test %w", err)
	}
	c, err := compile(f.Context(), t)
	if err != nil {
		return err
	}
	defer c.remove()
	passed, err := c.run(f.Context(), append([]string{
		"-test.run=" + f.compileFlags.run, fmt.Sprintf("-test.v=%v", f.verbose), fmt.Sprintf("-test.count=%d", f.count), "-test.paniconexit0",
	}, rest...), "simrun test "+folder, f.OutOrStdout(), f.ErrOrStderr())
	if err == nil && !passed {
		err = command.Exit(model.Violated)
	}
	return err
}

// compiled is a test binary that can run.
type compiled struct {
	test   *overlay.Test
	module *engine.Module
	// work is a folder of its own.
	work string
}

// testMemory is how many bytes the memory of a test may have.
const testMemory = 1 << 30

// compile compiles a test.
func compile(ctx context.Context, t *overlay.Test) (*compiled, error) {
	work, err := os.MkdirTemp("", "simrun-test-")
	if err != nil {
		return nil, err
	}
	c := &compiled{test: t, work: work}
	if c.module, err = c.load(ctx); err != nil {
		c.remove()
		return nil, err
	}
	return c, nil
}

func (c *compiled) load(ctx context.Context) (*engine.Module, error) {
	directory, err := guests.Directory()
	if err != nil {
		return nil, err
	}
	binary, err := c.test.Compile(ctx, c.work, directory)
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case err != nil:
		return nil, err
	}
	wasm, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if wasm, err = engine.CountLoops(wasm); err != nil {
		return nil, err
	}
	return engine.Load(wasm, filepath.Join(directory, "compiled", "tests"), testMemory)
}

func (c *compiled) remove() { _ = os.RemoveAll(c.work) }

// errInterrupted is that of a command that a signal ends.
var errInterrupted = command.NoVerdict(errors.New("interrupted"))

// run runs the test. again is how a failure says to run it.
func (c *compiled) run(ctx context.Context, arguments []string, again string, out, complaints io.Writer) (passed bool, err error) {
	temporary := filepath.Join(c.work, "tmp")
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return false, err
	}
	exit, err := c.module.RunCommand(ctx, &engine.Command{
		Arguments: append([]string{"test"}, arguments...), Environment: append(os.Environ(), "PWD="+c.test.Folder, "TMPDIR="+temporary, "WATCHBED_TEST="+again),
		Temporary: temporary, Out: out, Errors: complaints,
	})
	switch {
	case ctx.Err() != nil:
		return false, errInterrupted
	case err != nil:
		// That is how the test ends.
		fmt.Fprintln(complaints, err)
	}
	return err == nil && exit == 0, nil
}
