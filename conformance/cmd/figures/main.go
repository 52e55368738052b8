// Figures compares every real server that is built with the simulated one of its version, and
// writes what came of it into the table of the page of this module (README.md). The servers
// must be built (make servers). It takes a quarter of an hour.
//
//	figures [-sequences N] [-races N] [-page FILE]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/watchbed/watchbed/conformance"
	"github.com/watchbed/watchbed/conformance/realetcd"
)

func main() {
	sequences := flag.Int("sequences", 300, "sequences of requests to compare on each version")
	count := flag.Int("races", 300, "races to compare on each version, alone and on a follower")
	page := flag.String("page", filepath.Join(conformance.Root(), "conformance", "README.md"), "page whose table is written")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *sequences, *count, *page); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sequences, count int, page string) error {
	if sequences < 1 || count < 1 {
		return fmt.Errorf("-sequences=%d and -races=%d: want at least 1 of each", sequences, count)
	}
	versions := realetcd.Compared()
	rows, errs := make([]row, len(versions)), make([]error, len(versions))
	// Real servers need processors, too.
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, version := range versions {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rows[i], errs[i] = measure(ctx, version, sequences, count)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return write(page, rows)
}
