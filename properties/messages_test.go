package properties_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// sent are the messages that a client can be sent, requests the messages that it sends.
// Together they are all messages of package wire.
var (
	sent = []sim.Payload{
		&wire.RangeResponse{}, &wire.PutResponse{}, &wire.DeleteRangeResponse{}, &wire.CompactionResponse{}, &wire.TxnResponse{},
		&wire.ListResponse{}, &wire.GetResponse{}, &wire.WatchResponse{}, &wire.WatchEvent{}, &wire.WatchEstablished{}, &wire.Error{},
		&wire.StatusResponse{}, &wire.ReadyzResponse{}, &wire.CompactRevisionResponse{}, &wire.StreamOpened{}, &wire.RangeStreamResponse{},
		&wire.LeaseGrantResponse{}, &wire.LeaseRevokeResponse{}, &wire.LeaseKeepAliveResponse{}, &wire.LeaseTimeToLiveResponse{},
		&wire.ObjectResponse{},
	}
	requests = []sim.Payload{
		&wire.RangeRequest{}, &wire.PutRequest{}, &wire.DeleteRangeRequest{}, &wire.CompactionRequest{}, &wire.TxnRequest{},
		&wire.ListRequest{}, &wire.GetRequest{}, &wire.WatchRequest{}, &wire.WatchCreateRequest{}, &wire.WatchCancelRequest{},
		&wire.WatchProgressRequest{}, &wire.WatchStart{}, &wire.ProgressRequest{}, &wire.StatusRequest{}, &wire.ReadyzRequest{},
		&wire.CompactRevisionRequest{}, &wire.RangeStreamRequest{},
		&wire.LeaseGrantRequest{}, &wire.LeaseRevokeRequest{}, &wire.LeaseKeepAliveRequest{}, &wire.LeaseTimeToLiveRequest{},
		&wire.CreateRequest{}, &wire.GuaranteedUpdateRequest{}, &wire.DeleteRequest{},
	}
)

func name(p sim.Payload) string { return reflect.TypeOf(p).Elem().Name() }

// payloads are the types of package wire with a method Label, as its files have them.
func payloads(t *testing.T) []string {
	t.Helper()
	const folder = "../sim/wire"
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") || !strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), folder+"/"+f.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if method, ok := d.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.Name == "Label" {
				names = append(names, method.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	return names
}

// TestEveryMessageIsKnown: a client can be sent a message of each type, or can
// send it.
func TestEveryMessageIsKnown(t *testing.T) {
	var known []string
	for _, p := range append(append([]sim.Payload(nil), sent...), requests...) {
		known = append(known, name(p))
	}
	assert.ElementsMatch(t, payloads(t), known)
}

// paths are the fields of a type, through pointers, slices and nested structures, but for those that are no part of the
// message. Within itself a structure has its plain fields only: the others are those of the outer one.
func paths(of reflect.Type, prefix string, within ...reflect.Type) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return paths(of.Elem(), prefix, within...)
	case reflect.Struct:
		var all []string
		for i := range of.NumField() {
			field := of.Field(i)
			if !field.IsExported() {
				continue
			}
			if kind := field.Type.Kind(); slices.Contains(within, of) && (kind == reflect.Pointer || kind == reflect.Slice) {
				continue
			}
			all = append(all, paths(field.Type, prefix+"."+field.Name, append(within, of)...)...)
		}
		return all
	}
	return []string{prefix}
}

// TestEveryFieldIsJudgedOrHasAReason: the table has each field once, and no field
// that does not exist.
func TestEveryFieldIsJudgedOrHasAReason(t *testing.T) {
	var want, listed []string
	for _, p := range sent {
		want = append(want, paths(reflect.TypeOf(p), name(p))...)
	}
	judged := 0
	for _, f := range table() {
		listed = append(listed, f.path)
		assert.Equal(t, len(f.judgedBy) == 0, f.notJudged != "", "%s: judged, or not judged with a reason", f.path)
		if len(f.judgedBy) > 0 {
			judged++
		}
	}
	assert.ElementsMatch(t, want, listed)
	t.Logf("%d fields: %d judged, %d not judged with a reason", len(listed), judged, len(listed)-judged)
}
