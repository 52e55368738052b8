package etcd3

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// DecodeOptions are how events become objects.
type DecodeOptions struct {
	WatchDecode  WatchDecode
	Collection   Collection
	BookmarkSlot BookmarkSlot
	DecodeError  DecodeError
	// DecodeTime is the longest time that the decode of an object takes.
	DecodeTime sim.Duration
	// DecodeFailures is how many objects at most cannot be decoded.
	DecodeFailures int
	// Undecodable is the value of objects that cannot be decoded wherever they are met, empty if there is none: bytes
	// in etcd that are corrupt, or no webhook that converts them.
	Undecodable string
}

// WatchDecode is the gate ConcurrentWatchObjectDecode.
type WatchDecode uint8

const (
	// Serial is serialProcessEvents.
	Serial WatchDecode = iota
	// Concurrent is concurrentProcessEvents, by default from Kubernetes 1.37 on.
	Concurrent
)

// decodeRules are the values of the seams of concurrentProcessEvents.
type decodeRules struct {
	collect            Collect
	bookmarksTakeSlots bool
	errorsInOrder      bool
}

// Collection is a value of Collections.
type Collection uint8

// Collect is the slot that the collector takes, of so many, -1 if it waits. done says of which
// the result is there.
type Collect func(slots int, done func(i int) bool) int

// Collections are the ways to choose it.
var Collections = option.NewSeam[Collection, Collect]("decode-order", "which decoded event a watch sends next, if several are decoded at the same time").
	Shipped("as-they-came", "the one that came first, when it is decoded", func(slots int, done func(i int) bool) int {
		if slots > 0 && done(0) {
			return 0
		}
		return -1
	})

// BookmarkSlot is a value of BookmarkSlots.
type BookmarkSlot uint8

// BookmarkSlots say whether progress waits in a slot for what came before it.
var BookmarkSlots = option.NewSeam[BookmarkSlot, bool]("bookmark-slot", "what progress does behind events that are still decoded").
	Shipped("taken", "it takes a slot, and waits for them", true)

// DecodeError is a value of DecodeErrors.
type DecodeError uint8

// DecodeErrors say whether the error of a decode comes in the place of its event and ends
// everything.
var DecodeErrors = option.NewSeam[DecodeError, bool]("decode-error", "what becomes of an object that cannot be decoded").
	Shipped("in-slot", "an error in its place ends the watch", true)

var decodeChoices = option.NewGroup("client",
	option.Choice("watch-decode", func(o *DecodeOptions) *WatchDecode { return &o.WatchDecode },
		"how many events of a watch etcd3 decodes at the same time (ConcurrentWatchObjectDecode, KEP-6178)",
		option.Val("serial", "one: up to Kubernetes 1.36"),
		option.Val("concurrent", "ten, and sends them in the order in which they came")),
	option.SeamOption(Collections, func(o *DecodeOptions) *Collection { return &o.Collection }),
	option.SeamOption(BookmarkSlots, func(o *DecodeOptions) *BookmarkSlot { return &o.BookmarkSlot }),
	option.SeamOption(DecodeErrors, func(o *DecodeOptions) *DecodeError { return &o.DecodeError }),
)

var decodeAmounts = option.NewGroup("client",
	option.Duration("decode-time", func(o *DecodeOptions) *time.Duration { return &o.DecodeTime }, "none", "the longest that etcd3 needs for the object of an event, such as a conversion webhook; at least half of it"),
	option.Text("undecodable", func(o *DecodeOptions) *string { return &o.Undecodable }, anyValue, "a value, such as w1.2, the second that writer-1 writes", "the value of an object that etcd3 cannot decode, in watches, lists and gets, until it is written anew"),
	option.Count("decode-failures", func(o *DecodeOptions) *int { return &o.DecodeFailures }, "none", "objects at most that etcd3 cannot decode, of those that come on watches"),
)

func anyValue(string) error { return nil }
