//go:build wasip1

package main

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/pkg/v3/traceutil"
	"go.etcd.io/etcd/server/v3/auth"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/etcdserver/cindex"
	"go.etcd.io/etcd/server/v3/lease"
	"go.uber.org/zap"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

// maxRequestBytes is etcd's default with what gRPC adds: larger responses are fragmented.
const maxRequestBytes = 1.5*1024*1024 + 512*1024

// server is one etcd server without its raft log.
type server struct {
	kv      WatchableKV
	backend *memory
	// index is that of the entry of the raft log that is applied, beginning with 1. applied has it for the backend.
	index   uint64
	applied cindex.ConsistentIndexer
	auth    auth.AuthStore
	watch   pb.WatchServer
	streams map[uint32]*etcdpb.Stream
}

// receive takes a message of the host. It applies writes itself, as the one goroutine of a server does that
// applies entries of the raft log.
func (s *server) receive(r protocol.Reader) {
	switch kind, conn := r.Begin(); kind {
	case protocol.Start:
		s.start(&r)
	case protocol.Reopen:
		s.reopen(&r)
	case protocol.Crash:
		var out protocol.Writer
		s.backend.disk(out.Begin(protocol.Disk, 0), r.Int())
		protocol.Send(&out)
	case protocol.Apply:
		s.begin()
		s.apply(&r)
	case protocol.Compact:
		s.begin()
		if _, err := s.kv.Compact(untraced(), r.Int()); err != nil {
			panic(err)
		}
	case protocol.Restore:
		s.backend = s.backend.clone()
		if err := s.kv.Restore(s.backend); err != nil {
			panic(err)
		}
	case protocol.Inspect:
		s.show()
	case protocol.Drained:
		if t := s.streams[conn]; t != nil {
			t.Drained()
		}
	case protocol.Hangup:
		if t := s.streams[conn]; t != nil {
			delete(s.streams, conn)
			t.Cancel()
		}
	default:
		s.stream(conn).Deliver(readWatchRequest(kind, &r))
	}
}

func (s *server) start(r *protocol.Reader) {
	configure(r)
	b := newBackend()
	b.fill(r)
	s.serveFrom(b)
}

// reopen starts with what an earlier process left on disk, as etcd does: the store restores itself from the backend,
// and the raft log is applied from the entry on that the backend does not have.
func (s *server) reopen(r *protocol.Reader) {
	configure(r)
	b := newBackend()
	b.load(r)
	s.serveFrom(b)
	s.index = s.applied.ConsistentIndex()
	var out protocol.Writer
	protocol.Send(out.Begin(protocol.Reopened, 0).Int(int64(s.index)))
}

func configure(r *protocol.Reader) {
	protocol.Seed(uint64(r.Int()))
	if interval := time.Duration(r.Int()); interval > 0 {
		v3rpc.SetProgressReportInterval(interval)
	}
}

// begin says which entry of the raft log is applied next.
func (s *server) begin() {
	s.index++
	s.applied.SetConsistentApplyingIndex(s.index, term)
}

// serveFrom has a new store over a backend. What the server does when it takes the lock to apply an entry, and before
// each commit, is not in the packages of the guest: the entry that is applied becomes the one that the backend has.
func (s *server) serveFrom(b *memory) {
	s.backend = b
	s.applied = cindex.NewConsistentIndex(b)
	b.commits.save = func(tx BatchTx) { s.applied.UnsafeSave(tx) }
	b.SetTxPostLockInsideApplyHook(func() {
		if index, term := s.applied.ConsistentApplyingIndex(); index > s.applied.UnsafeConsistentIndex() {
			s.applied.SetConsistentIndex(index, term)
		}
	})
	lg := zap.NewNop()
	s.kv = NewStore(lg, b)
	s.auth = NewAuthStore(lg, b)
	s.watch = NewWatchServer(lg, maxRequestBytes, s, s.kv)
}

// show tells the host what the store has for its watches. All other goroutines wait, so that nothing is half done. It
// must not create goroutines or wait.
func (s *server) show() {
	streams, responses, unsynced, compactions := Held(s.kv)
	var out protocol.Writer
	protocol.Send(out.Begin(protocol.Shown, 0).Int(int64(streams)).Int(int64(responses)).Int(int64(unsynced)).Int(int64(compactions)))
}

// untraced is the trace of a request of which etcd logs no steps: that of a context without one.
func untraced() *traceutil.Trace { return traceutil.Get(context.Background()) }

// apply carries out what one write has changed.
func (s *server) apply(r *protocol.Reader) {
	txn := s.kv.Write(untraced())
	for range r.Int() {
		isDelete, key := r.Bool(), []byte(r.Text())
		if isDelete {
			txn.DeleteRange(key, nil)
			continue
		}
		txn.Put(key, []byte(r.Text()), lease.LeaseID(r.Int()))
	}
	txn.End()
}

// The rest is what v3rpc asks of the EtcdServer: clients need no password, and the server is the only member, which
// leads.

// AuthInfoFromCtx implements v3rpc.AuthGetter.
func (s *server) AuthInfoFromCtx(context.Context) (*auth.AuthInfo, error) { return nil, nil }

// AuthStore implements v3rpc.AuthGetter.
func (s *server) AuthStore() auth.AuthStore { return s.auth }

// ID implements RaftStatusGetter of 3.5.
func (*server) ID() types.ID { return 1 }

// MemberID implements RaftStatusGetter from 3.6 on.
func (*server) MemberID() types.ID { return 1 }

// Leader implements RaftStatusGetter.
func (*server) Leader() types.ID { return 1 }

// CommittedIndex implements RaftStatusGetter.
func (*server) CommittedIndex() uint64 { return 0 }

// AppliedIndex implements RaftStatusGetter.
func (*server) AppliedIndex() uint64 { return 0 }

// Term implements RaftStatusGetter.
func (*server) Term() uint64 { return term }

// term is that of the raft log, in which this member leads from the beginning.
const term = 1
