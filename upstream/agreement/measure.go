package main

import (
	"context"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// versions are the releases that the table is about, the newest of each branch.
var versions = []string{"3.5.35", "3.6.16", "3.7.3"}

// released is the program that is the code of a version.
func released(version string) string { return "etcd@v" + version }

// most is how many schedules of a scenario are run, few how many at least: those of a scenario with hundreds of clients take
// seconds each. within is about how much processor time they may take. Where one side violates what the other does not, the
// other is run longer times as long: a violation in one schedule of twenty is easily missed.
const (
	most, few = 40, 2
	within    = time.Second
	longer    = 10
)

// params are those of a scenario on an etcd. Options of the watch path do not reach the code of a release, so
// that neither side has them, nor does any race stay masked.
func params(sc *testbed.Scenario, version, etcd string) (testbed.Params, error) {
	p := sc.Params
	of, err := testbed.FindProgram(released(version))
	if err != nil {
		return p, err
	}
	p.Settings = slices.DeleteFunc(slices.Clone(p.Settings), func(s option.Setting) bool { return of.Ignores(s.Name) })
	p.Unmask = nil
	for _, r := range testbed.Races() {
		p.Unmask = append(p.Unmask, r.Option)
	}
	return p, p.Set("etcd", etcd)
}

// measure runs a scenario over both sides, as many schedules as there is time for.
func measure(ctx context.Context, sc *testbed.Scenario, version string) (row, error) {
	r := row{Scenario: sc.Name, Etcd: version}
	p, err := params(sc, version, released(version))
	if err != nil {
		return r, err
	}
	if _, err := sc.New(p); err != nil {
		r.Refused = err.Error()
		return r, nil
	}
	n, err := affordable(ctx, sc, version, released(version), most)
	if err != nil {
		return r, err
	}
	if err := r.count(ctx, sc, n, n); err != nil || len(r.differences()) == 0 {
		return r, err
	}
	code, model := n, n
	if slices.ContainsFunc(r.differences(), func(c claim) bool { return c.Code.Violated == 0 }) {
		code, err = affordable(ctx, sc, version, released(version), longer*n)
	} else {
		model, err = affordable(ctx, sc, version, version, longer*n)
	}
	if err != nil {
		return r, err
	}
	return r, r.count(ctx, sc, max(n, code), max(n, model))
}

// affordable is how many schedules of a scenario there is time for, at most a number of them, once all is loaded.
func affordable(ctx context.Context, sc *testbed.Scenario, version, etcd string, limit uint64) (uint64, error) {
	if _, err := run(ctx, sc, version, etcd, 1); err != nil {
		return 0, err
	}
	limited := within
	if limit > most {
		limited *= longer
	}
	// What a campaign does beside its schedules counts less the more there are.
	for n := uint64(few); ; n *= 4 {
		start := campaign.CPUTime()
		if _, err := run(ctx, sc, version, etcd, n); err != nil {
			return 0, err
		}
		took := campaign.CPUTime() - start
		if estimate := uint64(float64(n) * limited.Seconds() / took.Seconds()); estimate >= limit || 4*took > limited {
			return max(few, min(limit, estimate)), nil
		}
	}
}

// count measures both sides.
func (r *row) count(ctx context.Context, sc *testbed.Scenario, code, model uint64) error {
	r.Code, r.Model = code, model
	of, err := run(ctx, sc, r.Etcd, released(r.Etcd), code)
	if err != nil {
		return err
	}
	simulated, err := run(ctx, sc, r.Etcd, r.Etcd, model)
	if err != nil {
		return err
	}
	r.Claims = nil
	for i, p := range of {
		s := simulated[i]
		r.Claims = append(r.Claims, claim{p.Name, tally{p.Exercised, p.Violations}, tally{s.Exercised, s.Violations}})
	}
	return nil
}

// run runs a number of schedules of a scenario on an etcd, from seed 0 on. The error is that of a run that did
// not repeat.
func run(ctx context.Context, sc *testbed.Scenario, version, etcd string, schedules uint64) ([]campaign.PropertyTally, error) {
	p, err := params(sc, version, etcd)
	if err != nil {
		return nil, err
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, err
	}
	found, err := campaign.Run(ctx, subjects, campaign.Config{Seeds: schedules, Workers: 1, Steps: p.Clock.Steps})
	if err != nil {
		return nil, err
	}
	return found.Properties, nil
}
