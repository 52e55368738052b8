package realetcd

import (
	"os"
	"testing"
)

// asked is the variable of the environment by which make conformance asks for real servers: with
// "required" a test whose server is missing fails, and is not skipped.
const asked = "WATCHBED_SERVERS"

// Need ends a test if the server of a version is missing: it fails the test if servers are asked
// for, and skips it otherwise.
func Need(t testing.TB, version string) {
	t.Helper()
	why := missing(version, Binary(version))
	if why == "" {
		return
	}
	switch value := os.Getenv(asked); value {
	case "":
		t.Skip(why)
	case "required":
		t.Fatal(why)
	default:
		t.Fatalf("%s=%s: want required, or nothing", asked, value)
	}
}

// StartForTest starts a server that is stopped at the end of the test, which needs its version.
func StartForTest(t testing.TB, version string, flags ...string) *Server {
	t.Helper()
	Need(t, version)
	s, err := Start(t.Context(), version, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// StartClusterForTest starts a cluster, the leader first, whose members are stopped at the
// end of the test, which needs their version.
func StartClusterForTest(t testing.TB, version string, members int, flags ...string) []*Server {
	t.Helper()
	Need(t, version)
	cluster, err := StartCluster(t.Context(), version, members, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(cluster) })
	return cluster
}
