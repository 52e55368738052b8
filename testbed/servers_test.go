package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// servers are what two API servers are made of.
func servers(t *testing.T, p testbed.Params, settings ...string) []testbed.Server {
	t.Helper()
	p.Topology.Servers, p.Topology.ServerSettings = 2, settings
	all, err := p.Servers()
	require.NoError(t, err)
	require.Len(t, all, 2)
	return all
}

// TestEachServerHasItsOptions: they come on top of the settings and the bugs of all
// servers, and its design and client library below these.
func TestEachServerHasItsOptions(t *testing.T) {
	p := params("ring=3")
	p.Bugs = []string{"version-before-store"}
	all := servers(t, p, "cache-2:cache=kep-4988", "cache-2:client=3.5.7", "cache-2:watch-buf=7")
	for _, c := range []struct{ name, first, second string }{
		{"snapshots", "off", "on"}, {"resume-revision", "after-header", "at-header"},
		{"watch-buf", "0", "7"}, {"ring", "3", "3"}, {"publication", "version-first", "version-first"},
	} {
		assert.Equal(t, c.first, all[0].Value(c.name), c.name)
		assert.Equal(t, c.second, all[1].Value(c.name), c.name)
	}
	assert.Equal(t, "kep-2340", all[0].Design.Name)
	assert.Equal(t, "kep-4988", all[1].Design.Name)
	all = servers(t, p, "cache-1:publication=whole", "cache-1:ring=9")
	assert.Equal(t, []string{"whole", "9"}, []string{all[0].Value("publication"), all[0].Value("ring")})
	assert.Equal(t, []string{"version-first", "3"}, []string{all[1].Value("publication"), all[1].Value("ring")})
}

// TestEtcdEchoesIfOneServerNeedsIt: the design of a cache with echoed progress requests
// is one of etcd as well.
func TestEtcdEchoesIfOneServerNeedsIt(t *testing.T) {
	of := func(p testbed.Params, settings ...string) string {
		return servers(t, p, settings...)[0].Value("progress-echo")
	}
	plain := of(params())
	assert.NotEqual(t, "echoed", plain)
	assert.Equal(t, "echoed", of(params(), "cache-2:progress-requests=echo"))
	assert.Equal(t, "echoed", of(params("progress-requests=echo")))
	assert.Equal(t, "echoed", of(params("progress-requests=echo"), "cache-2:progress-requests=periodic"))
	assert.Equal(t, plain, of(params("progress-requests=echo"), "cache-1:progress-requests=periodic", "cache-2:progress-requests=periodic"))
	rollout := params("progress-requests=echo")
	rollout.Faults.Replacements = 1
	assert.Equal(t, "echoed", of(rollout, "cache-1:progress-requests=periodic", "cache-2:progress-requests=periodic"), "servers that need it come later")
	assert.Equal(t, plain, of(params("progress-echo="+plain), "cache-2:progress-requests=echo"), "what is set stays")
}

// TestServerSettingsAreRecorded: a recording holds them, and another one without them
// takes them away.
func TestServerSettingsAreRecorded(t *testing.T) {
	p := params()
	p.Topology.Servers, p.Topology.ServerSettings = 2, []string{"cache-2:ring=3"}
	var q testbed.Params
	require.NoError(t, q.Restore(p.Expand()))
	assert.Equal(t, p.Topology.ServerSettings, q.Topology.ServerSettings)
	none := params()
	require.NoError(t, q.Restore(none.Expand()))
	assert.Empty(t, q.Topology.ServerSettings)
}

// TestARowHoldsOfOneServer: what is known of a design is known of a run in which one
// server has it.
func TestARowHoldsOfOneServer(t *testing.T) {
	once := testbed.NewCondition("it asks once", func(s *testbed.Setup) bool { return s.Nodes.Value("progress-requests") == "once" })
	kept := testbed.NewCondition("it keeps snapshots", func(s *testbed.Setup) bool { return s.Nodes.Value("snapshots") == "on" })
	p := params()
	p.Topology.Servers, p.Topology.ServerSettings = 2, []string{"cache-1:snapshots=on", "cache-2:progress-requests=once"}
	setup, err := p.Setup()
	require.NoError(t, err)
	for _, c := range []struct {
		when []testbed.Condition
		want bool
	}{
		{[]testbed.Condition{once}, true}, {[]testbed.Condition{kept}, true}, {nil, true},
		{[]testbed.Condition{once, kept}, false}, {[]testbed.Condition{once, testbed.Unless(kept)}, true},
	} {
		row := testbed.Row{When: c.when}
		assert.Equal(t, c.want, row.Holds(setup), "%v", row.Conditions())
	}
}

func TestABugOfOneServerIsPlanted(t *testing.T) {
	bug, err := testbed.FindBug("version-before-store")
	require.NoError(t, err)
	p := params()
	p.Topology.Servers = 2
	assert.False(t, p.Plants(bug))
	p.Topology.ServerSettings = []string{"cache-2:" + bug.Setting}
	assert.True(t, p.Plants(bug))
}

// TestServersThatComeLaterHaveNothingOfTheirOwn: and none comes if none is replaced.
func TestServersThatComeLaterHaveNothingOfTheirOwn(t *testing.T) {
	p := params("ring=5")
	p.Topology.Servers, p.Topology.ServerSettings = 2, []string{"cache-1:ring=3", "cache-2:cache=kep-4988"}
	later, err := p.LaterServers()
	require.NoError(t, err)
	assert.Empty(t, later)
	p.Faults.Replacements = 1
	later, err = p.LaterServers()
	require.NoError(t, err)
	require.Len(t, later, 2)
	for i := range later {
		assert.Equal(t, "5", later[i].Value("ring"))
		assert.Equal(t, "off", later[i].Value("snapshots"))
		assert.Equal(t, "kep-2340", later[i].Design.Name)
	}
}
