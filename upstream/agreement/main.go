// Agreement measures whether the code of an etcd release and the simulated server of the same release come to the same verdicts: each
// scenario of the catalogue is run over both, and what one violates and the other does not is a difference.
//
//	go run ./agreement              every scenario
//	go run ./agreement NAME ...     these alone
//	go run ./agreement -missing     those that have no row yet, as after an interrupt
//	go run ./agreement -etcd 3.6.16 on this release alone
//
// The table is agreement.json and README.md in the folder of this program. What is measured is never written by hand. What is written by hand
// are reasons (reasons.go), and the command and the tests say where one is missing or has nothing to explain.
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
	"strings"

	"github.com/watchbed/watchbed/testbed"

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
	flag.Parse()
	wrong, err := update(ctx, flag.Args(), *on, *missing)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agreement: "+err.Error())
		os.Exit(2)
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, "agreement: "+line)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

// update measures scenarios, all if none is named, on one release or on all, writes the table after each, and returns what is amiss with
// it.
func update(ctx context.Context, names []string, on string, missing bool) ([]string, error) {
	for _, name := range names {
		if _, err := testbed.FindScenario(name); err != nil {
			return nil, err
		}
	}
	if on != "" && !slices.Contains(versions, on) {
		return nil, fmt.Errorf("-etcd %s: the table is about %s", on, strings.Join(versions, ", "))
	}
	path := filepath.Join(folder, data)
	rows, err := read(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, version := range versions {
		if on != "" && version != on {
			continue
		}
		for _, sc := range testbed.Scenarios() {
			if len(names) > 0 && !slices.Contains(names, sc.Name) || missing && rowOf(rows, sc.Name, version) != nil {
				continue
			}
			r, err := measure(ctx, sc, version)
			if ctx.Err() != nil {
				return nil, errors.New("interrupted; the scenarios that were done are in the table")
			}
			if err != nil {
				return nil, fmt.Errorf("%s on etcd %s: %w", sc.Name, version, err)
			}
			fmt.Println(r.String())
			rows = put(rows, r)
			if err := write(path, rows); err != nil {
				return nil, err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, page), []byte(render(rows)), 0o644); err != nil {
		return nil, err
	}
	return amiss(rows), nil
}

// put puts a row in the place of the one of the same scenario and version, in the order of the catalogue. Rows of
// scenarios that are not there any more go.
func put(rows []row, r row) []row {
	byKey := map[[2]string]row{}
	for _, of := range append(slices.Clone(rows), r) {
		byKey[of.key()] = of
	}
	var all []row
	for _, sc := range testbed.Scenarios() {
		for _, version := range versions {
			if of, there := byKey[[2]string{sc.Name, version}]; there {
				all = append(all, of)
			}
		}
	}
	return all
}
