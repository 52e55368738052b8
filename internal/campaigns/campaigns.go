// Package campaigns is what tests of several packages do with scenarios: a campaign with some
// options set, and what came of it.
//
// It is for tests. The package must never import scenarios, so that their own tests can use it.
package campaigns

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
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
