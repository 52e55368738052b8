package flip

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	_ "github.com/watchbed/watchbed/knownbugs"
)

// decided words the decision about the first failing run of a scenario.
func decided(t *testing.T, name, property string, set ...string) string {
	t.Helper()
	sc, rec, f := failing(t, name, property, set...)
	p, err := recorded.Params(sc, rec)
	require.NoError(t, err)
	return Decide(sc, p, rec, f).String()
}

// TestFlipNamesThePlantedBug: a planted bug that decides is named, with the
// release that fixed it.
func TestFlipNamesThePlantedBug(t *testing.T) {
	s := decided(t, "consistent-list", "linearizable-data", "bugs=version-before-store")
	require.Contains(t, s, "One behaviour of the cache decides: publication=version-first (the bug version-before-store). With publication=whole replaying the same schedule")
	s = decided(t, "resumed-watch", "resumable", "bugs=kubernetes-49956")
	require.Contains(t, s, "empty-history=off-by-one (the bug kubernetes-49956). With empty-history=refuses-older (Kubernetes 1.8 and later)")
	// An etcd that answers progress requests too early would hide it.
	s = decided(t, "busy-neighbour", "answers-in-time", "bugs=kubernetes-114458")
	require.Contains(t, s, "One behaviour of the cache decides: watch-stream=of-caches (the bug kubernetes-114458). With watch-stream=own")
	s = decided(t, "several-caches", "monotonic", "bugs=kubernetes-59848")
	require.Contains(t, s, "freshness=none (the bug kubernetes-59848). With freshness=consistent (Kubernetes 1.31 and later) replaying the same schedule")
}

// TestABugIsNoRemedy: no story advises a broken cache, however well it hides the
// violation.
func TestABugIsNoRemedy(t *testing.T) {
	s := decided(t, "issue-15220", "linearizable-data")
	require.Contains(t, s, "One behaviour of etcd decides: progress=control-queue.")
	require.NotNil(t, knownBug("cache", "publication", "version-first"))
	require.Nil(t, knownBug("cache", "publication", "whole"))
	require.Nil(t, knownBug("etcd", "progress", "control-queue"), "versions of etcd differ in it: any of them may be the remedy")
}
