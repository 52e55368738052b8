package overlay

import "slices"

// Etcd is the watch path of an etcd server. Its backend is in memory, so that bbolt, which etcd's packages
// import, opens no file.
var Etcd = Program{
	stubs: slices.Concat(common, []stub{
		{"go.etcd.io/bbolt/bolt_unix.go", `package bbolt

import (
	"errors"
	"time"
)

var errNoFiles = errors.New("no files")

func flock(*DB, bool, time.Duration) error { return errNoFiles }

func funlock(*DB) error { return errNoFiles }

func mmap(*DB, int) error { return errNoFiles }

func munmap(*DB) error { return errNoFiles }
`},
		{"go.etcd.io/bbolt/mlock_unix.go", `package bbolt

func mlock(*DB, int) error { return errNoFiles }

func munlock(*DB, int) error { return errNoFiles }
`},
		{"go.etcd.io/etcd/client/pkg/v3/transport/sockopt_unix.go", `package transport

import "syscall"

func setReusePort(network, address string, conn syscall.RawConn) error { return nil }

func setReuseAddress(network, address string, conn syscall.RawConn) error { return nil }
`},
	}),
	added: []stub{
		{"go.etcd.io/bbolt/bolt_wasm.go", `package bbolt

const maxMapSize = 0x7FFFFFFF

const maxAllocSize = 0xFFFFFFF
`},
		// NewWatchServer wants a whole EtcdServer, of which a watch server keeps these.
		{"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc/watchbed.go", `package v3rpc

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/mvcc"
	"go.uber.org/zap"
)

func WatchbedNewWatchServer(lg *zap.Logger, maxRequestBytes int, sg etcdserver.RaftStatusGetter, watchable mvcc.WatchableKV, ag AuthGetter) pb.WatchServer {
	return &watchServer{lg: lg, clusterID: 1, memberID: 1, maxRequestBytes: maxRequestBytes, sg: sg, watchable: watchable, ag: ag}
}
`},
	},
}
