package etcd

import (
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchResponse is mvcc.WatchResponse: what is in a watch channel.
type watchResponse struct {
	id              int64
	revision        int64
	compactRevision int64
	evs             []wire.Event
	// progressID is that of the request which a notification answers.
	progressID int64
	// behind is how many reads had been queued when this was put into the channel.
	behind uint64
	// created: this is the Created of CreatedInOrder.
	created bool
}

// speaksForAll reports whether a watch channel holds a response to all watches
// of the stream.
func speaksForAll(ch *fifo.Queue[watchResponse]) bool {
	for _, r := range ch.All() {
		if r.id == wire.InvalidWatchID {
			return true
		}
	}
	return false
}
