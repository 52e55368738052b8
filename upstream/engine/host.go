package engine

// Host decides what a guest leaves open, and takes its messages. A guest calls it while it
// runs.
type Host interface {
	// Pick says which of the goroutines that can run does so next, by its place in the list.
	Pick(runnable []Goroutine) int
	// Select says which of n cases of a select statement is taken.
	Select(g Goroutine, n int) int
	// Send takes a message, which is valid during the call only.
	Send(message []byte)
}

// Goroutine names a goroutine by what holds in each run.
type Goroutine struct {
	// Function is the one that the goroutine began with, Site the one that has the go statement.
	Function, Site string
	// Ordinal is how many goroutines the same go statement created before.
	Ordinal uint32
}
