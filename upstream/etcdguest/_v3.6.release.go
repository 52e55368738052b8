//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/auth"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/etcdserver/apply"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"
)

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
	Key  = schema.Key
	Meta = schema.Meta
)

// Server is what v3rpc asks of the EtcdServer.
type Server interface {
	apply.RaftStatusGetter
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
func NewAuthStore(lg *zap.Logger, b Backend) auth.AuthStore {
	return auth.NewAuthStore(lg, schema.NewAuthBackend(lg, b), nil, 0)
}

// NewWatchServer is the watch server over a store. Larger responses than maxBytes are fragmented.
func NewWatchServer(lg *zap.Logger, maxBytes uint, s Server, kv WatchableKV) pb.WatchServer {
	return v3rpc.WatchbedNewWatchServer(lg, maxBytes, s, kv, s)
}
