package clientbed

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/stories"
)

// TestCacheForEver: a cache that forgets nothing is no linearizable store, which the property says, in a story that can
// be replayed.
func TestCacheForEver(t *testing.T) {
	subjects, err := Default("client@forever").Subjects()
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 100, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, "linearizable-data", c.Properties[0].Name)
	require.Equal(t, model.Violated, c.Properties[0].Verdict)
	require.Equal(t, model.Holds, c.Properties[1].Verdict, "it counts right")
	require.Equal(t, model.Holds, c.Properties[2].Verdict, "it writes once")

	run, err := stories.Find(t.Context(), subjects, strategy.Default(), c.Failures[0], 300)
	require.NoError(t, err)
	require.NotEmpty(t, run.Story)
	var file bytes.Buffer
	_, err = run.Recording.WriteTo(&file)
	require.NoError(t, err)
	read, err := recording.Read(&file, "replay")
	require.NoError(t, err)
	recorded, err := Recorded(read)
	require.NoError(t, err)
	again, err := stories.Replay(recorded, read)
	require.NoError(t, err)
	require.Equal(t, run.Story, again.Story)
}

// TestRevisionsHaveTheirWriters: a write that was not answered keeps its client and its call, so that no answer from
// before shows it.
func TestRevisionsHaveTheirWriters(t *testing.T) {
	put := func(value string) *model.Request { return &model.Request{Kind: model.Put, Key: "key-1", Value: value} }
	remove := &model.Request{Kind: model.Delete, Key: "key-1"}
	change := func(r *model.Request) *model.Request {
		return &model.Request{Kind: model.Txn, Success: []model.Request{*r}}
	}
	for name, tc := range map[string]struct {
		// unanswered is what client-2 asks for at tick 3, and client-1 at tick 7. After tick 6 etcd changes what
		// revision says, and the write is that of client, called at call.
		unanswered, revision *model.Request
		client               int
		call                 int64
	}{
		"a put that was not answered":      {put("b"), put("b"), 1, 3},
		"a deletion that was not answered": {remove, remove, 1, 3},
		"a put that was answered":          {remove, put("a"), 2, 1},
		"a write of a process":             {put("b"), remove, 2, 6},
	} {
		h := &model.History{Clients: []string{"client-1", "client-2", "others"}, Operations: []model.Operation{
			{Client: 0, Call: 1, Return: 2, Request: put("a"), Outcome: model.Done, Result: &model.Result{Revision: 2}},
			{Client: 1, Call: 3, Return: math.MaxInt64, Request: tc.unanswered, Outcome: model.Unknown, Commit: -1},
			{Client: 0, Call: 7, Return: math.MaxInt64, Request: tc.unanswered, Outcome: model.Unknown, Commit: -1},
		}}
		settle(h, 3, 6, change(tc.revision))
		at := slices.IndexFunc(h.Operations, func(op model.Operation) bool { return op.Commit == 3 })
		require.Equal(t, tc.client, h.Operations[at].Client, name)
		require.Equal(t, tc.call, h.Operations[at].Call, name)
	}

	// client-1 reads that the key is gone, and client-2 deletes it only then.
	for deleted, want := range map[int64]model.Verdict{3: model.Holds, 5: model.Violated} {
		h := &model.History{Initial: model.Initial{Revision: 1}, Clients: []string{"client-1", "client-2", "others"}, Operations: []model.Operation{
			{Client: 0, Call: 1, Return: 2, Request: put("a"), Outcome: model.Done, Result: &model.Result{Revision: 2}},
			{Client: 0, Call: 3, Return: 4, Request: &model.Request{Kind: model.List, Key: "key-1"}, Outcome: model.Done, Result: &model.Result{}},
			{Client: 1, Call: deleted, Return: math.MaxInt64, Request: remove, Outcome: model.Unknown, Commit: -1},
		}}
		settle(h, 3, 6, change(remove))
		slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
		var judge linearizability.Judge
		judged, err := judge.Check(h, nil, claimed)
		require.NoError(t, err)
		require.Equal(t, want, judged[0].Verdict, deleted)
		if want == model.Violated {
			require.Contains(t, judged[0].Why.Sentence, `by client-2 (called at 5, never answered), which made revision 3, had not been called yet`)
		}
	}
}

// TestPutsHappenOnce: etcd's leasing puts a key twice that it has not cached. With that mended it puts each once.
func TestPutsHappenOnce(t *testing.T) {
	for guest, want := range map[string]model.Verdict{"client@leasing": model.Violated, "client@leasing+put-once": model.Holds} {
		subjects, err := Default(guest).Subjects()
		require.NoError(t, err)
		c, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 100, Workers: 1})
		require.NoError(t, err)
		t.Log(guest, c.Properties)
		require.Equal(t, "once", c.Properties[2].Name)
		require.Equal(t, want, c.Properties[2].Verdict, guest)
	}
}

// TestGuestIsNotCompiled: one line says what to do.
func TestGuestIsNotCompiled(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("WATCHBED_GUESTS", directory)
	_, err := Default("client@mine").Subjects()
	require.EqualError(t, err, `the guest client@mine is not in `+directory+`: run "make upstream GUEST=client@mine" in the repository, with the path of the folder in place of "mine"`)
}
