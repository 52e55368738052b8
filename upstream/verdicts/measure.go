package main

import (
	"context"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// guest is the design that the table is about, next the one of the release after it.
const (
	guest = "kubernetes@v0.37.2"
	next  = "kubernetes@v0.38.0-alpha.2"
)

// The fronts are what a scenario is run with: the version of etcd, behind a plus that of Kubernetes if it is not the guest's. The first is
// in front of an etcd that knows no range streams, streams in front of one that does.
const (
	newEtcd = "3.6.16"
	oldEtcd = "3.5.7"
	streams = "3.7.3"
	nextNew = newEtcd + "+v0.38.0-alpha.2"
)

var fronts = []string{newEtcd, oldEtcd, streams, nextNew}

// taken apart, a front is a version of etcd and a design.
func taken(front string) (etcd, design string) {
	etcd, _, isNext := strings.Cut(front, "+")
	if isNext {
		return etcd, next
	}
	return etcd, guest
}

// old are the scenarios that are run in front of an old etcd as well, whose progress the guest does not trust: those about
// consistent reads, and those about bugs of this etcd that reach a cache which does not rely on its progress.
var old = []string{
	"issue-15220", "issue-15220-catching-up", "issue-17507", "consistent-list", "every-read", "rewatch", "stale-own-write",
	"resumed-watch", "crash-in-compaction", "watch-list-six-seconds", "guard-old-etcd", "guard-quiet-range",
}

// rowsOf are the fronts that a scenario has rows of.
func rowsOf(sc *testbed.Scenario) []string {
	return slices.DeleteFunc(slices.Clone(fronts), func(front string) bool { return front == oldEtcd && !slices.Contains(old, sc.Name) })
}

// most is how many schedules of a scenario are run, few how many at least: those of a scenario
// with hundreds of clients take seconds each. within is about how many choices they may come to, some seconds
// of a processor: a bound by time would make rows thinner on a machine that has other work.
const (
	most, few = 200, 2
	within    = 100_000
)

// params are those of a scenario over a guest.
func params(sc *testbed.Scenario, front string) testbed.Params {
	p := sc.Params
	p.Etcd, p.Cache = taken(front)
	return p
}

// measure runs a scenario over the guest, as many schedules as within allows. The error is that of a run
// that did not repeat.
func measure(ctx context.Context, sc *testbed.Scenario, etcd string) (row, error) {
	r, choices, err := count(ctx, sc, etcd, few)
	if err != nil || r.Schedules == 0 {
		return r, err
	}
	n := few * within / choices
	if n <= few {
		return r, nil
	}
	r, _, err = count(ctx, sc, etcd, min(most, n))
	return r, err
}

// count runs a number of schedules of a scenario over the guest, from seed 0 on, and says how many choices they came to.
func count(ctx context.Context, sc *testbed.Scenario, etcd string, schedules uint64) (r row, choices uint64, err error) {
	r = row{Scenario: sc.Name, Etcd: etcd}
	p := params(sc, etcd)
	s, err := sc.New(p)
	switch {
	case err != nil:
		r.Refused = err.Error()
		return r, 0, nil
	case len(s.Caches()) == 0:
		r.NoCache = true
		return r, 0, nil
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return r, 0, err
	}
	found, err := campaign.Run(ctx, subjects, campaign.Config{Seeds: schedules, Workers: 1, Steps: p.Clock.Steps})
	if err != nil {
		return r, 0, err
	}
	r.Schedules, r.Truncated = found.Schedules, found.Truncated
	for i := range found.Properties {
		of := &found.Properties[i]
		r.Claims = append(r.Claims, claim{of.Name, of.Exercised, of.Violations})
	}
	return r, found.Stats.Choices, nil
}
