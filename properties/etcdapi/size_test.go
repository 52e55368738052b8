package etcdapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestProposalsAreAsLargeAsProtobuf(t *testing.T) {
	for want, request := range requests {
		require.Equal(t, want, proposalSize(request), "%T", request)
	}
}

// requests are writes of every kind, with the sizes that etcdserverpb computes for their
// InternalRaftRequest.
var requests = map[int]sim.Payload{
	340: &wire.PutRequest{Key: key, Value: strings.Repeat("x", 300), PrevKv: true},
	37:  &wire.DeleteRangeRequest{Key: key, RangeEnd: "\x00"},
	19:  &wire.CompactionRequest{Revision: 300},
	498: &wire.TxnRequest{
		Compare: []wire.Compare{
			{Key: key, Target: wire.CompareMod, Result: wire.CompareEqual},
			{Key: key, RangeEnd: "\x00", Target: wire.CompareValue, Result: wire.CompareLess},
			{Key: key, Target: wire.CompareVersion, Result: wire.CompareGreater, Operand: -1},
		},
		Success: []wire.RequestOp{
			{Put: &wire.PutRequest{Key: key, Value: strings.Repeat("x", 300), PrevKv: true}},
			{Range: &wire.RangeRequest{
				Key: key, Limit: 1, Revision: 200, SortOrder: wire.SortDescend, SortTarget: wire.SortByValue,
				Serializable: true, KeysOnly: true, CountOnly: true, MinModRevision: 3, MaxCreateRevision: 4,
			}},
		},
		Failure: []wire.RequestOp{{DeleteRange: &wire.DeleteRangeRequest{Key: key, PrevKv: true}}},
	},
	38: &wire.TxnRequest{Failure: []wire.RequestOp{{Put: &wire.PutRequest{Key: key}}}},
}

const key = "/registry/pods/a"

// The sizes are those of etcdserverpb for the same messages.
func TestSizesAreThoseOfProtobuf(t *testing.T) {
	for n, want := range map[int][2]int{1000: {2068, 3099}, 100_000: {200_074, 300_108}, 300_000: {600_074, 900_108}} {
		item := func(rev int64) *wire.KeyValue {
			return &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", n), CreateRevision: 2, ModRevision: rev, Version: rev - 1}
		}
		r := &wire.WatchResponse{Revision: 3, WatchID: 7, Events: []wire.Event{{Kv: item(2)}, {Kv: item(3)}}}
		require.Equal(t, want[0], size(r))
		r.Events = append(r.Events, wire.Event{Type: wire.Delete, Kv: &wire.KeyValue{Key: "/a", ModRevision: 4}, PrevKv: item(3)})
		r.Fragment = true
		require.Equal(t, want[1], size(r))
	}
}
