package overlay

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed cluster_transport.go.txt
var clusterTransport string

//go:embed cluster_message.go.txt
var clusterMessage string

//go:embed cluster_message_v37.go.txt
var clusterMessage37 string

//go:embed cluster_bbolt.go.txt
var clusterBbolt string

//go:embed cluster_services.go.txt
var clusterServices string

//go:embed cluster_raft.go.txt
var clusterRaft string

// Cluster35 is a whole etcd server of 3.5 as a member of a cluster.
var Cluster35 = cluster(slices.Concat(rafthttp("go.etcd.io/etcd/raft/v3", clusterMessage), []stub{
	{"go.etcd.io/bbolt/bolt_wasm.go", limits("bbolt", "maxMapSize", "maxAllocSize") + "\nfunc init() { defaultPageSize = 4096 }\n"},
	// Raft of 3.5 draws election timeouts from a generator that is seeded with the time.
	{"go.etcd.io/etcd/raft/v3/watchbed.go", clusterRaft},
	reusePort,
})...)

// Cluster36 is one of 3.6.
var Cluster36 = cluster(slices.Concat(rafthttp("go.etcd.io/raft/v3", clusterMessage), pages)...)

// Cluster37 is one of 3.7, whose messages are those of another protobuf.
var Cluster37 = cluster(slices.Concat(rafthttp("go.etcd.io/raft/v3", clusterMessage37), pages)...)

// cluster are the changes of all branches, and those of one.
func cluster(branch ...stub) Program {
	return Program{
		stubs: slices.Concat([]stub{journal, lock,
			{"go.etcd.io/bbolt/bolt_unix.go", clusterBbolt},
			{"go.etcd.io/bbolt/mlock_unix.go", "package bbolt\n\n// Memory is never swapped out.\nfunc mlock(*DB, int) error { return nil }\n\nfunc munlock(*DB, int) error { return nil }\n"},
		}, branch),
		added: []stub{
			{"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc/watchbed.go", clusterServices},
			{"go.etcd.io/etcd/server/v3/etcdserver/watchbed.go", clusterProposed},
			{"go.etcd.io/etcd/pkg/v3/wait/watchbed.go", clusterApplied},
		},
		changed: []patch{
			{"go.etcd.io/etcd/server/v3/etcdserver/v3_server.go", []change{
				{"	ch := s.w.Register(id)\n", "	ch := s.w.Register(id)\n	WatchbedProposed(ctx, id, r.LeaseRevoke.GetID())\n"},
			}},
			{"go.etcd.io/etcd/pkg/v3/wait/wait.go", []change{
				{"func (w *list) Trigger(id uint64, x ", "func (w *list) Trigger(id uint64, x interface{}) {\n	WatchbedApplied(id, x)\n	w.trigger(id, x)\n}\n\nfunc (w *list) trigger(id uint64, x "},
			}},
		},
		// What is between the members is the world's.
		reduced: []reduction{{"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp", []string{"transport.go", "watchbed.go"}}},
		files:   true,
	}
}

// The host is told of each request that is proposed to raft, by the number that etcd gives it, and of each that a
// member has applied.
const (
	clusterProposed = `package etcdserver

import "context"

// WatchbedCall is the key of a context with the connection of the client.
type WatchbedCall struct{}

// WatchbedProposed takes the number of a request, and the lease that it revokes.
var WatchbedProposed = func(ctx context.Context, id uint64, revoked int64) {}
`
	clusterApplied = `package wait

// WatchbedApplied takes the number of a request, and its result, which is nil if a client no longer waits for it.
var WatchbedApplied = func(id uint64, result interface{}) {}
`
)

// rafthttp are the files of the package.
func rafthttp(raft, message string) []stub {
	const folder = "go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp/"
	return []stub{
		{folder + "transport.go", strings.ReplaceAll(clusterTransport, "\"RAFT", "\""+raft)},
		{folder + "watchbed.go", strings.ReplaceAll(message, "\"RAFT", "\""+raft)},
	}
}

// lock grants each lock of a file: no other process has the disk.
var lock = stub{"go.etcd.io/etcd/client/pkg/v3/fileutil/lock_flock.go", `package fileutil

import "os"

func flockTryLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &LockedFile{f}, nil
}

func flockLockFile(path string, flag int, perm os.FileMode) (*LockedFile, error) {
	return flockTryLockFile(path, flag, perm)
}
`}

// pages are the sizes of bbolt from 1.4 on: those of a page and of what can be mapped are not those of the guest's
// machine, but of the ones that etcd runs on.
var pages = []stub{
	{"go.etcd.io/bbolt/internal/common/bolt_wasm.go", limits("common", "MaxMapSize", "MaxAllocSize") + "\nfunc init() { DefaultPageSize = 4096 }\n"},
	// In 1.4.0 they are here.
	{"go.etcd.io/bbolt/bolt_wasm.go", limits("bbolt", "maxMapSize", "maxAllocSize")},
}

func limits(in, mapped, allocated string) string {
	return "package " + in + "\n\nconst " + mapped + " = 0xFFFFFFFFFFFF\n\nconst " + allocated + " = 0x7FFFFFFF\n"
}
