package faults

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// refuse refuses a request of an informer, or ends its watch with an error, whichever
// API server it is at.
func refuse(label string, n *Informer, with *sim.Refuse) sim.Fault {
	f := &wherever{name: "refuse " + label}
	for _, to := range n.Servers {
		at := *with
		at.From, at.To, at.Label = n.ID, to, label
		f.each = append(f.each, &at)
	}
	return f
}

// refusals are what an API server answers that has nothing to do with its cache: API
// Priority and Fairness has no seat, with and without Retry-After; an error inside; and
// history that this server does not have.
var refusals = []*wire.Error{
	{Code: wire.TooManyRequests, Message: "too many requests: retry after 1 s", RetryAfter: 1},
	{Code: wire.TooManyRequests, Message: "too many requests"},
	{Code: wire.Internal, Message: "internal error"},
	{Code: wire.ErrCompacted, Message: "too old resource version"},
}

func refusal(kind int, call bool) sim.Payload {
	if call {
		return refusals[kind]
	}
	return &wire.WatchEvent{Type: wire.Failed, Err: refusals[kind]}
}

// busy is what API Priority and Fairness answers when no seat gets free for long: its
// Retry-After grows to 32 s.
func busy(int, bool) sim.Payload {
	return &wire.Error{Code: wire.TooManyRequests, Message: "too many requests: retry after 30 s", RetryAfter: 30}
}
