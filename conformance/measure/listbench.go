package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// settings are what the flags of listbench say.
type settings struct {
	version string
	scale   float64
	budget  time.Duration
	runs    int
	only    string
	design  string
	poll    time.Duration
}

// listbench compares a consistent LIST from the cache, run by package shell on a real etcd, with a
// quorum LIST from that etcd whose answer the client filters: the kubelet's 30 of 150,000 pods, and
// the selection of nothing from 300,000 objects of 1 KB and from 300 of 1 MB (KEP-2340,
// "Motivation" and "Test Plan"). It prints a table in Markdown. conformance/shell/README.md
// explains the columns and has the measured figures.
func listbench(ctx context.Context, args []string) error {
	var s settings
	flags := flag.NewFlagSet("listbench", flag.ExitOnError)
	flags.StringVar(&s.version, "etcd", "3.6.16", "version of the server, which make servers has built")
	flags.Float64Var(&s.scale, "scale", 1, "part of the objects that the stores have")
	flags.DurationVar(&s.budget, "budget", 5*time.Second, "how long one reader reads in one run")
	flags.IntVar(&s.runs, "runs", 3, "how often each reader has its turn in each state of the store")
	flags.StringVar(&s.only, "store", "", "one of the stores: pods, small or large")
	flags.StringVar(&s.design, "design", "kep-2340", "design of the cache, as in simrun list; draft-2019 has etcd notify every 250 ms")
	flags.DurationVar(&s.poll, "poll", 0, "time between two progress requests, if not 100 ms")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return bench(ctx, s, os.Stdout, os.Stderr)
}

func bench(ctx context.Context, s settings, out, progress io.Writer) error {
	if s.runs < 1 || s.scale <= 0 || s.scale > 1 {
		return fmt.Errorf("-runs has to be 1 or more, -scale above 0 and at most 1")
	}
	var rows []row
	for _, spec := range stores(s.scale) {
		if s.only != "" && s.only != spec.name {
			continue
		}
		some, err := benchStore(ctx, s, spec, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", spec.name, err)
		}
		rows = append(rows, some...)
	}
	if len(rows) == 0 {
		return fmt.Errorf("there is no store %q", s.only)
	}
	return printTable(out, rows)
}
