package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// figures compares every real server that is built with the simulated one of its version, and
// writes what came of it into the table of the page of this module.
func figures(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("figures", flag.ExitOnError)
	sequences := flags.Int("sequences", 300, "sequences of requests to compare on each version")
	count := flags.Int("races", 300, "races to compare on each version, alone and on a follower")
	page := flags.String("page", filepath.Join(realetcd.Root(), "conformance", "README.md"), "page whose table is written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return compareAll(ctx, *sequences, *count, *page)
}

func compareAll(ctx context.Context, sequences, count int, page string) error {
	if sequences < 1 || count < 1 {
		return fmt.Errorf("-sequences=%d and -races=%d: want at least 1 of each", sequences, count)
	}
	versions := realetcd.Compared()
	rows, errs := make([]comparison, len(versions)), make([]error, len(versions))
	// Real servers need processors, too.
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, version := range versions {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rows[i], errs[i] = compare(ctx, version, sequences, count)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return writePage(page, rows)
}
