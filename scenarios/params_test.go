package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"
)

// TestParamsOfEveryScenarioCanBeRecorded: what a recording of a scenario lists is
// read back as it was.
func TestParamsOfEveryScenarioCanBeRecorded(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		_, err := sc.Params.Nodes()
		require.NoError(t, err, sc.Name)
		var p testbed.Params
		for _, set := range sc.Params.Expand() {
			require.NoError(t, p.Set(set.Name, set.Value), sc.Name)
		}
		assert.Equal(t, sc.Params.Expand(), p.Expand(), sc.Name)
	}
}
