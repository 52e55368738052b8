package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// BufferCloseEnough is KEP-3157's first option for beta.
var BufferCloseEnough = dispatch.Buffers.Register("close-enough",
	"the watch begins when fewer revisions are missing than the channel holds; after 10 s the client is sent to another API server (first option for beta)", closeEnough{})

// closeEnough does not begin until fewer revisions are missing than the channel
// holds, and sends the client to another API server if that takes longer than
// Amounts.CloseEnoughTimeout. A watcher that is drained ends with the bookmark.
type closeEnough struct{ dispatch.AsShipped }

// Begin implements dispatch.Buffering.
func (closeEnough) Begin(w *dispatch.Watcher) dispatch.Beginning {
	return dispatch.Beginning{
		At:     w.Required() - int64(w.Capacity()) + 1,
		Within: w.Amounts().CloseEnoughTimeout,
		Late:   hardClose,
	}
}

// EndsDrained implements dispatch.Buffering.
func (closeEnough) EndsDrained() bool { return true }

// hardClose stands for a TCP connection that is torn down, so that the client
// opens the next one to another API server.
func hardClose(env *sim.Env) *wire.Error {
	env.Cover(hardClosed)
	return tooFarBehind
}

var (
	tooFarBehind = &wire.Error{Code: wire.Unavailable, Message: "the watch cache is too far behind: connect to another API server"}

	hardClosed = sim.NewSituation("cache: watch sent to another API server because the cache is too far behind")
)
