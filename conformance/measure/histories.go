package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/history"
)

// histories are small: a fixture is for reading, too. One begins with an
// empty store, one with a seeded one, and one has clients that give up. Histories
// of other releases say nothing else: one is of the oldest server, the others are of the newest.
var histories = []struct {
	version string
	recorded.Config
}{
	{"3.5.7", recorded.Config{Seed: 1, Clients: 4, PerClient: 25, Concurrent: 4}},
	{"3.6.16", recorded.Config{Seed: 2, Clients: 5, PerClient: 24, Concurrent: 4, Seeded: true}},
	{"3.6.16", recorded.Config{Seed: 3, Clients: 6, PerClient: 20, Concurrent: 6, GiveUp: 4, Seeded: true}},
}

func recordHistories(ctx context.Context) error {
	for _, x := range histories {
		// A server of its own: revisions begin at 1.
		err := withServer(ctx, x.version, func(server *realetcd.Server) error {
			h, err := recorded.Record(ctx, server, x.Config)
			if err != nil {
				return err
			}
			path := filepath.Join(realetcd.Histories(), fmt.Sprintf("%s-seed-%d.jsonl", x.version, x.Seed))
			if err := os.MkdirAll(realetcd.Histories(), 0o755); err != nil {
				return err
			}
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			if err := history.Write(f, h); err != nil {
				f.Close()
				return err
			}
			fmt.Printf("%s: %d operations\n", path, len(h.Operations))
			return f.Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
