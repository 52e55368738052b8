package read

import "github.com/watchbed/watchbed/sim"

// The cells of reads; the index is a read's number.
var (
	// cellWait is what a read asks for and waits for, and since when.
	cellWait = sim.NewCell("cache: a read's wait")
	// cellTurn is whether a waiting read is woken, and whether its time is up.
	cellTurn = sim.NewCell("cache: a read's turn")
	// cellPlaces is which numbers are taken.
	cellPlaces = sim.NewCell("cache: numbers of reads")
	// cellWaiting is which reads wait.
	cellWaiting = sim.NewCell("cache: waiting reads")
	// cellDelegated is how many lists are with etcd.
	cellDelegated = sim.NewCell("cache: lists with etcd")
)
