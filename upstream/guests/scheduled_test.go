package guests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesSayHowGoroutinesAreScheduled: each way has a name, and the name of a guest is what is left.
func TestNamesSayHowGoroutinesAreScheduled(t *testing.T) {
	for _, how := range []Schedule{{}, {Locks: true}, {Late: true}, {Locks: true, Late: true}} {
		guest, got := Scheduled("kubernetes@v0.37.2" + how.String())
		require.Equal(t, "kubernetes@v0.37.2", guest)
		require.Equal(t, how, got)
	}
	left, _ := Scheduled("kubernetes@v0.37.2:late:locks")
	_, odd := Odd(left)
	require.True(t, odd, "one way to write it")
}
