package knownbugs_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// explored explores a scenario with bugs planted.
func explored(t *testing.T, sc *testbed.Scenario, s strategy.Strategy, first, seeds uint64, bugs ...string) *campaign.Result {
	t.Helper()
	p := sc.Params
	p.Bugs = bugs
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, FirstSeed: first, Seeds: seeds, Steps: p.Clock.Steps})
	require.NoError(t, err)
	return c
}

// campaigns are those of fresh seeds that several tests look at.
var campaigns sync.Map

// fresh explores a scenario from freshSeeds on, once for all tests.
func fresh(t *testing.T, sc *testbed.Scenario, s strategy.Strategy, seeds uint64, bugs ...string) *campaign.Result {
	t.Helper()
	type key struct {
		scenario, strategy, bug string
		seeds                   uint64
	}
	k := key{sc.Name, s.Name, "", seeds}
	if len(bugs) > 0 {
		require.Len(t, bugs, 1)
		k.bug = bugs[0]
	}
	run, _ := campaigns.LoadOrStore(k, sync.OnceValue(func() *campaign.Result { return explored(t, sc, s, freshSeeds, seeds, bugs...) }))
	return run.(func() *campaign.Result)()
}

// tallied is what a campaign says of a property.
func tallied(t *testing.T, c *campaign.Result, p *testbed.Property) campaign.PropertyTally {
	t.Helper()
	i := slices.IndexFunc(c.Properties, func(f campaign.PropertyTally) bool { return f.Name == p.Name })
	require.GreaterOrEqual(t, i, 0, "%s was not judged", p.Name)
	return c.Properties[i]
}
