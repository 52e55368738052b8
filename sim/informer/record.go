package informer

// Record is what happened to an informer since the world began.
type Record struct {
	// Restarts counts those of its process.
	Restarts int
	// Requests counts the WatchLists that were asked for, Requested is the
	// resourceVersion that the last of them named.
	Requests  int
	Requested int64
	// Streamed counts the WatchLists that came to their end and filled the
	// store, Listed the LISTs that did, Fallbacks those among them that followed
	// a WatchList that had failed.
	Streamed, Listed, Fallbacks int
	// Checked counts the answers of the consistency detector, Panicked reports
	// whether one of them was a difference; the informer is dead then.
	Checked  int
	Panicked bool
}
