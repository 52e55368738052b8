package etcd3

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are everything about a watcher that can be set by name.
type Options struct {
	MissingPrevKv  MissingPrevKv
	RangeStream    RangeStream
	StreamFallback StreamFallback
	DecodeOptions
	Amounts
}

// MissingPrevKv is a value of MissingPrevKvs.
type MissingPrevKv uint8

// Parse returns the error with which a watch ends at an event that has no previous
// value, nil if the event is used as it is.
type Parse func(env *sim.Env, e *wire.Event) *wire.Error

// MissingPrevKvs are the ways to take a change or deletion that etcd sent without
// the previous value, because that was compacted (etcd #10681).
var MissingPrevKvs = option.NewSeam[MissingPrevKv, Parse]("missing-prev-kv",
	"what a change or deletion without the previous value does to a watch").
	Shipped("fails", "ends the watch with an error: Kubernetes from 1.15 on", func(env *sim.Env, e *wire.Event) *wire.Error {
		env.Cover(missingPrevKvFailed)
		return &wire.Error{Code: wire.Internal,
			Message: "etcd sent an event without PrevKv: " + e.Kv.Key + " at " + strconv.FormatInt(e.Kv.ModRevision, 10)}
	})

// RangeStream is the gate EtcdRangeStream.
type RangeStream uint8

const (
	// StreamDisabled: initial events and lists come in pages.
	StreamDisabled RangeStream = iota
	// StreamEnabled by default from Kubernetes 1.37 on.
	StreamEnabled
)

// StreamFallback is a value of StreamFallbacks.
type StreamFallback uint8

// FallsBack reports whether initial events whose stream ended with an error are listed in pages.
type FallsBack func(err *wire.Error) bool

// StreamFallbacks are the errors after which they are. An etcd that does not know RangeStream
// says so in the place of the first chunk, so that nothing is queued yet.
var StreamFallbacks = option.NewSeam[StreamFallback, FallsBack]("stream-fallback",
	"the errors of a RangeStream after which a watch lists its initial events in pages").
	Shipped("unimplemented", "that etcd does not know the method", func(err *wire.Error) bool { return err.Code == wire.Unimplemented })

// Choices are the options in which watchers differ.
var Choices = option.Join(watchChoices, option.Lift(decodeChoices, decode))

func decode(o *Options) *DecodeOptions { return &o.DecodeOptions }

var watchChoices = option.NewGroup("client",
	option.SeamOption(MissingPrevKvs, func(o *Options) *MissingPrevKv { return &o.MissingPrevKv }),
	option.Choice("etcd-range-stream", func(o *Options) *RangeStream { return &o.RangeStream },
		"whether etcd3 reads initial events and whole lists as a stream (EtcdRangeStream, KEP-5966)",
		option.Val("disabled", "it asks for pages: up to Kubernetes 1.36"),
		option.Val("enabled", "it tries, and asks for pages for ten minutes if etcd does not know the method")),
	option.SeamOption(StreamFallbacks, func(o *Options) *StreamFallback { return &o.StreamFallback }),
)

// gates are those that are on by default in the first Kubernetes that is built with a branch of
// clientv3: 1.37 with 3.7.
var gates = []struct {
	since    release.Since
	settings []option.Setting
}{
	{release.SinceAll("3.7.0"), option.Settings("etcd-range-stream=enabled", "watch-decode=concurrent")},
}

// GatesOf are the gates that go with a release of clientv3, which is known to be one.
func GatesOf(clientv3 string) (all []option.Setting) {
	v := release.Must(strings.TrimPrefix(clientv3, "v"))
	for _, g := range gates {
		if g.since.Includes(v) {
			all = append(all, g.settings...)
		}
	}
	return all
}

// Group is all options.
var Group = option.Join(Choices, option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }), option.Lift(decodeAmounts, decode))

// Amounts are sizes. Those left at zero are what Kubernetes has.
type Amounts struct {
	// BufSize is the number of parsed events that wait for processEvents, and the
	// number of results that wait for the cache: etcd3's incomingBufSize and
	// outgoingBufSize, 100 each. IncomingBufSize and OutgoingBufSize, if not zero,
	// are for one of the two.
	BufSize, IncomingBufSize, OutgoingBufSize int
	// SyncPageSize is the number of objects in one page of a watch's initial
	// events: etcd3's defaultWatcherMaxLimit, 10000.
	SyncPageSize int
}

// amounts are those that scenarios set.
var amounts = option.NewGroup("client",
	option.Count("client-buf", func(a *Amounts) *int { return &a.BufSize }, "100", "events in each of the two buffers of a watch (incomingBufSize, outgoingBufSize)"),
)

func (a *Amounts) setDefaults() {
	set(&a.BufSize, 100)
	set(&a.IncomingBufSize, a.BufSize)
	set(&a.OutgoingBufSize, a.BufSize)
	set(&a.SyncPageSize, 10000)
}

func set(field *int, value int) {
	if *field == 0 {
		*field = value
	}
}
