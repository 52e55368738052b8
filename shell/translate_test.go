package shell

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/sim/wire"
)

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   wire.Code
		status int
	}{
		{rpctypes.ErrCompacted, wire.ErrCompacted, 410},
		{fmt.Errorf("get: %w", rpctypes.ErrCompacted), wire.ErrCompacted, 410},
		{rpctypes.ErrFutureRev, wire.ErrFutureRev, 504},
		{rpctypes.ErrNoLeader, wire.Unavailable, 503},
		{rpctypes.ErrTimeoutDueToLeaderFail, wire.Unavailable, 503},
		{rpctypes.ErrEmptyKey, wire.BadRequest, 400},
		{rpctypes.ErrTooManyRequests, wire.TooManyRequests, 429},
		{context.Canceled, wire.Unavailable, 503},
		{context.DeadlineExceeded, wire.Unavailable, 503},
		{status.Error(codes.Unavailable, "no connection"), wire.Unavailable, 503},
		{errors.New("something else"), wire.Internal, 500},
	} {
		got := refusal(c.err)
		require.Equal(t, &wire.Error{Code: c.code, Message: c.err.Error()}, got)
		require.Equal(t, c.status, statusError(got).HTTPStatus())
	}
}

func TestRangeResponse(t *testing.T) {
	in := &mvccpb.KeyValue{Key: []byte("/a"), Value: []byte{0xff, 0}, CreateRevision: 2, ModRevision: 4, Version: 3}
	res := &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: 9}, Kvs: []*mvccpb.KeyValue{in}, More: true, Count: 7}
	require.Equal(t, &wire.RangeResponse{
		Revision: 9, More: true, Count: 7,
		Kvs: []*wire.KeyValue{{Key: "/a", Value: "\xff\x00", CreateRevision: 2, ModRevision: 4, Version: 3}},
	}, rangeResponse(res), "values are bytes, not text")
}

func TestRangeOptions(t *testing.T) {
	for want, r := range map[*clientv3.Op]*wire.RangeRequest{
		op(): {Key: "/a"},
		op(clientv3.WithRange("/b"), clientv3.WithLimit(3), clientv3.WithRev(4)): {Key: "/a", RangeEnd: "/b", Limit: 3, Revision: 4},
		op(clientv3.WithSerializable(), clientv3.WithKeysOnly()):                 {Key: "/a", Serializable: true, KeysOnly: true},
		op(clientv3.WithRange("/b"), clientv3.WithCountOnly()):                   {Key: "/a", RangeEnd: "/b", CountOnly: true},
	} {
		require.Equal(t, *want, clientv3.OpGet(r.Key, rangeOptions(r)...))
	}
}

func op(opts ...clientv3.OpOption) *clientv3.Op {
	o := clientv3.OpGet("/a", opts...)
	return &o
}

func TestWatchEvents(t *testing.T) {
	kv := func(value string, create, mod int64) *mvccpb.KeyValue {
		return &mvccpb.KeyValue{Key: []byte("/a"), Value: []byte(value), CreateRevision: create, ModRevision: mod, Version: 1}
	}
	item := func(value string, create, mod int64) *wire.KeyValue {
		return &wire.KeyValue{Key: "/a", Value: value, CreateRevision: create, ModRevision: mod, Version: 1}
	}
	header := pb.ResponseHeader{Revision: 9}
	tombstone := &mvccpb.KeyValue{Key: []byte("/a"), ModRevision: 6}
	for name, c := range map[string]struct {
		response clientv3.WatchResponse
		want     []*wire.WatchEvent
		failed   bool
	}{
		"created": {clientv3.WatchResponse{Header: header, Created: true}, []*wire.WatchEvent{}, false},
		"progress": {clientv3.WatchResponse{Header: header},
			[]*wire.WatchEvent{{Type: wire.Bookmark, ResourceVersion: 9}}, false},
		"changes": {clientv3.WatchResponse{Header: header, Events: []*clientv3.Event{
			{Type: clientv3.EventTypePut, Kv: kv("1", 4, 4)},
			{Type: clientv3.EventTypePut, Kv: kv("2", 4, 5), PrevKv: kv("1", 4, 4)},
			{Type: clientv3.EventTypeDelete, Kv: tombstone, PrevKv: kv("2", 4, 5)},
		}}, []*wire.WatchEvent{
			{Type: wire.Added, ResourceVersion: 4, Item: item("1", 4, 4)},
			{Type: wire.Modified, ResourceVersion: 5, Item: item("2", 4, 5)},
			{Type: wire.Deleted, ResourceVersion: 6, Item: item("2", 4, 6)},
		}, false},
		"deletion without what was deleted": {clientv3.WatchResponse{Header: header, Events: []*clientv3.Event{
			{Type: clientv3.EventTypePut, Kv: kv("1", 4, 4)},
			{Type: clientv3.EventTypeDelete, Kv: tombstone},
			{Type: clientv3.EventTypePut, Kv: kv("1", 7, 7)},
		}}, []*wire.WatchEvent{
			{Type: wire.Added, ResourceVersion: 4, Item: item("1", 4, 4)},
			{Type: wire.Failed, Err: &wire.Error{Code: wire.Internal, Message: `etcd event received with PrevKv=nil (key="/a", modRevision=6, type=DELETE)`}},
		}, true},
		"compacted": {clientv3.WatchResponse{Canceled: true, CompactRevision: 7},
			[]*wire.WatchEvent{{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted, Message: rpctypes.ErrCompacted.Error()}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, failed := watchEvents(&c.response)
			require.Equal(t, c.want, got)
			require.Equal(t, c.failed, failed)
		})
	}
}
