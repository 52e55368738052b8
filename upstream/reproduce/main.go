// Reproduce measures how soon the bed finds what upstream's correctness suite is about: the bugs of its table, each put
// back into the code that ships by a patch.
//
//	go run ./reproduce              # all rows: compiles a guest for each
//	go run ./reproduce 116172       # some, and keeps the figures of the others
//	go run ./reproduce -plain       # runs the plain Go tests with the code that ships, and with the bugs
//	go run ./reproduce -page        # prints the table, and measures nothing
//
// It writes figures.json of its folder.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	page := flag.Bool("page", false, "print the table as a page, and measure nothing")
	plain := flag.Bool("plain", false, "run the plain Go tests of bugs that upstream's suite does not find")
	flag.Parse()
	do := func() error { return run(ctx, flag.Args()) }
	if *plain {
		do = func() error { return checkPlain(ctx) }
	}
	if *page {
		do = show
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "reproduce: "+err.Error())
		os.Exit(1)
	}
}

// show prints the table.
func show() error {
	figures, err := readFigures(folder)
	if err != nil {
		return err
	}
	text, err := tables(figures)
	fmt.Print(text)
	return err
}

// folder is where the table is, seen from the folder upstream.
const folder = "reproduce"

func run(ctx context.Context, names []string) error {
	figures, err := readFigures(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name && r.scenario != "" }) {
			return fmt.Errorf("no row that is measured has the name %s", name)
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.scenario == "" || len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		if err := compile(ctx, r.guest()); err != nil {
			return err
		}
		f, err := measure(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		figures[r.name] = f
		fmt.Printf("%s: %v\n", r.name, f.Hits)
		// What is measured stays if the next row is interrupted.
		if err := write(folder, figures); err != nil {
			return err
		}
	}
	return write(folder, figures)
}
