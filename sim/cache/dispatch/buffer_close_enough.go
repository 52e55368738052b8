package dispatch

import "github.com/watchbed/watchbed/sim/wire"

// closeEnough does not begin until fewer revisions are missing than the channel
// holds, and sends the client to another API server if that takes longer than
// Amounts.CloseEnoughTimeout. A watcher that is drained ends with the bookmark.
type closeEnough struct{ AsShipped }

// Begin implements Buffering.
func (closeEnough) Begin(w *Watcher) Beginning {
	return Beginning{
		At:     w.required - int64(w.capacity) + 1,
		Within: w.dispatcher.cfg.CloseEnoughTimeout,
		Late:   hardClose,
	}
}

// EndsDrained implements Buffering.
func (closeEnough) EndsDrained() bool { return true }

// hardClose stands for a TCP connection that is torn down, so that the client
// opens the next one to another API server.
var hardClose = &wire.Error{Code: wire.Unavailable, Message: "the watch cache is too far behind: connect to another API server"}
