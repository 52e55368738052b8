package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

const (
	// folder is where the table is, as seen from the folder upstream.
	folder = "hunt"
	data   = "hunt.json"
)

// turn is how long a scenario runs before it is the next one's turn. To start a guest takes about a second, on one processor.
const turn = 10 * time.Second

// hunt runs scenarios in turn, all if none is named, and returns what is amiss with the table.
func hunt(ctx context.Context, guests, names []string, limit time.Duration) ([]string, error) {
	if err := table.Known(names); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, data)
	lots, err := table.Read[lot](path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	began := time.Now()
	for time.Since(began) < limit && ctx.Err() == nil {
		before := schedules(lots)
		for _, sc := range testbed.Scenarios() {
			if len(names) > 0 && !slices.Contains(names, sc.Name) {
				continue
			}
			for _, guest := range guests {
				if time.Since(began) >= limit || ctx.Err() != nil {
					break
				}
				if lots, err = take(ctx, lots, sc, guest); err != nil {
					return nil, fmt.Errorf("%s over %s: %w", sc.Name, guest, err)
				}
				if err := table.Write(path, lots); err != nil {
					return nil, err
				}
			}
		}
		if schedules(lots) == before {
			return nil, errors.New("none of these scenarios has a cache that could be a guest")
		}
		fmt.Printf("%d schedules after %v\n", schedules(lots), time.Since(began).Round(time.Second))
	}
	wrong, err := amiss(lots)
	if err != nil {
		return nil, err
	}
	return wrong, nil
}

// take gives a scenario its turn over a guest. One that cannot be put together with it has none.
func take(ctx context.Context, lots []lot, sc *testbed.Scenario, guest string) ([]lot, error) {
	p := params(sc, guest)
	s, err := sc.New(p)
	if err != nil || len(s.Caches()) == 0 {
		return lots, nil //nolint:nilerr // The table of verdicts has what cannot be put together, and why.
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, err
	}
	l := table.Find(lots, lot{Guest: guest, Scenario: sc.Name, Etcd: etcd}.Key())
	if l == nil {
		lots = append(lots, lot{Guest: guest, Scenario: sc.Name, Etcd: etcd})
		l = &lots[len(lots)-1]
	}
	r, err := campaign.Run(ctx, subjects, campaign.Config{FirstSeed: first + l.Schedules, For: turn, Steps: p.Clock.Steps})
	if err != nil {
		return nil, err
	}
	l.Schedules += r.Schedules
	for _, f := range r.Failures {
		l.add(found{f.Failure.Property, f.Failure.Label, f.Schedules, f.FirstSeed})
	}
	return lots, nil
}

func schedules(lots []lot) uint64 {
	var n uint64
	for i := range lots {
		n += lots[i].Schedules
	}
	return n
}
