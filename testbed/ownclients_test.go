package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
)

func TestOwnClientsHaveNames(t *testing.T) {
	sc, err := testbed.FindScenario("consistent-list")
	require.NoError(t, err)
	for _, name := range []string{"", "reader-1", "twice"} {
		own := *sc
		own.Clients = func(*testbed.Params, *topology.Topology) []plans.Program {
			return []plans.Program{{Name: name}, {Name: "twice"}}
		}
		_, err = own.New(own.Params)
		require.ErrorContains(t, err, "give each client a name of its own")
	}
}
