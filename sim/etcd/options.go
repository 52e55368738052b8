package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are everything about a server that can be set by name: how its release
// behaves, and amounts.
type Options struct {
	Behaviour
	Amounts
}

// Choices are the options in which releases differ.
var Choices = option.Lift(behaviours, func(o *Options) *Behaviour { return &o.Behaviour })

// Group is all options of a server: the choices, then the amounts.
var Group = option.Join(Choices, option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }))

// Amounts are sizes, limits and times. Those left at zero are what etcd has out of
// the box.
type Amounts struct {
	// ChanBufLen is the capacity of the channel that the watchers of one stream
	// share, in responses: chanBufLen, 128.
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
	// no watcher: 10 ms.
	VictimInterval sim.Duration
	// CompactionSleepInterval is the pause of a compaction: 10 ms.
	CompactionSleepInterval sim.Duration
	// ProgressNotifyInterval is the period of a stream's progress ticker, to
	// which 0 to 10 % are added once: --watch-progress-notify-interval, 10 min.
	// Untimed, a ticker is something that can happen at every point, and a search
	// has better things to do: there 0 is no ticker.
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
}

// amounts are those that scenarios set. The others stay what etcd has, but for
// tests.
var amounts = option.NewGroup("etcd",
	option.Count("chan-buf", func(a *Amounts) *int { return &a.ChanBufLen }, "128", "responses in a watch channel (chanBufLen)"),
	option.Count("ctrl-buf", func(a *Amounts) *int { return &a.CtrlStreamBufLen }, "16", "responses in a control queue (ctrlStreamBufLen)"),
	option.Count("send-window", func(a *Amounts) *int { return &a.SendWindow }, "no bound", "messages that a watch stream takes before Send blocks"),
	option.Count("watchers-per-sync", func(a *Amounts) *int { return &a.MaxWatchersPerSync }, "512", "unsynced watchers in one round of syncWatchers (maxWatchersPerSync)"),
	option.Count("sync-batch", func(a *Amounts) *int { return &a.WatchBatchMaxRevs }, "1000", "revisions in one response to an unsynced watcher (watchBatchMaxRevs)"),
	option.Count("compaction-batch", func(a *Amounts) *int { return &a.CompactionBatchLimit }, "1000", "revisions in one batch of a compaction (--compaction-batch-limit)"),
	option.Duration("notify", func(a *Amounts) *time.Duration { return &a.ProgressNotifyInterval }, "10m, untimed none", "period of progress notifications (--watch-progress-notify-interval)"),
	option.Duration("range-time", func(a *Amounts) *time.Duration { return &a.RangeTime }, "none", "how long a Range keeps etcd busy"),
	option.Duration("item-time", func(a *Amounts) *time.Duration { return &a.RangeTimePerItem }, "none", "how much longer for each key that it returns"),
	option.Switch("shared-connection", func(a *Amounts) *bool { return &a.ReadsDelayWatches }, "a response to a watch is sent behind the answers to all earlier reads"),
)

func (a *Amounts) setDefaults() {
	set(&a.ChanBufLen, 128)
	set(&a.CtrlStreamBufLen, 16)
	set(&a.MaxWatchersPerSync, 512)
	set(&a.WatchBatchMaxRevs, 1000)
	set(&a.MaxRequestBytes, 1.5*1024*1024)
	set(&a.CompactionBatchLimit, 1000)
	set(&a.SyncInterval, 100*time.Millisecond)
	set(&a.VictimInterval, 10*time.Millisecond)
	set(&a.CompactionSleepInterval, 10*time.Millisecond)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
