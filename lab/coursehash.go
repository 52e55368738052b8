package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// coursehash prints the campaign hash of each scenario, with each design of a cache and each release of etcd: what a
// change of the simulated code's form must not move.
func coursehash(args []string) (string, error) {
	flags := flag.NewFlagSet("coursehash", flag.ExitOnError)
	seeds := flags.Uint64("seeds", 5, "schedules of each")
	whole := flags.Bool("whole", false, "each design with each release")
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	for _, sc := range testbed.Scenarios() {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), sc.Name) {
			continue
		}
		show(sc, "", "", *seeds)
		for _, d := range cache.Designs() {
			show(sc, d.Name, "", *seeds)
		}
		for _, v := range etcd.Versions() {
			show(sc, "", v, *seeds)
			if *whole {
				for _, d := range cache.Designs() {
					show(sc, d.Name, v, *seeds)
				}
			}
		}
	}
	return "", nil
}

func show(sc *testbed.Scenario, design, version string, seeds uint64) {
	hash, err := hashOf(sc, design, version, seeds)
	if err != nil {
		hash = "refused"
	}
	fmt.Println(sc.Name, "cache="+design, "etcd="+version, hash)
}

func hashOf(sc *testbed.Scenario, design, version string, seeds uint64) (string, error) {
	p := sc.Params
	var err error
	if design != "" {
		if p, err = p.With("cache", design); err != nil {
			return "", err
		}
	}
	if version != "" {
		if p, err = p.With("etcd", version); err != nil {
			return "", err
		}
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return "", err
	}
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: seeds, RecheckShare: -1, Steps: p.Clock.Steps})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(c.Hash), nil
}
