package overlay

import (
	"fmt"
	"slices"
)

// Etcd35 is the watch path of an etcd server of 3.5. Its backend is in memory, so that bbolt, which etcd's packages
// import, opens no file.
var Etcd35 = etcd(
	watchServer{storage: "go.etcd.io/etcd/server/v3/mvcc", status: "go.etcd.io/etcd/server/v3/etcdserver", bytes: "int"},
	stub{"go.etcd.io/bbolt/bolt_wasm.go", `package bbolt

const maxMapSize = 0x7FFFFFFF

const maxAllocSize = 0xFFFFFFF
`},
	reusePort,
)

// reusePort is compiled for wasm before 3.6.
var reusePort = stub{"go.etcd.io/etcd/client/pkg/v3/transport/sockopt_unix.go", `package transport

import "syscall"

func setReusePort(network, address string, conn syscall.RawConn) error { return nil }

func setReuseAddress(network, address string, conn syscall.RawConn) error { return nil }
`}

// Etcd36 is that of 3.6 and of 3.7.
var Etcd36 = etcd(
	watchServer{storage: "go.etcd.io/etcd/server/v3/storage/mvcc", status: "go.etcd.io/etcd/server/v3/etcdserver/apply", bytes: "uint"},
	stub{"go.etcd.io/bbolt/internal/common/bolt_wasm.go", `package common

const MaxMapSize = 0x7FFFFFFF

const MaxAllocSize = 0xFFFFFFF
`},
)

// etcd are the changes of all branches, and those of one.
func etcd(of watchServer, branch ...stub) Program {
	return Program{stubs: slices.Concat(common, withoutFiles, branch), added: []stub{of.constructor(), of.held()}}
}

// withoutFiles are the stubs of bbolt, which locks and maps its file.
var withoutFiles = []stub{
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
}

// watchServer is what a watch server is built from: the packages of the store and of RaftStatusGetter, and the type
// of maxRequestBytes.
type watchServer struct{ storage, status, bytes string }

// constructor builds a watch server: NewWatchServer wants a whole EtcdServer, of which it keeps these.
func (s watchServer) constructor() stub {
	return stub{"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc/watchbed.go", fmt.Sprintf(`package v3rpc

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	status %q
	mvcc %q
	"go.uber.org/zap"
)

func WatchbedNewWatchServer(lg *zap.Logger, maxRequestBytes %s, sg status.RaftStatusGetter, watchable mvcc.WatchableKV, ag AuthGetter) pb.WatchServer {
	return &watchServer{lg: lg, clusterID: 1, memberID: 1, maxRequestBytes: maxRequestBytes, sg: sg, watchable: watchable, ag: ag}
}
`, s.status, s.storage, s.bytes)}
}

// held reads what the store has for its watches. How many streams are open is in a metric of its own; the one of events
// that wait counts those that a filter kept back, too.
func (s watchServer) held() stub {
	return stub{s.storage + "/watchbed.go", `package mvcc

import dto "github.com/prometheus/client_model/go"

func WatchbedHeld(kv WatchableKV) (streams, responses, unsynced, compactions int) {
	s := kv.(*watchableStore)
	var open dto.Metric
	if err := watchStreamGauge.Write(&open); err != nil {
		panic(err)
	}
	channels := map[chan<- WatchResponse]bool{}
	for _, group := range []watcherGroup{s.synced, s.unsynced} {
		for w := range group.watchers {
			if !channels[w.ch] {
				channels[w.ch] = true
				responses += len(w.ch)
			}
		}
	}
	unsynced = s.unsynced.size()
	for _, wb := range s.victims {
		unsynced += len(wb)
	}
	return int(open.GetGauge().GetValue()), responses, unsynced, s.fifoSched.Pending()
}
`}
}
