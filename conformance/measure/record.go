package main

import (
	"context"
	"fmt"
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

// record makes the named recordings anew, without names all.
func record(ctx context.Context, wanted []string) error {
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
