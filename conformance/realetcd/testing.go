package realetcd

import "testing"

// StartForTest starts a server that is stopped at the end of the test, and
// skips the test if the version is not built.
func StartForTest(t testing.TB, version string, flags ...string) *Server {
	t.Helper()
	if !Built(version) {
		t.Skipf("etcd %s is not built: run make servers", version)
	}
	s, err := Start(t.Context(), version, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// StartClusterForTest starts a cluster, the leader first, whose members are stopped at the
// end of the test, and skips the test if the version is not built.
func StartClusterForTest(t testing.TB, version string, members int, flags ...string) []*Server {
	t.Helper()
	if !Built(version) {
		t.Skipf("etcd %s is not built: run make servers", version)
	}
	cluster, err := StartCluster(t.Context(), version, members, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(cluster) })
	return cluster
}
