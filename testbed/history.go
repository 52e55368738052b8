package testbed

import (
	"cmp"
	"math"
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// History is what the clients recorded so far in this run, or since etcd was restored from a backup. It is valid until
// the next call.
func (s *System) History() *model.History {
	s.compactorWrites()
	s.history = model.History{
		Clients: s.names, Initial: s.etcd.initial,
		Operations: s.clients.appendOperations(s.history.Operations[:0]),
	}
	if s.Restored() != nil {
		s.history.Initial = s.truth.initial
		s.history.Operations = slices.DeleteFunc(s.history.Operations[s.firstJudged(s.history.Operations):], func(op model.Operation) bool {
			// Snapshots of a cache may be from before.
			return op.Request.Freshness == model.Exact && op.Request.Revision < s.truth.initial.Revision
		})
	}
	return &s.history
}

// firstJudged is the first of operations in the order of their calls that began since etcd was restored from a backup.
func (s *System) firstJudged(ops []model.Operation) int {
	r := s.Restored()
	if r == nil {
		return 0
	}
	first, _ := slices.BinarySearchFunc(ops, r.Tick, func(op model.Operation, tick int64) int { return cmp.Compare(op.Call, tick) })
	return first
}

// Restored is the backup that etcd was restored from last, nil if it was not.
func (s *System) Restored() *etcd.Restored {
	if s.params.Faults.Restores == 0 {
		return nil
	}
	s.truth.Log()
	return s.truth.restored
}

// compactorWrites adds what the compactors wrote: a revision that no client made
// would be a violation. A compactor is a client that never heard of the outcome. What etcd did
// is as ground truth knows it.
func (s *System) compactorWrites() {
	c := &s.clients
	c.compactors = c.compactors[:0]
	if !s.topology.Compactors {
		return
	}
	revision := s.etcd.initial.Revision
	for commit := range s.truth.Committed() {
		txn, ok := commit.Request.(*wire.TxnRequest)
		if ok && commit.Revision > revision && putsCompactRev(txn) {
			client, call := s.compactorOf(commit.From, txn)
			c.compactors = append(c.compactors, model.Operation{
				Client: client, Call: call, Return: math.MaxInt64, Request: workload.Request(txn), Outcome: model.Unknown, Commit: commit.Revision,
			})
		}
		revision = commit.Revision
	}
	slices.SortStableFunc(c.compactors, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
}

// compactorOf is the client that stands for the compactor of a transaction, and the call of the first request with
// these contents: a search has one request for all that are equal. A member that is ahead of the leader names no
// server.
func (s *System) compactorOf(from sim.NodeID, txn *wire.TxnRequest) (client int, call int64) {
	contents, by := txn.Digest(sim.NewDigest), s.roles[from]
	for i, a := range s.servers {
		if by.Part != EtcdMember && by.Place != i {
			continue
		}
		for _, w := range a.compactor.Writes() {
			if w.Request.Digest(sim.NewDigest) == contents {
				return len(s.clients.history.nodes) + i, w.Call
			}
		}
	}
	panic("testbed: no compactor has requested a transaction that etcd has committed")
}

// putsCompactRev reports whether a transaction is that of a compactor. Other clients draw
// transactions that begin with a read, or are empty.
func putsCompactRev(r *wire.TxnRequest) bool {
	return len(r.Success) > 0 && r.Success[0].Put != nil && r.Success[0].Put.Key == wire.CompactRevKey
}

// Truth is ground truth of the run.
func (s *System) Truth() *Truth { return &s.truth }

// MemoryUse is the maximum that one API server kept at any one step, in bytes of objects.
//
// Counted are the objects of a LIST from its answer until the client has all of
// it, and the slots in use of the result channels of watchers. Not counted are
// the store, which is there anyway; the input channels and the intervals of
// watchers, which hold pointers into it; deep copies, encoders, compression and
// HTTP. A slot counts as a whole object: what it points to is a copy made for
// this watcher, unless the event was dispatched to all of them.
type MemoryUse struct {
	// Lists are the objects in answers to LISTs, Streams those in channels.
	Lists, Streams int64
	// Temporary is Lists with what it takes to make such answers.
	Temporary int64
}

var (
	listBytes = metric.New("list_response_bytes", metric.Bytes,
		"maximum bytes of objects in LIST answers that an API server was sending at one time, in each run")
	listTemporaryBytes = metric.New("list_temporary_bytes", metric.Bytes,
		"what KEP-3157 says such answers take: five times those from etcd, three times those from the cache")
	streamBytes = metric.New("watch_channel_bytes", metric.Bytes,
		"maximum bytes of objects in the channels of an API server's watchers at one time, in each run")
)

// memoryCounter counts what the API servers of a run keep.
type memoryCounter struct {
	servers     []topology.APIServer
	objectBytes int64
	use         MemoryUse
}

// Reset begins a run.
func (c *memoryCounter) Reset() { c.use = MemoryUse{} }

// AfterStep counts what an API server keeps after a step of one of its caches.
// Nothing can grow in the steps of other nodes.
func (c *memoryCounter) AfterStep(w *sim.World, a sim.Action) {
	for i := range c.servers {
		server := &c.servers[i]
		if !slices.Contains(server.Caches, a.Node) {
			continue
		}
		var now MemoryUse
		for _, n := range server.Caches {
			w.UnderWay(n, func(first *sim.Message, count int) {
				switch p := first.Payload.(type) {
				case *wire.ListResponse:
					now.Lists += int64(len(p.Items))
					now.Temporary += int64(cache.Taken(p))
				case *wire.WatchEvent:
					now.Streams += int64(count)
				}
			})
		}
		c.use.Lists = max(c.use.Lists, now.Lists*c.objectBytes)
		c.use.Temporary = max(c.use.Temporary, now.Temporary*c.objectBytes)
		c.use.Streams = max(c.use.Streams, now.Streams*c.objectBytes)
	}
}

// BeginJudging records the metrics of the run.
func (c *memoryCounter) BeginJudging(w *sim.World) {
	w.Record(listBytes, c.use.Lists)
	w.Record(listTemporaryBytes, c.use.Temporary)
	w.Record(streamBytes, c.use.Streams)
}
