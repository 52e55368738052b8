package history

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// everyShape has each kind of operation and each way it can end.
func everyShape() *model.History {
	a := &model.Item{Key: "a", Value: "<&>", CreateRevision: 2, ModRevision: 3, Version: 2}
	bare := &model.Item{Key: "a", ModRevision: 3}
	done := func(client int, call int64, req *model.Request, res *model.Result) model.Operation {
		return model.Operation{Client: client, Call: call, Return: call + 1, Request: req, Result: res}
	}
	return &model.History{
		Clients: []string{"w", "r"},
		Initial: model.Initial{Revision: 3, Compacted: 2, Items: []*model.Item{a}},
		Operations: []model.Operation{
			done(0, 1, &model.Request{Kind: model.Put, Key: "b", Value: "é"}, &model.Result{Revision: 4}),
			done(0, 3, &model.Request{Kind: model.Delete, Key: "b", End: "c"}, &model.Result{Revision: 5, Deleted: 1}),
			done(0, 5, &model.Request{
				Kind: model.Txn,
				Compare: []model.Compare{
					{Key: "a", Op: model.NotEqual, Operand: 7},
					{Key: "a", Target: model.CompareVersion, Op: model.Less, Operand: 9},
					{Key: "a", End: "b", Target: model.CompareCreate, Op: model.Greater, Operand: 1},
					{Key: "a", Target: model.CompareValue, Op: model.Equal, Value: "1"},
				},
				Success: []model.Request{
					{Kind: model.Put, Key: "c", Value: "1"}, {Kind: model.Delete, Key: "d"},
					{Kind: model.Get, Key: "a"}, {Kind: model.List, Key: "\x00", End: "\x00", CountOnly: true},
				},
				Failure: []model.Request{{Kind: model.Get, Key: "a"}},
			}, &model.Result{Revision: 6, Succeeded: true, Results: []model.Result{
				{}, {}, {Items: []*model.Item{a}, Count: 1}, {Count: 2},
			}}),
			done(1, 7, &model.Request{Kind: model.Get, Key: "a", Freshness: model.Any}, &model.Result{Items: []*model.Item{a}, Count: 1}),
			done(1, 9, &model.Request{Kind: model.List, Key: "a", End: "b", Limit: 1, KeysOnly: true, Freshness: model.Exact, Revision: 6},
				&model.Result{Revision: 6, Items: []*model.Item{bare}, Count: 2, More: true}),
			{Client: 1, Call: 11, Return: 12, Server: "cache-0", Outcome: model.Failed, Result: &model.Result{Err: model.TimedOut},
				Request: &model.Request{Kind: model.List, Key: "a", End: "b", Freshness: model.NotOlderThan, Revision: 99}},
			{Client: 0, Call: 13, Return: math.MaxInt64, Outcome: model.Unknown, Commit: -1,
				Request: &model.Request{Kind: model.Put, Key: "z"}},
			done(1, 14, &model.Request{Kind: model.Put, Key: "a", PrevKV: true}, &model.Result{Revision: 7, Prev: []*model.Item{a}}),
			done(1, 16, &model.Request{Kind: model.List, Key: "a", End: "b", Selection: model.Selection{
				SortBy: model.ByMod, Descending: true, MinMod: 1, MaxMod: 9, MinCreate: 1, MaxCreate: 8,
			}}, &model.Result{Revision: 7}),
			done(0, 18, &model.Request{Kind: model.Compact, Revision: 5}, &model.Result{Revision: 6}),
			done(1, 20, &model.Request{Kind: model.LeaseGrant, Lease: 7, TTL: 60}, &model.Result{Revision: 7}),
			done(1, 22, &model.Request{Kind: model.Txn,
				Compare: []model.Compare{{Key: "a", Target: model.CompareLease, Operand: 7}},
				Failure: []model.Request{{Kind: model.Put, Key: "a", Lease: 7}, {Kind: model.Put, Key: "b", IgnoreLease: true}},
			}, &model.Result{Revision: 8, Results: []model.Result{{}, {}}}),
			done(1, 24, &model.Request{Kind: model.LeaseRevoke, Lease: 7}, &model.Result{Revision: 9}),
		},
	}
}

func TestHistoryRoundTrip(t *testing.T) {
	want := everyShape()
	var file bytes.Buffer
	require.NoError(t, Write(&file, want))
	got, err := Read(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestReadSharesReads: equal reads are one request, and one that says more is looked at itself.
func TestReadSharesReads(t *testing.T) {
	const get = `{"client":"c","op":"get","call":%d,"return":%d,"request":{"key":"a"%s},"response":{}}` + "\n"
	same := fmt.Sprintf(get, 1, 2, "") + fmt.Sprintf(get, 3, 4, "") + fmt.Sprintf(get, 5, 6, `,"freshness":"any"`)
	h, err := Read(strings.NewReader(same))
	require.NoError(t, err)
	require.Same(t, h.Operations[0].Request, h.Operations[1].Request)
	require.Equal(t, model.Any, h.Operations[2].Request.Freshness)
	for _, stray := range []string{`"value":"x"`, `"lease":5`, `"ttl":5`, `"prevKV":true`, `"ignoreValue":true`, `"ignoreLease":true`,
		`"compare":[{"key":"a","target":"mod","result":"=","value":1}]`, `"success":[{"op":"get","key":"a"}]`, `"failure":[{"op":"get","key":"a"}]`} {
		_, err := Read(strings.NewReader(same + fmt.Sprintf(get, 7, 8, ","+stray)))
		require.ErrorContains(t, err, "line 4: a get has no", stray)
	}
}

// TestReadOfBytes: what testdata of package check cannot hold.
func TestReadOfBytes(t *testing.T) {
	const put = `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}`
	h, err := Read(strings.NewReader("\ufeff" + put))
	require.NoError(t, err)
	require.Len(t, h.Operations, 1)
	_, err = Read(strings.NewReader(strings.Replace(put, `"a"`, "\"\xff\"", 1)))
	require.EqualError(t, err, "line 1: not valid UTF-8: record binary values as a digest or in base64")
}

func TestReadLimits(t *testing.T) {
	line := `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}` + "\n"
	limit := limits{lineBytes: len(line) + 10, historyBytes: 10 * len(line), operations: 3}
	read := func(in string) error {
		_, err := read(strings.NewReader(in), limit)
		return err
	}
	require.NoError(t, read(line))
	require.ErrorContains(t, read(line+strings.Replace(line, "a", strings.Repeat("a", 20), 1)), "line 2: longer than")
	require.ErrorContains(t, read(line+strings.Repeat("\n", 10*len(line))), "the history is longer than")
	var four strings.Builder
	for i := range 4 {
		four.WriteString(strings.Replace(line, `"w"`, fmt.Sprintf(`"%d"`, i), 1))
	}
	require.ErrorContains(t, read(four.String()), "line 4: more than 3 operations")
}

func TestWriteRefuses(t *testing.T) {
	h := everyShape()
	h.Operations[2].Return = h.Operations[2].Call
	require.ErrorContains(t, Write(&bytes.Buffer{}, h), "operation 2:")
	h = everyShape()
	h.Operations[0].Request = &model.Request{Kind: model.Put, Key: "a", Value: "\xff"}
	require.ErrorContains(t, Write(&bytes.Buffer{}, h), "operation 0: the request is not valid UTF-8")
}

func FuzzReadHistory(f *testing.F) {
	var file bytes.Buffer
	if err := Write(&file, everyShape()); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}`))
	f.Add([]byte(`{"format":"watchbed-history","version":1,"initial":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		h, err := Read(bytes.NewReader(in))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Fatalf("not one readable line: %q", err)
			}
			return
		}
		var again bytes.Buffer
		if err := Write(&again, h); err != nil {
			t.Fatalf("read but cannot be written: %v", err)
		}
		back, err := Read(&again)
		if err != nil {
			t.Fatalf("written but cannot be read: %v", err)
		}
		var third, second bytes.Buffer
		if err := Write(&third, back); err != nil {
			t.Fatal(err)
		}
		if err := Write(&second, h); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(second.Bytes(), third.Bytes()) {
			t.Fatalf("changed in the round trip:\n%s\n%s", &second, &third)
		}
	})
}

func ExampleWrite() {
	h := &model.History{
		Clients: []string{"writer", "reader"},
		Initial: model.Initial{Revision: 1},
		Operations: []model.Operation{
			{Client: 0, Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: "a", Value: "1"}, Result: &model.Result{Revision: 2}},
			{Client: 1, Call: 3, Return: 4, Server: "cache-0", Request: &model.Request{Kind: model.List, Key: "a", End: "b"}, Result: &model.Result{Revision: 1}},
		},
	}
	if err := Write(os.Stdout, h); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"format":"watchbed-history","version":1,"initial":{"revision":1}}
	// {"client":"writer","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":2}}
	// {"client":"reader","op":"list","call":3,"return":4,"server":"cache-0","request":{"key":"a","end":"b"},"response":{"revision":1}}
}
