package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"

	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/scenarios"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// shipped is the guest without a change.
const shipped = "kubernetes@v0.37.2"

const (
	// starts is how many times a bug is looked for, each time from another seed on.
	starts = 5
	// between is how far these seeds are apart.
	between = 1_000_000
	// most is after how many schedules a start gives up.
	most = 2_000
	// batch is how many schedules run before it is looked whether the bug has shown.
	batch = 20
	// control is how many schedules the guest without the change runs at least.
	control = 200
)

// figures are what was measured of a row.
type figures struct {
	// Hits are the schedules until the property was violated, for each start; 0 if it was not within most.
	Hits []uint64 `json:"hits"`
	// Replayed: the first run that was found was carried out again from its recording, to the bit, and failed again.
	Replayed bool `json:"replayed"`
	// Control is how many schedules of the guest without the change ran, ControlViolations in how many of them the
	// same property was violated.
	Control           uint64 `json:"control"`
	ControlViolations uint64 `json:"controlViolations"`
}

func measure(ctx context.Context, r *row) (*figures, error) {
	sc, p, err := r.prepared(r.guest() + r.how.String())
	if err != nil {
		return nil, err
	}
	f := &figures{}
	tried := uint64(0)
	for i := range uint64(starts) {
		found, n, err := r.look(ctx, sc, &p, i*between, most)
		if err != nil {
			return nil, err
		}
		tried += n
		if found == nil {
			f.Hits = append(f.Hits, 0)
			continue
		}
		f.Hits = append(f.Hits, found.FirstSeed-i*between+1)
		if !f.Replayed {
			if err := replay(sc, &p, found); err != nil {
				return nil, err
			}
			f.Replayed = true
		}
	}
	sc, p, err = r.prepared(shipped + r.how.String())
	if err != nil {
		return nil, err
	}
	f.Control = max(control, tried)
	result, err := explored(ctx, sc, &p, 0, f.Control)
	if err != nil {
		return nil, err
	}
	for _, property := range result.Properties {
		if property.Name == r.property {
			f.ControlViolations = property.Violations
		}
	}
	return f, nil
}

// prepared is the scenario of the row with its parameters and a guest.
func (r *row) prepared(guest string) (*testbed.Scenario, testbed.Params, error) {
	sc, err := testbed.FindScenario(r.scenario)
	if err != nil {
		return nil, testbed.Params{}, err
	}
	p := sc.Params
	for _, s := range append([]string{"etcd=" + etcd, "cache=" + guest}, r.set...) {
		name, value, _ := strings.Cut(s, "=")
		if err := p.Set(name, value); err != nil {
			return nil, p, err
		}
	}
	if !slices.ContainsFunc(sc.Claims, func(c *testbed.Property) bool { return c.Name == r.property }) {
		return nil, p, fmt.Errorf("the scenario %s does not claim %s", sc.Name, r.property)
	}
	return sc, p, nil
}

// look runs schedules from a seed on until the property is violated, or until so many have run. n is how many did.
func (r *row) look(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, first uint64, limit int) (found *campaign.FailureTally, n uint64, err error) {
	for at := first; at < first+uint64(limit); at += batch {
		result, err := explored(ctx, sc, p, at, batch)
		if err != nil {
			return nil, 0, err
		}
		n += batch
		for i := range result.Failures {
			if result.Failures[i].Failure.Property == r.property {
				return &result.Failures[i], n, nil
			}
		}
	}
	return nil, n, nil
}

func explored(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, first, schedules uint64) (*campaign.Result, error) {
	subjects, err := sc.Subjects(*p)
	if err != nil {
		return nil, err
	}
	result, err := campaign.Run(ctx, subjects, campaign.Config{FirstSeed: first, Seeds: schedules, Steps: p.Clock.Steps})
	if err == nil && result.Interrupted {
		err = context.Canceled
	}
	return result, err
}

// replay records the first run of a failure, and carries it out again in a system of its own.
func replay(sc *testbed.Scenario, p *testbed.Params, found *campaign.FailureTally) error {
	finder := diagnosis.Finder{Scenario: sc, Params: *p, Strategy: strategy.Default()}
	rec, err := finder.AsFound(*found)
	if err != nil {
		return err
	}
	system, err := sc.New(*p)
	if err != nil {
		return err
	}
	result, err := recording.Replay(explore.NewRunner(system, p.Clock.Steps), rec)
	if err != nil {
		return fmt.Errorf("the run of seed %d is not the same again: %w", found.FirstSeed, err)
	}
	if result.Find(found.Failure) == nil {
		return fmt.Errorf("the run of seed %d does not fail again with %s", found.FirstSeed, found.Failure)
	}
	return nil
}
