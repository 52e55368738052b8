package etcdapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/wire"
)

// The sizes are those that etcdserverpb computes for the same messages.
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
