package flip

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestAServerIsBlamed: what one of two API servers does is not blamed on both, and what
// both do is not blamed on one.
func TestAServerIsBlamed(t *testing.T) {
	const unasked = "freshness=test-unasked"
	for _, c := range []struct {
		name string
		// all are settings of both servers, own those of one.
		all  []option.Setting
		own  []string
		want string
	}{
		{"a planted bug of the second", nil, []string{"cache-2:publication=version-first"}, "publication=version-first of cache-2"},
		{"a planted bug of the first", nil, []string{"cache-1:publication=version-first"}, "publication=version-first of cache-1"},
		{"a fork beside the original", nil, []string{"cache-2:" + unasked}, unasked + " of cache-2"},
		{"a fork beside another design", nil, []string{"cache-1:cache=kep-4988", "cache-2:" + unasked}, unasked + " of cache-2"},
		{"two forks", option.Settings(unasked), nil, unasked},
		{"two forks, of which one goes around its cache", option.Settings(unasked), []string{"cache-1:freshness=direct"}, unasked + " of cache-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scenarios.SeveralCaches.Params
			p.Settings, p.Topology.ServerSettings = c.all, c.own
			require.Equal(t, c.want, blamed(t, scenarios.SeveralCaches, p, "linearizable-data"))
		})
	}
}

// TestAnOldClientOfOneServerIsBlamed: with the releases that have mended it.
func TestAnOldClientOfOneServerIsBlamed(t *testing.T) {
	bug, err := testbed.FindBug("client-resume-repeats")
	require.NoError(t, err)
	p := bug.Scenario.Params
	p.Topology.Servers, p.Topology.ServerSettings = 2, []string{"cache-1:client=3.5.7"}
	require.Equal(t, bug.Setting+" of cache-1", blamed(t, bug.Scenario, p, bug.Property.Name))
}

// TestAServerIsNamedInSentences: also where the nearest run that passes is shown.
func TestAServerIsNamedInSentences(t *testing.T) {
	p := scenarios.SeveralCaches.Params
	p.Topology.ServerSettings = []string{"cache-2:publication=version-first"}
	d := decided(t, scenarios.SeveralCaches, p, "linearizable-data")
	require.Contains(t, d.String(), "One behaviour of cache-2 decides: publication=version-first (the bug version-before-store). With publication=whole ")
	passing, difference := d.Passing()
	require.Equal(t, "publication=whole of cache-2", difference)
	require.Equal(t, []string{"cache-2:publication=whole"}, passing.Topology.ServerSettings)
}

// TestServersThatComeLaterAreBlamed: what a rollout brings is told from what there was
// before, and the other way round.
func TestServersThatComeLaterAreBlamed(t *testing.T) {
	const unasked = "freshness=test-unasked"
	old := []string{"cache-1:freshness=consistent", "cache-2:freshness=consistent"}
	for _, c := range []struct {
		name string
		all  []option.Setting
		own  []string
		want string
	}{
		{"what comes", option.Settings(unasked), old, unasked + " of the API servers that come later"},
		{"what goes", nil, []string{"cache-1:" + unasked, "cache-2:" + unasked}, unasked + " of cache-1 and cache-2"},
		{"what stays", option.Settings(unasked), []string{"cache-1:ring=7"}, unasked},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scenarios.SeveralCaches.Params
			p.Settings, p.Topology.ServerSettings = c.all, c.own
			p.Faults.Restarts, p.Faults.Replacements = 0, 4
			require.Equal(t, c.want, blamed(t, scenarios.SeveralCaches, p, "linearizable-data"))
		})
	}
}
