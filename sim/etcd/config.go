package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a Server is made of. DefaultConfig sets everything but the
// initial contents.
type Config struct {
	// Version is what the server answers to Status: "3.5.13".
	Version string
	// Behaviour is what versions differ in.
	Behaviour
	// Members are the members of the cluster, of which the first one serves at
	// the start; Version and Behaviour are ignored then. None is a cluster of one.
	Members []Member
	// Leader is the node that this member follows: it applies what that one has
	// committed, and serves watches. 0 is a server that takes reads and writes
	// itself. Replicated has such a server keep its log for followers.
	Leader     sim.NodeID
	Replicated bool
	// ChanBufLen is the capacity of the channel that the watchers of one stream
	// share, in responses: chanBufLen, 128 (1024 before 3.4.10).
	ChanBufLen int
	// CtrlStreamBufLen is the capacity of a stream's queue of control responses:
	// ctrlStreamBufLen, 16.
	CtrlStreamBufLen int
	// MaxWatchersPerSync is how many unsynced watchers one round takes on:
	// maxWatchersPerSync, 512.
	MaxWatchersPerSync int
	// WatchBatchMaxRevs is how many revisions one response to an unsynced
	// watcher holds: watchBatchMaxRevs, 1000.
	WatchBatchMaxRevs int
	// SendWindow is the number of responses that a watch stream takes before
	// gRPC's Send blocks; 0 is no bound, the default. gRPC counts bytes, not
	// messages: 64 KiB of write quota, then the receiver's window. clientv3
	// always reads and buffers without bound, so only a stalled process or
	// network fills it, after hundreds of small events. A scenario about slow
	// readers sets it to a few.
	SendWindow int
	// MaxRequestBytes bounds a fragment of a response, together with gRPC's
	// overhead of 512 KiB: --max-request-bytes, 1.5 MiB.
	MaxRequestBytes int
	// CompactionBatchLimit is how many revisions a compaction looks at before it
	// pauses: --compaction-batch-limit, 1000.
	CompactionBatchLimit int

	// SyncInterval is the period of syncWatchersLoop: watchResyncPeriod, 100 ms.
	SyncInterval sim.Duration
	// VictimInterval is how long syncVictimsLoop waits after a round that moved
	// nobody: 10 ms.
	VictimInterval sim.Duration
	// CompactionSleepInterval is the pause of a compaction: 10 ms.
	CompactionSleepInterval sim.Duration
	// ProgressNotifyInterval is the period of a stream's progress ticker, to
	// which 0 to 10 % are added once: --watch-progress-notify-interval, 10 min.
	// At 0 it never ticks: untimed, a ticker is something that can happen at
	// every point, and a search may have better things to do.
	ProgressNotifyInterval sim.Duration

	// RangeTime and RangeTimePerItem are how long a Range keeps the server busy,
	// and how much longer for each key-value that it returns: 0, for free. The
	// server works on one Range at a time. For the other half of what reads cost
	// see ReadsDelayWatches.
	RangeTime, RangeTimePerItem sim.Duration
	// ReadsDelayWatches: a response to a watch is sent behind the answers to all
	// reads that came before it, as where both share a connection
	// (etcd-io/etcd#15402, which was worse: under TLS, reads that came later went
	// first too).
	ReadsDelayWatches bool

	// Initial holds the versions of keys that exist at the start, several of one
	// key if it has a history, by ModRevision. InitialRevision is the store's
	// revision, at least the newest of theirs and at least 1; Compacted is the
	// revision below which history is gone, 0 if none is. The Server shares the
	// slice and never changes it.
	Initial         []*wire.KeyValue
	InitialRevision int64
	Compacted       int64
}

// grpcOverheadBytes is what fragments may exceed MaxRequestBytes by.
const grpcOverheadBytes = 512 * 1024

// DefaultConfig is a server of the given version ("3.5.13") with the settings
// it has out of the box and an empty store. It returns an error if ForVersion
// does.
func DefaultConfig(version string) (Config, error) {
	b, err := ForVersion(version)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		Version:                 version,
		Behaviour:               b,
		ChanBufLen:              128,
		CtrlStreamBufLen:        16,
		MaxWatchersPerSync:      512,
		WatchBatchMaxRevs:       1000,
		MaxRequestBytes:         1.5 * 1024 * 1024,
		CompactionBatchLimit:    1000,
		SyncInterval:            100 * time.Millisecond,
		VictimInterval:          10 * time.Millisecond,
		CompactionSleepInterval: 10 * time.Millisecond,
		ProgressNotifyInterval:  10 * time.Minute,
		InitialRevision:         1,
	}
	if minor, patch, _ := parseVersion(version); minor == 4 && patch < 10 {
		c.ChanBufLen = 1024
	}
	return c, nil
}
