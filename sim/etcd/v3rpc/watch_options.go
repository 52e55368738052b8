package v3rpc

// WatchOptions is when recvLoop stores what a create request asks for: progress,
// previous values and fragments.
type WatchOptions uint8

const (
	// StoredAfterWatch: in a step of its own behind the registration, under
	// serverWatchStream.mu. Events that sendLoop takes in between have no previous values
	// and are not split.
	StoredAfterWatch WatchOptions = iota
	// StoredWithWatch: together with it, which no release does.
	StoredWithWatch
)
