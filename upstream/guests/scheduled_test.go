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
	for _, name := range []string{"kubernetes@v0.37.2:late:locks", "kubernetes@v0.37.2:locks:locks", "kubernetes@v0.37.2:lock"} {
		left, how := Scheduled(name)
		require.Equal(t, name, left, "one way to write it")
		require.Zero(t, how)
	}
	left, locks := AtLocks("etcd@v3.6.16:late")
	require.Equal(t, "etcd@v3.6.16:late", left)
	require.False(t, locks)
}
