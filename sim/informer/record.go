package informer

// Record is what happened to an informer since the world began.
type Record struct {
	// Restarts counts those of its process.
	Restarts int
	// Requests counts the WatchLists that were requested, Requested is the
	// resourceVersion of the last request.
	Requests  int
	Requested int64
	// Streamed counts the WatchLists that filled the store, Listed the LISTs that
	// did, Fallbacks those LISTs that followed a WatchList that had failed.
	Streamed, Listed, Fallbacks int
	// Checked counts the comparisons of the consistency detector. Panicked: one of
	// them found a difference, and the informer has stopped.
	Checked  int
	Panicked bool
}
