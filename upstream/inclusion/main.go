// Inclusion compares what the clients of a released etcd are answered with what those of the simulated one are, in small worlds. A trace is all that clients are
// told, in order for each stream. Those of the simulated server are found by a search over all of its states; those of the
// released code by random schedules, and by a search for each trace that is still missing.
//
//	go run ./inclusion              every world on every release
//	go run ./inclusion NAME ...     these alone
//	go run ./inclusion -missing     those that have no row yet, as after an interrupt
//	go run ./inclusion -etcd 3.5.7  on this release alone
//	go run ./inclusion -page        prints the table, and measures nothing
//
// The table is inclusion.json in the folder of this program. The guests are etcd@v3.5.7 and so on, and those with testdata/preempted.patch:
//
//	make upstream GUEST="etcd@v3.6.16 etcd@v3.6.16+inclusion/testdata/preempted.patch"
//
// The two oldest releases have a patch of their own: etcd@v3.5.7+inclusion/testdata/v3.5.7/preempted.patch.
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

	"github.com/watchbed/watchbed/upstream/table"

	// The programs that are the code of a release.
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// folder is where the table is, as seen from the folder upstream.
const folder = "inclusion"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missing := flag.Bool("missing", false, "measure only what has no row yet")
	on := flag.String("etcd", "", "measure on this release alone, of those of the table")
	page := flag.Bool("page", false, "print the table as a page, and measure nothing")
	flag.Parse()
	if *page {
		table.Page("inclusion", filepath.Join(folder, data), render)
		return
	}
	wrong, err := update(ctx, flag.Args(), *on, *missing)
	table.End("inclusion", wrong, err)
}

// update measures worlds, all if none is named, on one release or on all, writes the table after each, and returns what is amiss
// with it.
func update(ctx context.Context, names []string, on string, missing bool) ([]string, error) {
	for _, name := range names {
		if find(name) == nil {
			return nil, fmt.Errorf("there is no world %q; \"go run ./inclusion -page\" has those that there are", name)
		}
	}
	if err := table.KnownRelease(on, versions); err != nil {
		return nil, err
	}
	rows, err := table.Read[row](filepath.Join(folder, data))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, of := range worlds {
		for _, version := range versions {
			old := rowOf(rows, of.Name, version)
			if on != "" && version != on || len(names) > 0 && !slices.Contains(names, of.Name) || missing && old != nil {
				continue
			}
			r, err := measure(ctx, of, version)
			if err != nil {
				return nil, fmt.Errorf("%s on etcd %s: %w", of.Name, version, err)
			}
			fmt.Println(r.String())
			if rows, err = keep(rows, r); err != nil {
				return nil, err
			}
		}
	}
	return amiss(rows), nil
}
