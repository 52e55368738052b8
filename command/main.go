package command

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	// What is registered: the catalogue, with every property, and the known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/properties"
	_ "github.com/watchbed/watchbed/scenarios"
)

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
