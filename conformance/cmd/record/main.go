// Record makes the recordings anew from real servers. The servers must be built
// (make servers). Run it on an idle machine: progress depends on milliseconds.
//
//	record [histories] [progress] [bugs] [created] [behind] [scripts]
//
// Without arguments it records everything.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

var recordings = []struct {
	name   string
	record func(context.Context) error
}{
	{"histories", recordHistories},
	{"progress", recordProgress},
	{"bugs", recordBugs},
	{"created", recordOvertaken},
	{"behind", recordBehindStart},
	{"scripts", recordScripts},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, wanted []string) error {
	known := map[string]bool{}
	for _, r := range recordings {
		known[r.name] = true
	}
	asked := map[string]bool{}
	for _, name := range wanted {
		if !known[name] {
			return fmt.Errorf("there is no recording %q", name)
		}
		asked[name] = true
	}
	for _, r := range recordings {
		if len(asked) > 0 && !asked[r.name] {
			continue
		}
		if err := r.record(ctx); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}
