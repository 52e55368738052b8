package model

// Outcome says what a client knows of its operation in the end.
type Outcome uint8

// A Done operation was answered. A Failed one was refused and had no effect.
// An Unknown one was given up: it may have happened, may happen later, or never.
const (
	Done Outcome = iota
	Failed
	Unknown
)

// Operation is one line of a history: what a client asked, when, and what it was
// answered. Call and Return are readings of one strictly increasing counter of
// the whole run, never of a clock: porcupine's intervals are closed, so two equal
// readings would make operations concurrent that were not. An Unknown operation
// has no return; its Return is math.MaxInt64.
type Operation struct {
	Client       int
	Call, Return int64
	Request      *Request
	Result       *Result
	Outcome      Outcome
	// Server names the server that answered. It is for readers only and may be
	// empty.
	Server string
	// Commit is the revision at which a write took effect, where ground truth
	// is at hand: -1 if it never did, 0 if that is unknown. Judges use it for
	// Unknown outcomes only.
	Commit int64
}

// History is what all clients of one run recorded.
type History struct {
	// Clients are the names that Operation.Client indexes.
	Clients []string
	// Initial is the store before the first operation.
	Initial Initial
	// Operations are in the order of their calls.
	Operations []Operation
	// Watchers are the clients that watched.
	Watchers []Watcher
	// Partial: other clients may have written, of which nothing is recorded.
	Partial bool
}

// Watcher is what one client was sent that watched, over all of its streams.
type Watcher struct {
	Client  string
	Streams []WatchStream
}

// Initial is the contents of a store before a history starts.
type Initial struct {
	Revision  int64
	Compacted int64
	Items     []*Item
}
