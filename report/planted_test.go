package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFlipNamesThePlantedBug: whoever asks for a bug is told whether it decides,
// by its name, and since when nobody has it.
func TestFlipNamesThePlantedBug(t *testing.T) {
	s, _ := tell(t, "consistent-list", "linearizable-data", "bugs=version-before-store")
	require.Contains(t, s.Flip, "One behaviour of the cache decides: publication=version-first (the bug version-before-store). With publication=whole the same choices")
	s, _ = tell(t, "resumed-watch", "resumable", "bugs=kubernetes-49956")
	require.Contains(t, s.Flip, "empty-history=off-by-one (the bug kubernetes-49956). With empty-history=refuses-older (Kubernetes 1.8 and later)")
	// An etcd that answers progress requests too early would hide it.
	s, _ = tell(t, "busy-neighbour", "answers", "bugs=kubernetes-114458")
	require.Contains(t, s.Flip, "One behaviour of the cache decides: watch-stream=of-caches (the bug kubernetes-114458). With watch-stream=own")
	s, _ = tell(t, "several-caches", "monotonic", "bugs=kubernetes-59848")
	require.Contains(t, s.Flip, "freshness=none (the bug kubernetes-59848). With freshness=consistent (Kubernetes 1.31 and later) the same choices")
}

// TestABugIsNoRemedy: no story advises a broken cache, however well it hides the
// violation.
func TestABugIsNoRemedy(t *testing.T) {
	s, _ := tell(t, "issue-15220", "linearizable-data")
	require.Contains(t, s.Flip, "One behaviour of etcd decides: progress=control-queue.")
	require.NotNil(t, knownBug("cache", "publication", "version-first"))
	require.Nil(t, knownBug("cache", "publication", "whole"))
	require.Nil(t, knownBug("etcd", "progress", "control-queue"), "versions of etcd differ in it: any of them may be the remedy")
}
