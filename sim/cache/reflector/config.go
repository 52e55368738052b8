package reflector

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

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
	// Listing is how a ListAndWatch begins.
	Listing Listing
	// Retry is what follows an error of the watch.
	Retry Retry
	// Relist is the timer between two ListAndWatch.
	Relist sim.Timer
}

// Listing chooses how a ListAndWatch begins.
type Listing uint8

// Listings are the ways to begin a ListAndWatch.
var Listings = option.NewSeam[Listing, func(*Reflector, *sim.Env)]("reflector-list", "how the cache gets its contents").
	Shipped("list", "it lists in etcd, page by page, and then watches", (*Reflector).List)

// Pages is the shipped value.
const Pages Listing = 0

// The other values of the option reflector-list.
var (
	WatchList = Listings.Register("watch-list", "it watches with initial events, and lists if that fails (default since Kubernetes 1.35)", (*Reflector).WatchList)
)
