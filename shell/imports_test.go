package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// simrun starts in milliseconds, and a fresh clone builds it in seconds. Both
// end where its run path imports gRPC.
func TestSimrunKnowsNothingOfRealServers(t *testing.T) {
	deps := dependencies(t, "../cmd/simrun")
	require.Contains(t, deps, "github.com/watchbed/watchbed/sim/cache", "what it does import")
	for _, path := range deps {
		for _, heavy := range heavyweights {
			require.False(t, strings.HasPrefix(path, heavy), "cmd/simrun imports %s", path)
		}
	}
	// The names are right: the shell has them all.
	ours := strings.Join(dependencies(t, "."), "\n")
	for _, heavy := range heavyweights {
		require.Contains(t, ours, heavy)
	}
}

var heavyweights = []string{"github.com/watchbed/watchbed/shell", "go.etcd.io/etcd/", "google.golang.org/grpc", "google.golang.org/protobuf"}

func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", pkg).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}
