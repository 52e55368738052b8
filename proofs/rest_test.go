package proofs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/scenarios"
)

// What clients recorded is judged where nothing more can happen, also if none of them has taken a step.
func TestRestWithoutAClient(t *testing.T) {
	p := scenarios.RequestsAtRest.Params
	require.NoError(t, setAll(&p, "writers=0 writes=0 noise=0 noise-writes=0 history=0 breaks=0 restarts=1 keys=1 items=1 readers=0 reads=0 drawn-readers=0"+
		" drawn-requests=0 to-rest=true"))
	found, _ := search(t, only(scenarios.RequestsAtRest, "nothing-left", "linearizable-data"), p, 1, 3_000)
	require.Equal(t, string(prove.Vacuous), found.Verdict)
	require.Zero(t, found.Checked["linearizable-data"])
	require.Positive(t, found.Checked["nothing-left"])
}
