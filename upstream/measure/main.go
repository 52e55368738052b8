// Measure measures the code that ships against what the simulation says of it, and keeps what came of it in tables:
//
//	go run ./measure                      says which tables there are
//	go run ./measure TABLE                measures all rows of a table
//	go run ./measure TABLE NAME ...       those of these scenarios, worlds or bugs alone
//	go run ./measure TABLE -missing       those that have no row yet, as after an interrupt
//	go run ./measure TABLE -page          prints the table as a page, and measures nothing
//	go run ./measure TABLE -h             says what other flags it takes
//
// The table is TABLE.json in the folder of this program. What is measured is never written by hand. What is written by
// hand are reasons, and the command and the tests say where one is missing or has nothing to explain.
//
// It must never import anything that a guest is made of.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/watchbed/watchbed/internal/registry"

	// All scenarios, properties, known bugs and designs.
	_ "github.com/watchbed/watchbed/command"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// measurer is a table, whatever its rows are.
type measurer interface {
	describe() (name, about string)
	flags(*flag.FlagSet)
	// page is the table as a page.
	page() (string, error)
	// run measures rows, all if none is named, and returns what is amiss with the table.
	run(ctx context.Context, names []string) ([]string, error)
	// check is what is amiss with the table as it is in its file.
	check() ([]string, error)
}

var tables = []measurer{verdicts, hunting, agreement, inclusion, cachetraces, reproduce, clusterBugs}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wrong, err := measure(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure: "+err.Error())
		os.Exit(2)
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, "measure: "+line)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

// measure does what the arguments say, and returns what is amiss with the table that was measured.
func measure(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("no table is named. There are\n%s", usage())
	}
	var names []string
	for _, t := range tables {
		name, about := t.describe()
		names = append(names, name)
		if name != args[0] {
			continue
		}
		flags := flag.NewFlagSet("measure "+name, flag.ExitOnError)
		flags.Usage = func() {
			fmt.Fprintf(flags.Output(), "%s: %s.\n\n    go run ./measure %s [flags] [NAME ...]\n\n", name, about, name)
			flags.PrintDefaults()
		}
		asPage := flags.Bool("page", false, "print the table as a page, and measure nothing")
		t.flags(flags)
		if err := flags.Parse(args[1:]); err != nil {
			return nil, err
		}
		if !*asPage {
			return t.run(ctx, flags.Args())
		}
		text, err := t.page()
		fmt.Print(text)
		return nil, err
	}
	return nil, fmt.Errorf("there is no table %q%s", args[0], registry.Suggest(args[0], names))
}

// usage is what there is to measure.
func usage() string {
	text := ""
	for _, t := range tables {
		name, about := t.describe()
		text += fmt.Sprintf("    %-12s %s\n", name, about)
	}
	return text + "\"go run ./measure TABLE\" in the folder upstream measures one, and with -page prints it."
}
