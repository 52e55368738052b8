package variant

import (
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// BufferCloseEnough is KEP-3157's first option for beta.
var BufferCloseEnough = dispatch.Buffers.Register("close-enough",
	"the watch begins when fewer revisions are missing than the channel holds; after 10 s the connection is torn down for the client to find another API server (first option for beta; needs initial-events-end=timer)", closeEnough{})

// closeEnough does not begin until fewer revisions are missing than the channel
// holds, and tears down the connection if that takes longer than
// Amounts.CloseEnoughTimeout. A watcher that is drained ends with the bookmark. With
// an end behind the interval it has nothing to do: the watch begins when no revision
// is missing, and no bookmark comes through the channel.
type closeEnough struct{ dispatch.AsShipped }

// Begin implements dispatch.Buffering.
func (closeEnough) Begin(w *dispatch.Watcher) dispatch.Beginning {
	return dispatch.Beginning{
		At:     w.Required() - int64(w.Capacity()) + 1,
		Within: w.Amounts().CloseEnoughTimeout, HardClose: true,
	}
}

// EndsDrained implements dispatch.Buffering.
func (closeEnough) EndsDrained() bool { return true }
