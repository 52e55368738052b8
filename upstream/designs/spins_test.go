package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// TestAGuestThatSpinsIsFound: a cache that loops for ever is a violation, which names the function, and the schedules
// behind it are carried out.
func TestAGuestThatSpinsIsFound(t *testing.T) {
	got := explored(t, scenarios.ConsistentList, 3, "etcd=3.6.16", "cache=kubernetes@v0.37.2+spins")["no-panic"]
	require.Equal(t, model.Violated, got.Verdict)
	require.EqualValues(t, 3, got.Violations)
}
