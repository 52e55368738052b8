//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/auth"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/mvcc"
	"go.etcd.io/etcd/server/v3/mvcc/backend"
	bucketset "go.etcd.io/etcd/server/v3/mvcc/buckets"
	"go.uber.org/zap"
)

// What the branches of etcd call differently, or build in another way, is here. These files are about 3.5. Those named
// _v3.6 stand in their place from 3.6 on, those named _v3.7 from 3.7 on; go.mod and go.sum are among them.
//
// They must never decide anything.

// The types of the store and of its backend.
type (
	WatchableKV = mvcc.WatchableKV
	Backend     = backend.Backend
	BatchTx     = backend.BatchTx
	ReadTx      = backend.ReadTx
	Snapshot    = backend.Snapshot
	Bucket      = backend.Bucket
	BucketID    = backend.BucketID
)

// The buckets that the store begins with.
var (
	Key  = bucketset.Key
	Meta = bucketset.Meta
)

// Server is what v3rpc asks of the EtcdServer.
type Server interface {
	etcdserver.RaftStatusGetter
	v3rpc.AuthGetter
}

// NewStore is the store over a backend.
func NewStore(lg *zap.Logger, b Backend) WatchableKV {
	return mvcc.New(lg, b, &lease.FakeLessor{}, mvcc.StoreConfig{})
}

// Held is what a store has for its watches: streams that are open, responses in their channels, watchers that are
// not synced, and compactions that are not done.
func Held(kv WatchableKV) (streams, responses, unsynced, compactions int) {
	return mvcc.WatchbedHeld(kv)
}

// NewAuthStore is the store of users over a backend.
func NewAuthStore(lg *zap.Logger, b Backend) auth.AuthStore { return auth.NewAuthStore(lg, b, nil, 0) }

// NewWatchServer is the watch server over a store. Larger responses than maxBytes are fragmented.
func NewWatchServer(lg *zap.Logger, maxBytes int, s Server, kv WatchableKV) pb.WatchServer {
	return v3rpc.WatchbedNewWatchServer(lg, maxBytes, s, kv, s)
}
