package linearizability

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// The fixtures were recorded from real etcd servers of the versions in their
// names; the module conformance records them anew.
func etcdHistories(t *testing.T) map[string]*model.History {
	t.Helper()
	paths, err := filepath.Glob("testdata/etcd/*.jsonl")
	require.NoError(t, err)
	require.Len(t, paths, 12)
	all := map[string]*model.History{}
	for _, path := range paths {
		f, err := os.Open(path)
		require.NoError(t, err)
		h, err := ReadHistory(f)
		require.NoError(t, err, path)
		require.NoError(t, f.Close())
		all[filepath.Base(path)] = h
	}
	return all
}

// TestRealEtcdIsLinearizable: by the witness and by porcupine, whatever the size.
func TestRealEtcdIsLinearizable(t *testing.T) {
	judge := Judge{Operations: 1000}
	for name, h := range etcdHistories(t) {
		judgements, err := judge.Check(h, nil, Linearizable, LinearizableData, Sequential)
		require.NoError(t, err, name)
		for _, j := range judgements {
			require.Equal(t, model.Holds, j.Verdict, "%s %s: %v", name, j.Property, j.Why)
			require.Equal(t, ByBoth, j.By, name)
			require.Greater(t, j.Exercised, 10, name)
		}
	}
}

// A tampering makes one answer wrong for certain: the revision of a list says
// exactly what it must hold, so no other order of the operations explains it.
var tamperings = []struct {
	name string
	// apply returns the wrong result, nil if it has no hold on this operation.
	apply func(h *model.History, op *model.Operation) *model.Result
}{
	{"an item is dropped", func(_ *model.History, op *model.Operation) *model.Result {
		wrong := *op.Result
		wrong.Items = slices.Clone(op.Result.Items[1:])
		// A list that is consistent in itself: only other operations tell.
		wrong.Count--
		return &wrong
	}},
	{"an item is reverted to an older one", func(h *model.History, op *model.Operation) *model.Result {
		for i, it := range op.Result.Items {
			if old := olderItem(h, it); old != nil {
				return withItem(op.Result, i, old)
			}
		}
		return nil
	}},
	{"an item has a value that nobody wrote", func(_ *model.History, op *model.Operation) *model.Result {
		ghost := *op.Result.Items[0]
		ghost.Value = "ghost"
		return withItem(op.Result, 0, &ghost)
	}},
	{"the revision is lowered below the newest item", func(_ *model.History, op *model.Operation) *model.Result {
		wrong := *op.Result
		wrong.Revision = 0
		for _, it := range op.Result.Items {
			wrong.Revision = max(wrong.Revision, it.ModRevision-1)
		}
		return &wrong
	}},
}

// olderItem is an item that some list saw under the key before it was changed.
func olderItem(h *model.History, than *model.Item) *model.Item {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != model.List || op.Request.KeysOnly || op.Outcome != model.Done {
			continue
		}
		for _, it := range op.Result.Items {
			if it.Key == than.Key && it.ModRevision < than.ModRevision {
				return it
			}
		}
	}
	return nil
}

func withItem(res *model.Result, at int, it *model.Item) *model.Result {
	wrong := *res
	wrong.Items = slices.Clone(res.Items)
	wrong.Items[at] = it
	return &wrong
}

// TestTamperedHistoriesAreViolated: each wrong answer by itself, by the witness
// and by porcupine.
func TestTamperedHistoriesAreViolated(t *testing.T) {
	var judge Judge
	tampered := map[string]int{}
	for name, h := range etcdHistories(t) {
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Request.Kind != model.List || op.Request.KeysOnly || op.Request.CountOnly || op.Outcome != model.Done || len(op.Result.Items) == 0 {
				continue
			}
			for _, tamper := range tamperings {
				res := tamper.apply(h, op)
				if res == nil {
					continue
				}
				wrong := *h
				wrong.Operations = slices.Clone(h.Operations)
				wrong.Operations[i].Result = res
				judgements, err := judge.Check(&wrong, nil, Linearizable)
				require.NoError(t, err, "%s, operation %d, %s", name, i, tamper.name)
				require.Equal(t, model.Violated, judgements[0].Verdict, "%s, operation %d, %s", name, i, tamper.name)
				require.Equal(t, ByBoth, judgements[0].By, "porcupine confirms what is reported")
				tampered[tamper.name]++
			}
		}
	}
	for _, tamper := range tamperings {
		require.Greater(t, tampered[tamper.name], 50, tamper.name)
	}
	t.Log(tampered)
}
