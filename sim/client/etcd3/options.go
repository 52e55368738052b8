package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options are everything about a watcher that can be set by name.
type Options struct {
	MissingPrevKv MissingPrevKv
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

// Choices are the options in which watchers differ.
var Choices = option.NewGroup("client",
	option.SeamOption(MissingPrevKvs, func(o *Options) *MissingPrevKv { return &o.MissingPrevKv }),
)

// Group is all options.
var Group = option.Join(Choices, option.Lift(amounts, func(o *Options) *Amounts { return &o.Amounts }))

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
