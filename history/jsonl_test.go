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

func TestReadPassesAByteOrderMarkOver(t *testing.T) {
	h, err := Read(strings.NewReader("\ufeff" + `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}`))
	require.NoError(t, err)
	require.Len(t, h.Operations, 1)
}

func TestReadWithoutHeader(t *testing.T) {
	h, err := Read(strings.NewReader(
		`{"client":"r","op":"get","call":5,"return":6,"request":{"key":"a"},"response":{}}` + "\n\n" +
			`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}`))
	require.NoError(t, err)
	require.Equal(t, model.Initial{Revision: 1}, h.Initial)
	require.Equal(t, "w", h.Clients[h.Operations[0].Client], "operations are sorted by their calls")
}

const watch = `{"watch":"w","request":{"key":"a","end":"b"}}` + "\n"

func TestReadRefuses(t *testing.T) {
	put := func(rest string) string {
		return `{"client":"w","op":"put","request":{"key":"a"},` + rest + `}`
	}
	list := func(request string) string {
		return `{"client":"w","op":"list","call":1,"return":2,"request":{` + request + `},"response":{}}`
	}
	good := put(`"call":1,"return":2,"response":{"revision":2}`)
	for name, tc := range map[string]struct{ in, want string }{
		"not JSON":                    {"hello", `line 1: not JSON`},
		"cut off":                     {good[:30], "line 1: the JSON ends too early: was the file cut off?"},
		"two values":                  {good + good, "line 1: more than one JSON value"},
		"not UTF-8":                   {strings.Replace(good, `"a"`, "\"\xff\"", 1), "line 1: not valid UTF-8"},
		"wrong type":                  {strings.Replace(good, `"a"`, "7", 1), `line 1: "request.key" cannot be a number`},
		"no object":                   {"[]", "line 1: want a JSON object, not an array"},
		"unknown field":               {strings.Replace(good, "key", "kee", 1), `line 1: unknown field "kee": is it misspelt?`},
		"a list on a lease":           {list(`"key":"a","lease":7`), "line 1: a list has no lease: remove it"},
		"a put with a time to live":   {strings.Replace(good, `"key":"a"`, `"key":"a","ttl":7`, 1), "line 1: a put has no ttl: remove it"},
		"two leases of a put":         {strings.Replace(good, `"key":"a"`, `"key":"a","lease":7,"ignoreLease":true`, 1), "line 1: a put that keeps the lease names none"},
		"a negative lease":            {strings.Replace(good, `"key":"a"`, `"key":"a","lease":-7`, 1), `line 1: "lease" and "ttl" cannot be negative`},
		"a grant of no lease":         {`{"client":"w","op":"lease-grant","call":1,"return":2,"request":{"ttl":60},"response":{}}`, `line 1: a lease grant needs "lease"`},
		"a lease with a key":          {`{"client":"w","op":"lease-revoke","call":1,"return":2,"request":{"lease":7,"key":"a"},"response":{}}`, "line 1: a lease revoke has no key"},
		"a lease in a transaction":    {`{"client":"w","op":"txn","call":1,"return":2,"request":{"failure":[{"op":"lease-revoke","lease":7}]},"response":{}}`, "line 1: in a transaction: a lease revoke is not possible"},
		"a lease that is kept alive":  {`{"client":"w","op":"lease-keep-alive","call":1,"return":2,"request":{"lease":7},"response":{}}`, `line 1: unknown "op" "lease-keep-alive"`},
		"another file":                {`{"format":"x"}`, `line 1: "format" is "x"`},
		"later version":               {`{"format":"watchbed-history","version":2,"surprise":1}`, "line 1: the history has version 2"},
		"no version":                  {`{"format":"watchbed-history"}`, `line 1: "version" must be`},
		"header twice":                {`{"format":"watchbed-history","version":1}` + "\n" + `{"format":"watchbed-history","version":1}`, `line 2: unknown field "format"`},
		"bad initial":                 {`{"format":"watchbed-history","version":1,"initial":{"revision":0}}`, `initial store: "revision" must be`},
		"initial key twice":           {`{"format":"watchbed-history","version":1,"initial":{"revision":2,"items":[{"key":"a","create":2,"mod":2,"version":1},{"key":"a","create":2,"mod":2,"version":1}]}}`, `initial store: key "a" appears twice`},
		"initial from future":         {`{"format":"watchbed-history","version":1,"initial":{"revision":2,"items":[{"key":"a","create":3,"mod":3,"version":1}]}}`, `initial store: key "a" needs`},
		"unknown op":                  {strings.Replace(good, `"put"`, `"puts"`, 1), `line 1: unknown "op" "puts"`},
		"no op":                       {"{}", `line 1: "op" is missing`},
		"null":                        {"null", `line 1: "op" is missing`},
		"no client":                   {strings.Replace(good, `"w"`, `""`, 1), `line 1: "client" is missing`},
		"no request":                  {`{"client":"w","op":"put","call":1,"return":2,"response":{}}`, `line 1: "request" is missing`},
		"no call":                     {put(`"return":2,"response":{}`), `line 1: "call" is missing`},
		"no return":                   {put(`"call":1,"response":{}`), `line 1: "return" is missing`},
		"return before call":          {put(`"call":2,"return":1,"response":{}`), `line 1: "call" 2 is not before "return" 1`},
		"return at call":              {put(`"call":2,"return":2,"response":{}`), `line 1: "call" 2 is not before "return" 2`},
		"no end":                      {put(`"call":1,"return":2`), `line 1: give exactly one of`},
		"two ends":                    {put(`"call":1,"return":2,"response":{},"unknown":true`), `line 1: give exactly one of`},
		"unknown with return":         {put(`"call":1,"return":2,"unknown":true`), `line 1: an unknown outcome has no "return"`},
		"unknown error":               {put(`"call":1,"return":2,"error":"oops"`), `line 1: unknown "error" "oops"`},
		"write timed out":             {put(`"call":1,"return":2,"error":"timeout"`), `line 1: a put that timed out may have happened`},
		"commit of a read":            {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a"},"response":{},"commit":4}`, `line 1: "commit" is for writes`},
		"stray end":                   {strings.Replace(good, `"a"`, `"a","end":"b"`, 1), "line 1: a put has no end"},
		"stray limit":                 {strings.Replace(good, `"a"`, `"a","limit":1`, 1), "line 1: a put has no limit"},
		"op inside":                   {strings.Replace(good, `"a"`, `"a","op":"put"`, 1), `line 1: "op" belongs beside`},
		"revision alone":              {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a","revision":3},"response":{}}`, `line 1: "revision" needs "freshness"`},
		"exact without":               {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a","freshness":"exact"},"response":{}}`, `line 1: a get that names a revision`},
		"bad freshness":               {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a","freshness":"fresh"},"response":{}}`, `line 1: unknown "freshness"`},
		"items of a put":              {put(`"call":1,"return":2,"response":{"items":[{"key":"a"}]}`), "line 1: the response to a put has no items"},
		"null item":                   {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a"},"response":{"items":[null]}}`, "line 1: an item of the response has no key"},
		"compaction in a transaction": {`{"client":"w","op":"txn","call":1,"return":2,"request":{"success":[{"op":"txn","success":[{"op":"compact","revision":1}]}]},"response":{}}`, "line 1: in a transaction: in a transaction: a compact is not possible"},
		"value beside one kept":       {`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"x","ignoreValue":true},"response":{}}`, "line 1: a put that keeps the value has none"},
		"responses do not fit":        {`{"client":"w","op":"txn","call":1,"return":2,"request":{"success":[{"op":"put","key":"a"}]},"response":{"succeeded":true}}`, "line 1: the branch that the transaction took has 1"},
		"bad compare":                 {`{"client":"w","op":"txn","call":1,"return":2,"request":{"compare":[{"key":"a","target":"leases","result":"=","value":1}]},"response":{}}`, `line 1: unknown compare "target"`},
		"client does two":             {put(`"call":1,"return":5,"response":{}`) + "\n" + put(`"call":3,"return":7,"response":{}`), `line 2: client "w" calls at 3, not after the end of its operation before (line 1)`},
		"a watch without request":     {`{"watch":"w","response":{"revision":1,"created":true}}`, `line 1: "w" has not asked for a watch`},
		"a watch of both":             {`{"watch":"w","request":{"key":"a"},"response":{}}`, `line 1: a watch line has either "request"`},
		"a watch without a key":       {`{"watch":"w","request":{}}`, `line 1: a watch needs "key"`},
		"a watch without a name":      {`{"watch":"","request":{"key":"a"}}`, `line 1: "watch" is empty`},
		"an event of no type":         {watch + `{"watch":"w","response":{"events":[{"type":"PUT"}]}}`, `line 2: unknown "type" of an event "PUT"`},
		"an event without item":       {watch + `{"watch":"w","response":{"events":[{"type":"put"}]}}`, `line 2: an event needs "item"`},
		"an event without revision":   {watch + `{"watch":"w","response":{"events":[{"type":"put","item":{"key":"a"}}]}}`, `line 2: an item of an event needs "key" and "mod"`},
		"a bookmark of no revision":   {watch + `{"watch":"w","response":{"progress":true}}`, `line 2: a response that is created or progress needs its "revision"`},
		"an unknown field of a watch": {watch + `{"watch":"w","response":{"header":1}}`, `line 2: unknown field "header"`},
		"a long name, shortened":      {strings.Replace(good, `"put"`, `"`+strings.Repeat("é", 100)+`"`, 1), `line 1: unknown "op" "` + strings.Repeat("é", 20) + `..."`},
		"negative limit":              {`{"client":"w","op":"list","call":1,"return":2,"request":{"key":"a","limit":-1},"response":{}}`, `line 1: "revision" and "limit" cannot be negative`},
		"no key":                      {`{"client":"w","op":"list","call":1,"return":2,"request":{"end":"b"},"response":{}}`, `line 1: a list needs "key"`},
		"key of a transaction":        {`{"client":"w","op":"txn","call":1,"return":2,"request":{"key":"b"},"response":{}}`, `line 1: a txn has no key`},
		"value of a get":              {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"b","value":"c"},"response":{}}`, `line 1: a get has no value`},
		"compares of a put":           {strings.Replace(good, `"a"`, `"a","compare":[{"key":"a","target":"mod","result":"=","value":1}]`, 1), `line 1: a put has no compare`},
		"fresh in a transaction":      {`{"client":"w","op":"txn","call":1,"return":2,"request":{"success":[{"op":"get","key":"a","freshness":"any"}]},"response":{"succeeded":true,"responses":[{}]}}`, "line 1: in a transaction: reads are at the transaction's own revision"},
		"negative count":              {`{"client":"w","op":"list","call":1,"return":2,"request":{"key":"a"},"response":{"count":-1}}`, `cannot be negative`},
		"deletions of a put":          {put(`"call":1,"return":2,"response":{"deleted":1}`), `line 1: the response to a put has no deleted`},
		"success of a put":            {put(`"call":1,"return":2,"response":{"succeeded":true}`), `line 1: the response to a put has no succeeded`},
		"negative item":               {`{"client":"w","op":"get","call":1,"return":2,"request":{"key":"a"},"response":{"items":[{"key":"a","mod":-1}]}}`, `line 1: the revisions and the lease of key "a" cannot be negative`},
		"bad commit":                  {put(`"call":1,"unknown":true,"commit":-2`), `line 1: "commit" must be`},
		"client calls as it returns":  {put(`"call":1,"return":5,"response":{}`) + "\n" + put(`"call":5,"return":7,"response":{}`), `line 2: client "w" calls at 5, not after the end of its operation before (line 1)`},
		"client does two, sort":       {put(`"call":3,"return":7,"response":{}`) + "\n" + put(`"call":1,"return":5,"response":{}`), `line 1: client "w" calls at 3, not after the end of its operation before (line 2)`},
		"a return twice":              {put(`"call":1,"return":2,"response":{},"return":3`), `line 1: the key "return" stands twice in one object: write each once`},
		"a call in other letters":     {put(`"call":1,"return":2,"response":{},"Call":1`), `line 1: the key "Call" stands twice`},
		"an item with two keys":       {strings.Replace(list(`"key":"a"`), `"response":{}`, `"response":{"items":[{"key":"a"},{"key":"b","mod":1,"key":"c"}]}`, 1), `line 1: the key "key" stands twice`},
		"a header with two versions":  {`{"format":"watchbed-history","version":1,"version":1}`, `line 1: the key "version" stands twice`},
		"a watch with two requests":   {watch + `{"watch":"w","response":{"revision":1,"created":true,"revision":2}}`, `line 2: the key "revision" stands twice`},
		"out of reach":                {put(`"call":1,"return":9223372036854775807,"response":{}`), `line 1: "return" is out of reach`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tc.in))
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// A client that gave up goes on: the open operation does not hold it back.
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

func TestReadAfterUnknown(t *testing.T) {
	_, err := Read(strings.NewReader(
		`{"client":"w","op":"put","call":1,"request":{"key":"a"},"unknown":true}` + "\n" +
			`{"client":"w","op":"put","call":2,"return":3,"request":{"key":"a"},"response":{"revision":2}}`))
	require.NoError(t, err)
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
