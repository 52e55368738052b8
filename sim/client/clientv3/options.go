package clientv3

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are everything about a client library that can be set by name.
type Options struct {
	// ResumesAtHeader: a watch whose last response was a progress notification at R continues on a new stream at R, so
	// that an event at R comes twice (etcd#15248). Otherwise it continues at R+1: everything up to R was delivered.
	// After events it continues after the last one in every release.
	ResumesAtHeader bool
	BroadcastsToAll bool
	UnknownWrite    UnknownWrite
	GivesUpReads    bool
	KeepsCalls      bool
	LeavesClosings  bool
	// EndsWithRefused: run, when its stream ends, closes watches too that etcd refused to create and that it has not
	// taken from closingc. They are in neither list, and released clientv3 takes as many from closingc as there are in
	// those: it waits for the rest in wg.Wait, and every later watch on the stream waits for it.
	EndsWithRefused   bool
	BacksOffAsGRPC    bool
	LeaderNotRequired bool
	WithoutKeepalive  bool
	Amounts
}

// UnknownWrite is what becomes of a write of which etcd did not say whether it is carried out.
type UnknownWrite uint8

const (
	// WriteReported gives the caller the error.
	WriteReported UnknownWrite = iota
	// WriteRepeated sends the write again.
	WriteRepeated
	// WriteRefused answers the caller that nothing was written, after a failure of the leader.
	WriteRefused
)

// Choices are the options in which client libraries differ.
var Choices = option.NewGroup("client",
	option.Either("resume-revision", func(o *Options) *bool { return &o.ResumesAtHeader },
		"where a watch continues after a progress notification and a break",
		option.Val("after-header", "at the revision after it"),
		option.Val("at-header", "at its revision, so that an event comes twice (etcd#15248)")),
	option.Either("progress-scope", func(o *Options) *bool { return &o.BroadcastsToAll }, "the watches that receive a progress notification for all watches of a stream",
		option.Val("stream", "the watches of that stream: all releases"),
		option.Bug("client", "all watches of the client library: no release")),
	option.Either("failed-reads", func(o *Options) *bool { return &o.GivesUpReads }, "the errors after which the client library sends a read again",
		option.Val("unavailable", "all that say that etcd is unavailable (isSafeRetryImmutableRPC)"),
		option.Bug("interrupted", "a broken connection only (etcd#8327)")),
	option.Choice("unknown-writes", func(o *Options) *UnknownWrite { return &o.UnknownWrite }, "what the client library does when etcd does not say whether it carries out a write",
		option.Val("reported", "the caller gets the error: all releases"),
		option.Bug("repeated", "it is sent again, as a read is (jetcd#1444)"),
		option.Bug("refused", "after a failure of the leader the caller is answered that the write is refused (etcd#5577)")),
	option.Either("abandoned-calls", func(o *Options) *bool { return &o.KeepsCalls }, "what the client library does with a call whose caller is gone",
		option.Val("forgotten", "the attempt ends, and nothing is left of the call: all releases"),
		option.Bug("kept", "the attempt ends, and the call stays in its list: no release")),
	option.Either("late-closings", func(o *Options) *bool { return &o.LeavesClosings }, "what becomes of watches that close while their stream waits to be opened again",
		option.Val("taken", "run takes them when the stream is open: all releases"),
		option.Bug("left", "they wait until another watch closes (etcd#6651)")),
	option.Either("refused-watches", func(o *Options) *bool { return &o.EndsWithRefused }, "what becomes of watches that etcd refused to create and that run has not taken when their stream ends",
		option.Val("awaited", "run waits for them for ever, and so does every later watch on the stream: all releases (etcd#17611)"),
		option.Val("closed", "they are closed like all others: no release")),
	option.Either("reopen-pause", func(o *Options) *bool { return &o.BacksOffAsGRPC }, "how long the client library waits before it opens a watch stream again that broke",
		option.Val("backoff", "1.25 ms, and a quarter more with each further break, up to 100 ms (backoffIfUnavailable)"),
		option.Bug("connection", "a second, and 1.6 times as long with each further break, up to two minutes (jetcd#1616)")),
	option.Either("require-leader", func(o *Options) *bool { return &o.LeaderNotRequired }, "whether etcd ends the watch streams of the client library at a member that has no leader",
		option.Val("always", "it does (clientv3.WithRequireLeader): Kubernetes from 1.19 on (kubernetes#89881)"),
		option.Bug("never", "a stream stays open, and nothing new comes on it: Kubernetes before 1.19")),
	option.Either("keepalive", func(o *Options) *bool { return &o.WithoutKeepalive }, "how the client library notices that the other end of a stream is gone",
		option.Val("pings", "gRPC pings after 30 s in which nothing came, and waits 10 s for the answer: Kubernetes (storagebackend/factory)"),
		option.Bug("never", "not at all, as clientv3 without DialKeepAliveTime: its watches are silent for ever")),
)

// Group is all options.
var Group = option.Join(Choices, option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }))

// Amounts are limits and times. Those left at zero are what clientv3 has.
type Amounts struct {
	// WatchBackoff is the first waiting time before a broken watch stream is
	// opened again: 1 ms. It grows by a quarter with each break, the first one
	// included, up to WatchBackoffMax: 100 ms. It never becomes smaller again.
	WatchBackoff, WatchBackoffMax sim.Duration
	// MaxUnaryRetries is the maximum number of attempts at a read: 100.
	MaxUnaryRetries int
	// BackoffWaitBetween is the time between an attempt's failure and the next
	// attempt: 25 ms.
	BackoffWaitBetween sim.Duration
}

// Attempts is how often a read is tried at most.
func (a *Amounts) Attempts() int {
	with := *a
	with.setDefaults()
	return with.MaxUnaryRetries
}

// amounts are those that scenarios set.
var amounts = option.NewGroup("client",
	option.Period("reopen-backoff", func(a *Amounts) *time.Duration { return &a.WatchBackoff }, "1ms", "what the pause before a broken watch stream is opened again grows from, a quarter with each break"),
	option.Period("reopen-backoff-max", func(a *Amounts) *time.Duration { return &a.WatchBackoffMax }, "100ms", "what that pause grows to (maxBackoff)"),
	option.Period("retry-wait", func(a *Amounts) *time.Duration { return &a.BackoffWaitBetween }, "25ms", "time between two attempts at a read while etcd is unavailable (backoffWaitBetween)"),
	option.Count("unary-retries", func(a *Amounts) *int { return &a.MaxUnaryRetries }, "100", "attempts at a read while etcd is unavailable"),
)

func (a *Amounts) setDefaults() {
	a.WatchBackoff = cmp.Or(a.WatchBackoff, time.Millisecond)
	a.WatchBackoffMax = cmp.Or(a.WatchBackoffMax, 100*time.Millisecond)
	a.MaxUnaryRetries = cmp.Or(a.MaxUnaryRetries, 100)
	a.BackoffWaitBetween = cmp.Or(a.BackoffWaitBetween, 25*time.Millisecond)
}
