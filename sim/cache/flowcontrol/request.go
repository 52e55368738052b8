package flowcontrol

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Request is a request that waits for seats or has them.
type Request struct {
	// Message is the request as it came.
	Message sim.Message
	// Number counts the requests of a process in the order of their arrival.
	Number int
	// Arrived is when it came, About what was known of the resource then, and Seats
	// what was estimated from that.
	Arrived sim.Time
	About   Resource
	Seats   int
	// Queue is the number of the one in which it waits or has waited.
	Queue int
	// AtEtcd is what a LIST would have been estimated at that is put to etcd, since it
	// is; 0 as long as it is not.
	AtEtcd int
	// Sending is when it is over, since its answer is being sent; 0 before.
	Sending sim.Time

	// begun: it is being executed. One that has left its queue begins with the next turn
	// of its goroutine.
	begun bool
}

// Digest implements state.Digester.
func (r *Request) Digest(h sim.Digest) sim.Digest {
	h = r.Message.Payload.Digest(h.Int(int64(r.Message.From)))
	return h.Int(int64(r.Number)).Int(int64(r.Arrived)).Int(int64(r.Seats)).Bool(r.begun).Int(int64(r.AtEtcd)).Int(int64(r.Sending))
}

// Begun reports whether a request that has seats is being executed.
func (r *Request) Begun() bool { return r.begun }

// List is the LIST that is asked for, nil if it is something else.
func (r *Request) List() *wire.ListRequest {
	list, _ := r.Message.Payload.(*wire.ListRequest)
	return list
}

// Why says for what a request was refused.
type Why uint8

// The reasons.
const (
	// QueueFull: all seats were taken, and the queue held as many as it may.
	QueueFull Why = iota
	// TimeOut: it waited for as long as it may.
	TimeOut
	// CostlyAtEtcd: it was to be put to etcd, and there were no seats for what that
	// costs (fallback-seats=at-etcd).
	CostlyAtEtcd
)

// Refusal is a request that was answered with 429.
type Refusal struct {
	Request
	At  sim.Time
	Why Why
}

// Grant is a request that was given its seats. A request that is answered in the step in which it came is never in the
// list of executing requests between two steps.
type Grant struct {
	Request
	At sim.Time
}

// TooManyRequests is the answer to a request that gets no seats.
var TooManyRequests = &wire.Error{Code: wire.TooManyRequests, Message: "too many requests, please try again later", RetryAfter: 1}
