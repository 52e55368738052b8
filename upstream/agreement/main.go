// Agreement measures whether the code of an etcd release and the simulated server of the same release come to the same verdicts: each
// scenario of the catalogue is run over both, and what one violates and the other does not is a difference.
//
//	go run ./agreement              every scenario
//	go run ./agreement NAME ...     these alone
//	go run ./agreement -missing     those that have no row yet, as after an interrupt
//	go run ./agreement -etcd 3.6.16 on this release alone
//	go run ./agreement -page        prints the table, and measures nothing
//
// The table is agreement.json in the folder of this program. What is measured is never written by hand. What is written by hand
// are reasons (reasons.go), and the command and the tests say where one is missing or has nothing to explain.
//
// It must never import anything that a guest is made of.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"

	// All scenarios, properties and designs.
	_ "github.com/watchbed/watchbed/command"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// folder is where the table is, as seen from the folder upstream.
const folder = "agreement"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missing := flag.Bool("missing", false, "measure only what has no row yet")
	on := flag.String("etcd", "", "measure on this release alone, of those of the table")
	page := flag.Bool("page", false, "print the table as a page, and measure nothing")
	flag.Parse()
	if *page {
		table.Page("agreement", filepath.Join(folder, data), render)
		return
	}
	wrong, err := update(ctx, flag.Args(), *on, *missing)
	table.End("agreement", wrong, err)
}

// update measures scenarios, all if none is named, on one release or on all, writes the table after each, and returns what is amiss with
// it.
func update(ctx context.Context, names []string, on string, missing bool) ([]string, error) {
	if err := table.Known(names); err != nil {
		return nil, err
	}
	if err := table.KnownRelease(on, versions); err != nil {
		return nil, err
	}
	u := table.Update[row]{
		Path: filepath.Join(folder, data), Versions: func(*testbed.Scenario) []string { return versions }, Measure: measure,
		Wanted: func(sc *testbed.Scenario, etcd string, old *row) bool {
			return (on == "" || etcd == on) && (len(names) == 0 || slices.Contains(names, sc.Name)) && (!missing || old == nil)
		},
	}
	rows, err := u.Do(ctx)
	if err != nil {
		return nil, err
	}
	return amiss(rows), nil
}
