package reflector

import "github.com/watchbed/watchbed/sim"

// Config is what a reflector is made of.
type Config struct {
	// KV is the node that takes lists, Watch the one that takes watches.
	KV, Watch sim.NodeID
	// Prefix of the resource's keys, which ends in "/".
	Prefix string
	// Metadata names the gRPC stream of the watch.
	Metadata string
	// Announce: the watch says on which stream it is (wire.StreamOpened).
	Announce bool
	// PageSize is how many objects a page of a list has.
	PageSize int
	// RelistDelay is the time between the end of one ListAndWatch and the start
	// of the next.
	RelistDelay sim.Duration
	// WatchListClient: a ListAndWatch begins with a watch with initial events, and lists only if that fails.
	WatchListClient bool
	// RelistsOnError: no error of the watch is borne.
	RelistsOnError bool
	// Relist is the timer between two ListAndWatch.
	Relist sim.Timer
}
