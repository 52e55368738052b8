// Package compactor (unstable) compacts etcd as Kubernetes' API servers do
// (k8s.io/apiserver, pkg/storage/etcd3/compact.go). One Compactor is one node,
// one for each API server.
//
// All API servers of a cluster run the same loop and compete. Once an interval
// each of them tries a transaction on compact_rev_key. If the version of the key
// is the one that this server saw last, no other server has compacted for an
// interval: the server writes the revision that it saw last to the key, and
// compacts etcd to it. Otherwise it takes over version and value, and keeps the
// present revision for its next try. So etcd keeps between one and two intervals
// of history, even if servers fail.
//
// With KEP-4988 each server also watches the key. It learns of other servers'
// compactions before its own next try, and answers the caches of its process with
// the compacted revision.
//
// Its messages:
//
//	Config.KV     calls of *wire.TxnRequest, *wire.CompactionRequest and
//	              *wire.RangeRequest
//	Config.Watch  stream, *wire.WatchStart
//	from caches   calls of *wire.CompactRevisionRequest
//
// # Yield points
//
//	runCompactLoop            timer "compact interval"; delivery of the answer to
//	                          the transaction; delivery of that to the compaction
//	runWatchLoop              timer "watch again"; delivery of the answer to the
//	                          read; delivery of each event
//	CompactRevision           delivery of the request
//
// # What differs from the original
//
//   - The watch goes through Kubernetes' etcd3 watcher instead of plain clientv3,
//     and starts after a revision instead of at it. What happened at the revision
//     of the read is part of the read.
//   - CompactRevision is a call of a method under a lock. Here it is a message: a
//     message that comes late is a caller that uses the answer late.
//   - Untimed, both loops stop after a bounded number of turns, so that runs end.
//
// The package imports sim and sim/wire, and nothing else of this module.
package compactor
