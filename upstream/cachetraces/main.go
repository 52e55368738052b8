// Cachetraces compares what the clients of the cacher that ships are told with what those of the simulated cache of the same release are, in
// small worlds. A trace is all that clients are told, in order for each watch. Those of the simulated cache are found by a search over all of
// its states; those of the released code by random schedules, and by a search for each trace that is still missing.
//
//	go run ./cachetraces              every world
//	go run ./cachetraces NAME ...     these alone
//	go run ./cachetraces -page        prints the table, and measures nothing
//
// The table is cachetraces.json in the folder of this program. The guest is kubernetes@v0.37.2, and etcd the simulated one on
// both sides.
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

	// The program that is the code of a release.
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// folder is where the table is, as seen from the folder upstream.
const folder = "cachetraces"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	page := flag.Bool("page", false, "print the table as a page, and measure nothing")
	flag.Parse()
	if *page {
		table.Page("cachetraces", filepath.Join(folder, data), render)
		return
	}
	wrong, err := update(ctx, flag.Args())
	table.End("cachetraces", wrong, err)
}

// update measures worlds, all if none is named, writes the table after each, and returns what is amiss with it.
func update(ctx context.Context, names []string) ([]string, error) {
	for _, name := range names {
		if find(name) == nil {
			return nil, fmt.Errorf("there is no world %q; \"go run ./cachetraces -page\" has those that there are", name)
		}
	}
	path := filepath.Join(folder, data)
	rows, err := table.Read[row](path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, of := range worlds {
		if len(names) > 0 && !slices.Contains(names, of.Name) {
			continue
		}
		r, err := compare(ctx, of, simulated, released)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.Name, err)
		}
		fmt.Println(r.String())
		if rows, err = keep(path, rows, r); err != nil {
			return nil, err
		}
	}
	return amiss(rows), nil
}
