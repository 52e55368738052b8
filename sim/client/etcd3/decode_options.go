package etcd3

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// DecodeOptions are how events become objects.
type DecodeOptions struct {
	// DecodesConcurrently is the gate ConcurrentWatchObjectDecode, by default from Kubernetes 1.37 on:
	// concurrentProcessEvents in place of serialProcessEvents.
	DecodesConcurrently bool
	// CollectsAsReady: collectEventProcessing takes whichever event is decoded.
	CollectsAsReady bool
	// BookmarksPass: progress is sent past the events that are still decoded.
	BookmarksPass bool
	// DecodeErrorsAside: the error of a decode is reported past the slots, and its event is left out.
	DecodeErrorsAside bool
	// DecodeTime is the longest time that the decode of an object takes.
	DecodeTime sim.Duration
	// DecodeFailures is how many objects at most cannot be decoded.
	DecodeFailures int
	// Undecodable is the value of objects that cannot be decoded wherever they are met, empty if there is none: bytes
	// in etcd that are corrupt, or no webhook that converts them.
	Undecodable string
}

var decodeChoices = option.NewGroup("client",
	option.Either("watch-decode", func(o *DecodeOptions) *bool { return &o.DecodesConcurrently },
		"how many events of a watch etcd3 decodes at the same time (ConcurrentWatchObjectDecode, KEP-6178)",
		option.Off("serial", "one: up to Kubernetes 1.36"),
		option.Val("concurrent", "ten, and sends them in the order in which they came")),
	option.Either("decode-order", func(o *DecodeOptions) *bool { return &o.CollectsAsReady }, "which decoded event a watch sends next, if several are decoded at the same time",
		option.Val("as-they-came", "the one that came first, when it is decoded"),
		option.Bug("as-ready", "whichever is decoded")),
	option.Either("bookmark-slot", func(o *DecodeOptions) *bool { return &o.BookmarksPass }, "what progress does behind events that are still decoded",
		option.Val("taken", "it takes a slot, and waits for them"),
		option.Bug("none", "it is sent past them")),
	option.Either("decode-error", func(o *DecodeOptions) *bool { return &o.DecodeErrorsAside }, "what becomes of an object that cannot be decoded",
		option.Val("in-slot", "an error in its place ends the watch"),
		option.Bug("aside", "its event is left out, and the error is reported past what is decoded")),
)

var decodeAmounts = option.NewGroup("client",
	option.Duration("decode-time", func(o *DecodeOptions) *time.Duration { return &o.DecodeTime }, "none", "the longest that etcd3 needs for the object of an event, such as a conversion webhook; at least half of it"),
	option.Text("undecodable", func(o *DecodeOptions) *string { return &o.Undecodable }, anyValue, "a value, such as w1.2, the second that writer-1 writes", "the value of an object that etcd3 cannot decode, in watches, lists and gets, until it is written anew"),
	option.Count("decode-failures", func(o *DecodeOptions) *int { return &o.DecodeFailures }, "none", "objects at most that etcd3 cannot decode, of those that come on watches"),
)

func anyValue(string) error { return nil }
