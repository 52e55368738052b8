// Package compactor is what Kubernetes' API servers compact etcd with
// (k8s.io/apiserver, pkg/storage/etcd3/compact.go). One Compactor is one node,
// one for each API server.
//
// All API servers of a cluster run the same loop and compete. Once an interval
// each tries a transaction on compact_rev_key: if its version is the one that
// this server saw last, nobody else has been there for an interval, so the
// server puts the revision of its own last look at etcd there and compacts etcd
// to it. Otherwise it takes over version and value, and the present revision
// for its next try. So etcd keeps between one and two intervals of history,
// whichever server fails.
//
// With KEP-4988 each server also watches the key, so that it hears of the
// compactions of others before its own next try, and tells the caches of its
// process how far etcd is compacted.
//
// What it speaks:
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
//   - The watch goes through Kubernetes' etcd3 watcher instead of a bare
//     clientv3 one, and starts after a revision instead of at it. What happened
//     at the revision of the read is in what was read.
//   - CompactRevision is a call of a method under a lock. Here it is a message: a
//     late one is a caller that was late in using what it got.
//   - Untimed, both loops stop after a bounded number of turns, so that runs end.
//
// The package imports sim and sim/wire, and nothing else of this module.
package compactor
