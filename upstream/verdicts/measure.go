package main

import (
	"context"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/cputime"
	"github.com/watchbed/watchbed/testbed"
)

// guest is the design that the table is about, versions are those of etcd.
const guest = "kubernetes@v0.37.2"

const (
	newEtcd = "3.6.16"
	oldEtcd = "3.5.7"
)

var versions = []string{newEtcd, oldEtcd}

// old are the scenarios that are run in front of an old etcd as well, whose progress the guest does not trust: those about
// consistent reads, and those about bugs of this etcd that reach a cache which does not rely on its progress.
var old = []string{
	"issue-15220", "issue-15220-catching-up", "issue-17507", "consistent-list", "every-read", "rewatch", "stale-own-write",
	"resumed-watch", "crash-in-compaction", "watch-list-six-seconds", "guard-old-etcd", "guard-quiet-range",
}

// rowsOf are the versions of etcd that a scenario has rows of.
func rowsOf(sc *testbed.Scenario) []string {
	if slices.Contains(old, sc.Name) {
		return versions
	}
	return versions[:1]
}

// most is how many schedules of a scenario are run, few how many at least: those of a scenario
// with hundreds of clients take seconds each. within is about how much
// processor time they may take.
const (
	most, few = 200, 2
	within    = 4 * time.Second
)

// params are those of a scenario over the guest.
func params(sc *testbed.Scenario, etcd string) testbed.Params {
	p := sc.Params
	p.Cache, p.Etcd = guest, etcd
	return p
}

// measure runs a scenario over the guest, as many schedules as there is time for, once the guest is
// loaded. The error is that of a run that did not repeat.
func measure(ctx context.Context, sc *testbed.Scenario, etcd string) (row, error) {
	start := cputime.Used()
	r, err := count(ctx, sc, etcd, few)
	if err != nil || r.Schedules == 0 {
		return r, err
	}
	// The trial runs of the strategy are part of it.
	n := uint64(few * within / (cputime.Used() - start))
	if n < 2*few {
		return r, nil
	}
	return count(ctx, sc, etcd, min(most, n))
}

// count runs a number of schedules of a scenario over the guest, from seed 0 on.
func count(ctx context.Context, sc *testbed.Scenario, etcd string, schedules uint64) (row, error) {
	r := row{Scenario: sc.Name, Etcd: etcd}
	p := params(sc, etcd)
	s, err := sc.New(p)
	switch {
	case err != nil:
		r.Refused = err.Error()
		return r, nil
	case len(s.Caches()) == 0:
		r.NoCache = true
		return r, nil
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return r, err
	}
	found, err := campaign.Run(ctx, subjects, campaign.Config{Seeds: schedules, Workers: 1, Steps: p.Clock.Steps})
	if err != nil {
		return r, err
	}
	r.Schedules, r.Truncated = found.Schedules, found.Truncated
	for i := range found.Properties {
		of := &found.Properties[i]
		r.Claims = append(r.Claims, claim{of.Name, of.Exercised, of.Violations})
	}
	return r, nil
}
