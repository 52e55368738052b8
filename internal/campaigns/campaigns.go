// Package campaigns is what tests of several packages do with scenarios: a campaign with some
// options set, and what came of it.
//
// It is for tests. The package must never import scenarios, so that their own tests can use it.
package campaigns

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// With are the parameters of a scenario with some options set, each NAME=VALUE.
func With(t testing.TB, sc *testbed.Scenario, settings ...string) testbed.Params {
	t.Helper()
	p := sc.Params
	for _, s := range option.Settings(settings...) {
		require.NoError(t, p.Set(s.Name, s.Value))
	}
	return p
}

// DesignsBeside are the designs with which what is made for one of them is tried: an Unlisted one is alone.
func DesignsBeside(name string) []cache.Design {
	if d, err := cache.FindDesign(name); err == nil && d.Unlisted {
		return []cache.Design{*d}
	}
	return cache.Designs()
}

// Explored explores a scenario with these parameters.
func Explored(t testing.TB, sc *testbed.Scenario, p testbed.Params, first, seeds uint64) *campaign.Result {
	t.Helper()
	return Run(t, sc, p, campaign.Config{FirstSeed: first, Seeds: seeds})
}

// Run explores a scenario with these parameters as the configuration says. The limit of
// steps is that of the parameters.
func Run(t testing.TB, sc *testbed.Scenario, p testbed.Params, cfg campaign.Config) *campaign.Result {
	t.Helper()
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	cfg.Steps = p.Clock.Steps
	c, err := campaign.Run(context.Background(), subjects, cfg)
	require.NoError(t, err)
	return c
}

// Violated are the properties that a campaign has found violated.
func Violated(c *campaign.Result) (names []string) {
	for _, f := range c.Properties {
		if f.Violations > 0 {
			names = append(names, f.Name)
		}
	}
	return names
}

// Times is how often a coverage point came about in a campaign.
func Times(t testing.TB, c *campaign.Result, name string) uint64 {
	t.Helper()
	for _, s := range c.CoveragePoints {
		if s.CoveragePoint.String() == name {
			return s.Times
		}
	}
	require.Failf(t, "no such coverage point", "%q", name)
	return 0
}

// WholeHistory keeps in its states which operations there are, with their answers, and in which
// order they began and ended.
type WholeHistory struct{ *testbed.Searched }

func (s WholeHistory) Monitors(d sim.Digest) sim.Digest {
	return s.Searched.Monitors(History(s.System, d))
}

// History mixes in what the clients of a system have recorded: of operations their order, their
// answers, and the readings of the clock, which stands still when untimed.
func History(s *testbed.System, d sim.Digest) sim.Digest {
	type tick struct {
		at     int64
		client int
		ends   bool
	}
	var ticks []tick
	for i, c := range s.Clients() {
		d = c.Fingerprint(d)
		for _, x := range c.Spans() {
			d = d.Int(int64(x.Call)).Int(int64(x.Return)).Word(uint64(x.Phase))
		}
		for _, op := range c.Operations() {
			ticks = append(ticks, tick{op.Call, i, false}, tick{op.Return, i, true})
		}
	}
	slices.SortFunc(ticks, func(a, b tick) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.client, b.client))
	})
	for _, t := range ticks {
		d = d.Int(int64(t.client)).Bool(t.ends)
	}
	for _, r := range s.Streams() {
		d = r.Fingerprint(d)
	}
	for _, w := range s.Watchers() {
		d = w.Fingerprint(d)
	}
	for _, c := range s.ListWatchers() {
		d = c.Fingerprint(d)
	}
	for _, c := range s.DrawnWatchers() {
		d = c.Fingerprint(d)
	}
	for _, n := range s.Informers() {
		d = n.Fingerprint(d)
		for _, x := range n.Exchanges() {
			d = d.Int(int64(x.To)).Int(int64(x.Process)).Word(uint64(x.End)).Int(int64(x.Events)).Int(x.Version)
		}
	}
	return d
}
