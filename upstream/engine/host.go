package engine

// Host decides what a guest leaves open, and takes its messages. A guest calls it while it
// runs.
type Host interface {
	// Pick says which of the goroutines that can run does so next, by its place in the list. There may be just
	// one. None has all of them wait until the guest runs again; it is possible if the guest receives: if one of its
	// goroutines waits for the next message.
	Pick(runnable []Goroutine, receives bool) int
	// Select says which of n cases of a select statement is taken.
	Select(g Goroutine, n int) int
	// Lock says whether a goroutine that is about to take a lock lets others go first. It is asked if there are others
	// that can run.
	Lock(g Goroutine) bool
	// CanSend reports whether a connection takes another message now. A guest that asks, asks before it sends.
	CanSend(conn uint32) bool
	// Send takes a message, which is valid during the call only.
	Send(message []byte)
}

// None is what Pick returns if no goroutine is to run for now.
const None = -1

// Goroutine names a goroutine by what holds in each run.
type Goroutine struct {
	// Function is the one that the goroutine began with, Site the one that has the go statement.
	Function, Site string
	// Ordinal is how many goroutines the same go statement created before.
	Ordinal uint32
	// Syncs: it waits until a file is on the disk. If it is picked, that is so.
	Syncs bool
}
