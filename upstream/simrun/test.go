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

// testFlags are those of simrun test.
type testFlags struct {
	*cobra.Command
	run, tags string
	verbose   bool
	count     uint
	standIns  []string
}

func testCommand() *cobra.Command {
	f := &testFlags{}
	c := &cobra.Command{
		Use:   "test [PACKAGE] [-args ARGUMENTS...]",
		Short: "run a Go test of package etcdtest to the bit",
		Long: `Test compiles the test binary of a package of yours for the bed, and runs it. The test is one of package etcdtest, and the same as with go test. Here
the seed of a schedule also decides what Go leaves open: which goroutine runs next, the case of a select, the order of a
map, each random number. So a schedule that fails does so each time.

The package is a folder, the present one if none is named. Nothing is written into it. Flags may have one dash, as those of go test.`,
		Example: `  simrun test ./mypkg -run TestCache
  ETCDTEST_SEED=12 simrun test ./mypkg -run TestCache   one schedule, as a failure names it`,
		RunE: func(c *cobra.Command, arguments []string) error { return f.test(arguments, c.ArgsLenAtDash()) },
	}
	f.Command = c
	c.Flags().StringVar(&f.run, "run", "", "a regular expression: the tests that run, as in go test")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print each test")
	c.Flags().UintVar(&f.count, "count", 1, "how many times each test runs")
	c.Flags().StringVar(&f.tags, "tags", "", "build tags, with commas between them")
	c.Flags().StringArrayVar(&f.standIns, "stand-in", nil, "PACKAGE/FILE.go=YOURS.go: a file of a module that does not compile for wasip1, and the one in its place; again for others")
	return c
}

func (f *testFlags) test(arguments []string, dash int) error {
	t := overlay.Test{Tags: f.tags, StandIns: map[string]string{}}
	for _, s := range f.standIns {
		file, by, both := strings.Cut(s, "=")
		if !both || filepath.Ext(file) != ".go" {
			return fmt.Errorf("--stand-in %s: want PACKAGE/FILE.go=YOURS.go", s)
		}
		t.StandIns[file] = by
	}
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
	var err error
	if t.Folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	if s, err := os.Stat(t.Folder); err != nil || !s.IsDir() {
		return fmt.Errorf("test %s: there is no such folder", folder)
	}
	passed, err := carryOut(f.Context(), &t, append([]string{
		"test", "-test.run=" + f.run, fmt.Sprintf("-test.v=%v", f.verbose), fmt.Sprintf("-test.count=%d", f.count), "-test.paniconexit0",
	}, rest...), "simrun test "+folder, f.OutOrStdout(), f.ErrOrStderr())
	if err == nil && !passed {
		err = command.Exit(model.Violated)
	}
	return err
}

// carryOut compiles the test and runs it. again is how a failure says to run it.
func carryOut(ctx context.Context, t *overlay.Test, arguments []string, again string, out, complaints io.Writer) (passed bool, err error) {
	directory, err := guests.Directory()
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "simrun-test-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	binary, err := t.Compile(work, directory)
	switch {
	case ctx.Err() != nil:
		return false, errors.New("interrupted")
	case err != nil:
		return false, err
	}
	wasm, err := os.ReadFile(binary)
	if err != nil {
		return false, err
	}
	if wasm, err = engine.CountLoops(wasm); err != nil {
		return false, err
	}
	m, err := engine.Load(wasm, filepath.Join(directory, "compiled"))
	if err != nil {
		return false, err
	}
	temporary := filepath.Join(work, "tmp")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		return false, err
	}
	exit, err := m.RunCommand(ctx, &engine.Command{
		Arguments: arguments, Environment: append(os.Environ(), "PWD="+t.Folder, "TMPDIR="+temporary, "WATCHBED_TEST="+again), Temporary: temporary,
		Out: out, Errors: complaints,
	})
	return exit == 0, err
}
