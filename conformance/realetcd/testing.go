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
