package v3rpc

import (
	"cmp"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are what releases differ in, and amounts. The values of a choice are in
// the order of the releases that brought them. Amounts left at zero are what etcd
// has out of the box.
type Options struct {
	Progress    Progress
	SentEvents  Events
	ElidedTicks ElidedTicks
	Fragments   Fragments

	// EchoesID: progress carries WatchProgressRequest.ID (the first draft of KEP-2340, "Potential Future
	// Improvements"). The last id that came is remembered: an earlier request of the same stream is served by the later
	// one too.
	EchoesID bool
	// PassesZero: the watchable store picks the start of a watch from revision 0, "from now on"; Created names the
	// revision read after that, which may already be past some events. Otherwise recvLoop reads the revision, adds one,
	// and registers later: the watch starts behind the revision that Created names.
	PassesZero bool
	// RefusesNegative: a watch from a revision below 0 is cancelled at once. Otherwise a start of -1 counts as unsynced
	// while nothing was ever compacted, and empties the range that syncWatchers reads for all watchers (#20693).
	RefusesNegative bool
	// StoresWithWatch: recvLoop stores what a create request asks for, progress, previous values and fragments,
	// together with the watch. As shipped that is a step of its own behind the registration, under
	// serverWatchStream.mu: events that sendLoop takes in between have no previous values and are not split.
	StoresWithWatch bool
	// RefusesAsAsked: the answer to a create request that is refused has the watch id that the request names, and not
	// -1. That is 0 if the client leaves the choice to etcd, and 0 is also the id of the first watch of a stream: sendLoop
	// then takes this one for canceled. Releases before 3.4.20 and 3.5.5 did so where a permission was missing (#12385),
	// of which there are none here.
	RefusesAsAsked bool
	// RefusesSilently: the answer to a create request that is refused does not say why. In 3.3 Watch returns the id -1
	// and no error.
	RefusesSilently bool
	KeepsLeaderless bool
	// CreatedInOrder: a create request that is not refused is answered through the watch channel, behind what was
	// queued before. As shipped the answer goes through ctrlStream: it can be sent before progress for all watches of
	// the stream that was queued when the watch did not exist yet, which the client then takes for progress of the new
	// watch too.
	CreatedInOrder bool
	NamesAfterLast bool

	// CtrlStreamBufLen is the capacity of a stream's queue of control responses:
	// ctrlStreamBufLen, 16.
	CtrlStreamBufLen int
	// SendWindow is the number of responses that a watch stream takes before
	// gRPC's Send blocks; 0 is no bound, the default. gRPC counts bytes, not
	// messages: 64 KiB of write quota, then the receiver's window. clientv3
	// always reads and buffers without bound, so only a stalled process or
	// network fills it, after hundreds of small events. A scenario about slow
	// readers sets it to a few.
	SendWindow int
	// FragmentBytes is the size from which on a response is split, in bytes:
	// --max-request-bytes of 1.5 MiB, with gRPC's overhead of 512 KiB.
	FragmentBytes int
	// ProgressNotifyInterval is the period of a stream's progress ticker, to
	// which 0 to 10 % are added once: --watch-progress-notify-interval, 10 min.
	// Untimed, a ticker is something that can happen at every point, and a search
	// has better things to do: there 0 is no ticker.
	ProgressNotifyInterval sim.Duration
	// ReadsDelayWatches: a response to a watch is sent behind the answers to all
	// reads that came before it, as where both share a connection
	// (etcd-io/etcd#15402, which was worse: under TLS, reads that came later went
	// first too).
	ReadsDelayWatches bool
}

// SetDefaults sets the amounts that are zero.
func (o *Options) SetDefaults() {
	o.CtrlStreamBufLen = cmp.Or(o.CtrlStreamBufLen, 16)
	o.FragmentBytes = cmp.Or(o.FragmentBytes, 2<<20)
}

// Fragments is where a response is split that is too large.
type Fragments uint8

const (
	// FragmentsFull: where the next event would make the fragment too large.
	FragmentsFull Fragments = iota
	// FragmentsSingle: behind each event, which no release does.
	FragmentsSingle
	// FragmentsNone: nowhere. Releases before 3.3.14 do not know the field that asks for
	// it.
	FragmentsNone
)

// ElidedTicks are the watches for which sendLoop requests no progress at a tick, because
// they were sent events since the tick before.
type ElidedTicks uint8

const (
	// ElidedWatch: the watch that was sent events.
	ElidedWatch ElidedTicks = iota
	// ElidedStream: all watches of its stream, which no release leaves out.
	ElidedStream
	// ElidedForGood: the watch that was sent events, at all later ticks, too, which no release
	// does.
	ElidedForGood
)

// Choices are the options in which releases differ.
var Choices = option.NewGroup("etcd",
	option.SeamOption(ProgressSeam, func(o *Options) *Progress { return &o.Progress }),
	option.Either("progress-echo", func(o *Options) *bool { return &o.EchoesID },
		"whether progress names the request that it answers",
		option.Off("none", "it does not: all releases"),
		option.Value{Name: "echoed", Doc: "it carries the request's id: no release (the first draft of KEP-2340)"}).
		Undrawn("the cache that asks for echoes has it set"),
	option.Either("create-at-zero", func(o *Options) *bool { return &o.PassesZero },
		"how a watch from revision 0 gets its start",
		option.Value{Name: "read-before-register", Doc: "recvLoop reads the revision, adds one, and registers the watch later"},
		option.Value{Name: "passed-through", Doc: "the watchable store picks it while it registers the watch"}),
	option.Either("created", func(o *Options) *bool { return &o.CreatedInOrder }, "the way of the answer to a create request",
		option.Val("past-channel", "through ctrlStream, past progress in the watch channel: all releases"),
		option.Val("in-order", "through the watch channel: no release")),
	option.Either("negative-start", func(o *Options) *bool { return &o.RefusesNegative },
		"what becomes of a watch from a revision below 0",
		option.Value{Name: "accepted", Doc: "the watchers that are synced with it miss their events (#20693)"},
		option.Value{Name: "refused", Doc: "it is cancelled at once"}),
	option.Either("watch-options", func(o *Options) *bool { return &o.StoresWithWatch },
		"when recvLoop stores the options of a watch",
		option.Value{Name: "after-watch", Doc: "behind its registration, so that sendLoop may take events without them: all releases"},
		option.Value{Name: "with-watch", Doc: "together with it: no release"}),
	option.Either("refused-watch-id", func(o *Options) *bool { return &o.RefusesAsAsked },
		"the id in the answer to a create request that is refused",
		option.Value{Name: "none", Doc: "-1, which no watch has"},
		option.Value{Name: "as-asked", Doc: "the one that the request names, so that watch 0 of the stream is taken for canceled (#12385)"}),
	option.Choice("fragments", func(o *Options) *Fragments { return &o.Fragments },
		"where a response to a watch is split that is too large",
		option.Value{Name: "full", Doc: "where the next event would make the fragment too large"},
		option.Value{Name: "single", Doc: "behind each event: no release"},
		option.Off("none", "nowhere: the release does not know that a watch can ask for it")),
	option.Either("refusal-reason", func(o *Options) *bool { return &o.RefusesSilently },
		"whether the answer to a create request that is refused says why",
		option.Value{Name: "named", Doc: "it does"},
		option.Value{Name: "none", Doc: "it does not"}),
	option.Either("leaderless-streams", func(o *Options) *bool { return &o.KeepsLeaderless },
		"what becomes of watch streams that require a leader when there is none",
		option.Value{Name: "ended", Doc: "they end with an error: all releases"},
		option.Value{Name: "kept", Doc: "they stay open, and their clients are sent nothing: no release"}),
	sentEventsOption,
	option.Either("named-compaction", func(o *Options) *bool { return &o.NamesAfterLast }, "the compaction that etcd names when it ends a watch because of one",
		option.Val("last", "the last one: all releases"),
		option.Bug("after-last", "the revision behind the last one: no release")),
	option.Choice("elided-ticks", func(o *Options) *ElidedTicks { return &o.ElidedTicks },
		"the watches that are sent no progress at a tick",
		option.Value{Name: "watch", Doc: "those that were sent events since the tick before: all releases"},
		option.Value{Name: "stream", Doc: "those on whose stream one was sent events: no release"},
		option.Value{Name: "for-good", Doc: "those that were ever sent events: no release"}),
)

// Amounts are the amounts that scenarios set. The others stay what etcd has, but for
// tests.
var Amounts = option.NewGroup("etcd",
	option.Count("ctrl-buf", func(o *Options) *int { return &o.CtrlStreamBufLen }, "16", "responses in a control queue (ctrlStreamBufLen)"),
	option.Count("send-window", func(o *Options) *int { return &o.SendWindow }, "no bound", "messages that a watch stream takes before Send blocks"),
	option.Count("fragment-bytes", func(o *Options) *int { return &o.FragmentBytes }, "2 MiB", "bytes from which on a response to a watch that asks for fragments is split (--max-request-bytes with gRPC's overhead)"),
	option.Duration("notify", func(o *Options) *time.Duration { return &o.ProgressNotifyInterval }, "10m, untimed none", "period of progress notifications (--watch-progress-notify-interval)"),
	option.Switch("shared-connection", func(o *Options) *bool { return &o.ReadsDelayWatches }, "a response to a watch is sent behind the answers to all earlier reads"),
)
