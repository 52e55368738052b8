// Verdicts measures what each scenario of the catalogue says over the code that ships, and writes the table of it:
//
//	go run ./verdicts              every scenario
//	go run ./verdicts NAME ...     these alone
//	go run ./verdicts -missing     those that have no row yet, as after an interrupt
//
// The table is verdicts.json and README.md in the folder of this program. Verdicts are measured, never written by hand. What is written by
// hand are reasons (reasons.go, silent.go), and the command and the tests say where one is missing or has nothing to explain.
//
// It must never import anything that a guest is made of.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"

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
	flag.Parse()
	wrong, err := update(ctx, flag.Args(), *missing)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verdicts: "+err.Error())
		os.Exit(2)
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, "verdicts: "+line)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

// update measures scenarios, all if none is named, writes the table after each, and returns what is amiss with it.
func update(ctx context.Context, names []string, missing bool) ([]string, error) {
	for _, name := range names {
		if _, err := testbed.FindScenario(name); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(folder, data)
	rows, err := read(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// The guest is loaded before anything is measured.
	if _, err := count(ctx, scenarios.Issue15220, versions[0], 1); err != nil {
		return nil, err
	}
	for _, sc := range testbed.Scenarios() {
		if len(names) > 0 && !slices.Contains(names, sc.Name) {
			continue
		}
		for _, etcd := range rowsOf(sc) {
			if missing && rowOf(rows, sc.Name, etcd) != nil {
				continue
			}
			r, err := measure(ctx, sc, etcd)
			if ctx.Err() != nil {
				return nil, errors.New("interrupted; the scenarios that were done are in the table")
			}
			if err != nil {
				return nil, fmt.Errorf("%s on etcd %s: %w", sc.Name, etcd, err)
			}
			fmt.Println(r.String())
			rows = put(rows, r)
			if err := write(path, rows); err != nil {
				return nil, err
			}
		}
	}
	text, err := render(rows)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, page), []byte(text), 0o644); err != nil {
		return nil, err
	}
	return amiss(rows)
}

// put puts a row in the place of the one of the same scenario and version, in the order of the catalogue. Rows of
// scenarios that are not there any more go.
func put(rows []row, r row) []row {
	byKey := map[[2]string]row{r.key(): r}
	for _, old := range rows {
		if old.key() != r.key() {
			byKey[old.key()] = old
		}
	}
	var all []row
	for _, sc := range testbed.Scenarios() {
		for _, etcd := range rowsOf(sc) {
			if of, there := byKey[[2]string{sc.Name, etcd}]; there {
				all = append(all, of)
			}
		}
	}
	return all
}
