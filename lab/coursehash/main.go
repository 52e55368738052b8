// Command coursehash prints the campaign hash of each scenario, with each design of a cache and each
// release of etcd: what a change of the simulated code's form must not move.
//
//	go run ./coursehash [-seeds N] [-whole] [SCENARIO ...] > before
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

var (
	seeds = flag.Uint64("seeds", 5, "schedules of each")
	whole = flag.Bool("whole", false, "each design with each release")
)

func main() {
	flag.Parse()
	for _, sc := range testbed.Scenarios() {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), sc.Name) {
			continue
		}
		show(sc, "", "")
		for _, d := range cache.Designs() {
			show(sc, d.Name, "")
		}
		for _, v := range etcd.Versions() {
			show(sc, "", v)
			if *whole {
				for _, d := range cache.Designs() {
					show(sc, d.Name, v)
				}
			}
		}
	}
}

func show(sc *testbed.Scenario, design, version string) {
	hash, err := hashOf(sc, design, version)
	if err != nil {
		hash = "refused"
	}
	fmt.Fprintln(os.Stdout, sc.Name, "cache="+design, "etcd="+version, hash)
}

func hashOf(sc *testbed.Scenario, design, version string) (string, error) {
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
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: *seeds, RecheckShare: -1, Steps: p.Clock.Steps})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(c.Hash), nil
}
