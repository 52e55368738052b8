package testbed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"
)

// The programs of these tests serve no watch themselves: the simulated server does all.
func init() {
	testbed.RegisterPrograms(func(name string) *testbed.Program {
		if version, ok := strings.CutPrefix(name, "same@v"); ok {
			return &testbed.Program{Name: name, Version: version, New: func(s *etcd.Server) testbed.ProgramNode { return s }}
		}
		if version, ok := strings.CutPrefix(name, "whole@v"); ok {
			return &testbed.Program{Name: name, Version: version, Cluster: func(testbed.ClusterConfig) (testbed.Cluster, error) { return nil, nil }}
		}
		return nil
	})
}

// A program is named where a release is, and brings its version. Masks of races do not reach it.
func TestProgramServesTheWatches(t *testing.T) {
	p := scenarios.Issue15220.Params
	require.NoError(t, p.Set("etcd", "same@v3.5.7"))
	require.Equal(t, "3.5.7", p.Etcd)
	require.Equal(t, "same@v3.5.7", p.EtcdName())
	require.Empty(t, p.Masked())
	subjects, err := scenarios.Issue15220.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 50, Workers: 1, Steps: p.Clock.Steps})
	require.NoError(t, err)
	for _, property := range c.Properties {
		require.NotZero(t, property.Exercised, property.Name)
	}
	require.NoError(t, p.Set("etcd", "3.5.8"))
	require.Equal(t, "3.5.8", p.EtcdName(), "a release of another version takes the place of the program")
}

// A scenario on whole servers has a clock. One that claims nothing but what is inside of the simulated server is
// refused.
func TestScenarioOnWholeServers(t *testing.T) {
	p := scenarios.Issue15220CatchingUp.Params
	require.NoError(t, p.Set("etcd", "whole@v3.5.7"))
	require.Equal(t, sim.Timed, p.Clock.Mode)
	require.NotZero(t, p.Clock.Horizon)
	require.NotZero(t, p.Faults.For)
	inside, err := testbed.FindScenario("lease-times")
	require.NoError(t, err)
	alone := *inside
	alone.Claims = slices.DeleteFunc(slices.Clone(inside.Claims), func(c *testbed.Property) bool { return !c.Inside })
	p = inside.Params
	require.NoError(t, p.Set("etcd", "whole@v3.6.16"))
	_, err = alone.New(p)
	require.EqualError(t, err, "whole@v3.6.16 is made of whole servers: the property leases-kept looks into the simulated one, and no other is claimed")
}

// TestWholeServersAreKnown: `simrun prove` does not search them, and searches the schedules of another program.
func TestWholeServersAreKnown(t *testing.T) {
	for name, whole := range map[string]bool{"whole@v3.5.7": true, "same@v3.5.7": false, "3.5.7": false} {
		p := scenarios.Issue15220.Params
		require.NoError(t, p.Set("etcd", name))
		require.Equal(t, whole, p.OnWholeServers(), name)
	}
}

func TestProgramThatDoesNotFitIsRefused(t *testing.T) {
	for _, c := range []struct{ settings, want string }{
		{"etcd=other@v3.5.7", `"other@v3.5.7" is no release of etcd and no program that is one: the simrun of the folder upstream has the code of releases, such as etcd@v3.5.7 and cluster@v3.6.16 (cd upstream && go run ./simrun)`},
		{"etcd=3.5.8 etcd-program=same@v3.5.7", "etcd-program=same@v3.5.7 is of etcd 3.5.7, and etcd=3.5.8: give both the same version"},
		{"etcd=same@v3.5.7 lagging=true", "etcd-program=same@v3.5.7 is one member that leads: it takes no members, downgrade, failovers or lagging follower"},
		{"etcd=3.5.7 etcd-members=3", "etcd-members=3: etcd is no program that has members, such as cluster@v3.6.16"},
		{"etcd=whole@v3.5.7 mode=untimed", "whole@v3.5.7 is made of whole servers: their elections need a clock; set mode=timed"},
		{"etcd=whole@v3.5.7 network=1s", "whole@v3.5.7 is made of whole servers: network=1s is longer than their heartbeats stand; set 50ms at most"},
		{"etcd=whole@v3.5.7 etcd-members=6", "whole@v3.5.7 is made of whole servers: etcd-members=6 are more than 5"},
		{"etcd=whole@v3.5.7 members=3.5.8", "whole@v3.5.7 is made of whole servers: no other release takes over by a fault; set members= and downgrade=, and name a release for each member in --etcd"},
		{"etcd=whole@v3.5.7 lagging=true", "whole@v3.5.7 is made of whole servers: lagging is not 0 or false, and needs other members; set etcd-members=3"},
		{"etcd=whole@v3.5.7 failovers=1 etcd-members=3", "whole@v3.5.7 is made of whole servers: failovers=1 take members away for good, of which clients ask one; set failovers=0, or balanced=true"},
		{"etcd=whole@v3.5.7 clog=true timeouts=2", "whole@v3.5.7 is made of whole servers: the simulated server alone has timeouts; set each to 0 or false, as in --set timeouts=0"},
		{"etcd=whole@v3.5.7 bugs=issue-17529", "the bug issue-17529 is compacted-unsynced=falls-through, an option that the program whole@v3.5.7 does not read"},
		{"etcd=same@v3.5.7 bugs=issue-17529", "the bug issue-17529 is compacted-unsynced=falls-through, an option that the program same@v3.5.7 does not read"},
	} {
		p := scenarios.Issue15220.Params
		var err error
		for _, s := range strings.Fields(c.settings) {
			name, value, _ := strings.Cut(s, "=")
			if err = p.Set(name, value); err != nil {
				break
			}
		}
		if err == nil {
			_, err = scenarios.Issue15220.New(p)
		}
		require.ErrorContains(t, err, c.want, c.settings)
	}
}
