// Verdicts measures what each scenario of the catalogue says over the code that ships, and keeps a table of it:
//
//	go run ./verdicts              every scenario
//	go run ./verdicts NAME ...     these alone
//	go run ./verdicts -missing     those that have no row yet, as after an interrupt
//	go run ./verdicts -front 3.7.3 all in front of this etcd
//	go run ./verdicts -page        prints the table, and measures nothing
//
// The table is verdicts.json in the folder of this program. Verdicts are measured, never written by hand. What is written by
// hand is what is known of the scenarios (known.go), and why claims are never checked (silent.go). The command and the tests say where a
// reason is missing or has nothing to explain.
//
// It must never import anything that a guest is made of.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"

	// All scenarios, properties and designs.
	_ "github.com/watchbed/watchbed/command"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// folder is where the table is, as seen from the folder upstream.
const folder = "verdicts"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missing := flag.Bool("missing", false, "measure only what has no row yet")
	front := flag.String("front", "", "measure only in front of this etcd, and with this release: "+strings.Join(fronts, ", "))
	page := flag.Bool("page", false, "print the table as a page, and measure nothing")
	flag.Parse()
	if *page {
		table.Page("verdicts", filepath.Join(folder, data), render)
		return
	}
	wrong, err := update(ctx, flag.Args(), *front, *missing)
	table.End("verdicts", wrong, err)
}

// update measures scenarios, all if none is named, writes the table after each, and returns what is amiss with it.
func update(ctx context.Context, names []string, front string, missing bool) ([]string, error) {
	if err := table.Known(names); err != nil {
		return nil, err
	}
	if front != "" && !slices.Contains(fronts, front) {
		return nil, fmt.Errorf("-front %s: there are %s", front, strings.Join(fronts, ", "))
	}
	// The guests are loaded before anything is measured.
	for _, f := range fronts {
		if front != "" && f != front {
			continue
		}
		if _, _, err := count(ctx, scenarios.Issue15220, f, 1); err != nil {
			return nil, err
		}
	}
	u := table.Update[row]{
		Path: filepath.Join(folder, data), Versions: rowsOf, Measure: measure,
		Wanted: func(sc *testbed.Scenario, etcd string, old *row) bool {
			return (len(names) == 0 || slices.Contains(names, sc.Name)) && (front == "" || etcd == front) && (!missing || old == nil)
		},
	}
	rows, err := u.Do(ctx)
	if err != nil {
		return nil, err
	}
	return amiss(rows)
}
