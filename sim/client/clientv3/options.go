package clientv3

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are everything about a client library that can be set by name.
type Options struct {
	ResumeRevision ResumeRevision
	ProgressScope  ProgressScope
	UnknownWrite   UnknownWrite
	FailedRead     FailedRead
	AbandonedCall  AbandonedCall
	LateClosing    LateClosing
	ReopenPause    ReopenPause
	RequireLeader  RequireLeader
	Amounts
}

// ResumeRevision is where a watch continues on a new stream if the last response
// was a progress notification at R. After events it continues after the last one
// in every release.
type ResumeRevision uint8

const (
	// ResumeAfterHeader continues at R+1: everything up to R was delivered.
	ResumeAfterHeader ResumeRevision = iota
	// ResumeAtHeader continues at R: an event at R comes twice (etcd #15248).
	ResumeAtHeader
)

// ProgressScope is a value of ProgressScopes.
type ProgressScope uint8

// Broadcast hands a progress notification for all watches of a stream on.
type Broadcast func(env *sim.Env, s *Stream, p *wire.WatchResponse)

// ProgressScopes are the watches that receive a progress notification for all
// watches of a stream.
var ProgressScopes = option.NewSeam[ProgressScope, Broadcast]("progress-scope",
	"the watches that receive a progress notification for all watches of a stream").
	Shipped("stream", "the watches of that stream: all releases", func(env *sim.Env, s *Stream, p *wire.WatchResponse) { s.Deliver(env, p) })

// UnknownWrite is a value of UnknownWrites.
type UnknownWrite uint8

// Unknown says what becomes of a write of which etcd did not say whether it is carried
// out: whether the write is sent again, and else what its caller is answered.
type Unknown func(err *wire.Error) (again bool, answer *wire.Error)

// UnknownWrites are the ways to take such an error.
var UnknownWrites = option.NewSeam[UnknownWrite, Unknown]("unknown-writes",
	"what the client library does when etcd does not say whether it carries out a write").
	Shipped("reported", "the caller gets the error: all releases", func(err *wire.Error) (bool, *wire.Error) { return false, err })

// FailedRead is a value of FailedReads.
type FailedRead uint8

// Repeats reports whether a read is sent again after an error that says that etcd is
// unavailable.
type Repeats func(err *wire.Error) bool

// FailedReads are the errors after which a read is sent again.
var FailedReads = option.NewSeam[FailedRead, Repeats]("failed-reads",
	"the errors after which the client library sends a read again").
	Shipped("unavailable", "all that say that etcd is unavailable (isSafeRetryImmutableRPC)", func(*wire.Error) bool { return true })

// AbandonedCall is a value of AbandonedCalls.
type AbandonedCall uint8

// AbandonedCalls say whether the client library forgets a call whose caller is gone.
var AbandonedCalls = option.NewSeam[AbandonedCall, bool]("abandoned-calls",
	"what the client library does with a call whose caller is gone").
	Shipped("forgotten", "the attempt ends, and nothing is left of the call: all releases", true)

// LateClosing is a value of LateClosings.
type LateClosing uint8

// LateClosings say whether run, once it has opened its stream again, takes watches that
// closed meanwhile.
var LateClosings = option.NewSeam[LateClosing, bool]("late-closings",
	"what becomes of watches that close while their stream waits to be opened again").
	Shipped("taken", "run takes them when the stream is open: all releases", true)

// ReopenPause is a value of ReopenPauses.
type ReopenPause uint8

// Pause is how long run sleeps before it opens a stream again that broke, after it has slept
// for so long the last time, or the first time would have.
type Pause func(last sim.Duration, a *Amounts) sim.Duration

// ReopenPauses are the pauses before a stream is opened again.
var ReopenPauses = option.NewSeam[ReopenPause, Pause]("reopen-pause",
	"how long the client library waits before it opens a watch stream again that broke").
	Shipped("backoff", "1.25 ms, and a quarter more with each further break, up to 100 ms (backoffIfUnavailable)",
		func(last sim.Duration, a *Amounts) sim.Duration { return min(last+last/4, a.WatchBackoffMax) })

// RequireLeader is a value of LeaderRequirements.
type RequireLeader uint8

// LeaderRequirements say whether watches and progress requests have the metadata of
// clientv3.WithRequireLeader.
var LeaderRequirements = option.NewSeam[RequireLeader, bool]("require-leader",
	"whether etcd ends the watch streams of the client library at a member that has no leader").
	Shipped("always", "it does (clientv3.WithRequireLeader): Kubernetes from 1.19 on (kubernetes#89881)", true)

// Choices are the options in which client libraries differ.
var Choices = option.NewGroup("client",
	option.Choice("resume-revision", func(o *Options) *ResumeRevision { return &o.ResumeRevision },
		"where a watch continues after a progress notification and a break",
		option.Val("after-header", "at the revision after it"),
		option.Val("at-header", "at its revision, so that an event comes twice (etcd#15248)")),
	option.SeamOption(ProgressScopes, func(o *Options) *ProgressScope { return &o.ProgressScope }),
	option.SeamOption(FailedReads, func(o *Options) *FailedRead { return &o.FailedRead }),
	option.SeamOption(UnknownWrites, func(o *Options) *UnknownWrite { return &o.UnknownWrite }),
	option.SeamOption(AbandonedCalls, func(o *Options) *AbandonedCall { return &o.AbandonedCall }),
	option.SeamOption(LateClosings, func(o *Options) *LateClosing { return &o.LateClosing }),
	option.SeamOption(ReopenPauses, func(o *Options) *ReopenPause { return &o.ReopenPause }),
	option.SeamOption(LeaderRequirements, func(o *Options) *RequireLeader { return &o.RequireLeader }),
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
	set(&a.WatchBackoff, time.Millisecond)
	set(&a.WatchBackoffMax, 100*time.Millisecond)
	set(&a.MaxUnaryRetries, 100)
	set(&a.BackoffWaitBetween, 25*time.Millisecond)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
