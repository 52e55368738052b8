package shell

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watch is a client's watch of the cache. The client takes its events until Next
// returns an error, or calls Stop.
type Watch struct {
	cache *Cache
	conn  sim.Conn
	// events stands for the response that is sent to the client: what it does
	// not take fills this channel, then the watcher's own in the cache.
	events chan *wire.WatchEvent
	// begun receives the outcome of the request, once: nil if the watch is established.
	begun chan *wire.Error
	// beginning is the call of Watch, in whose name etcd is asked.
	beginning *call
	// isBegun: that was sent. Only the loop looks at it.
	isBegun bool
	// inHand is an event that found no room in events. The lane from the cache is
	// held then, and held makes the caller of Next ask the loop for more.
	inHand *wire.WatchEvent
	held   atomic.Bool
	// forget stops the wait for the caller's context.
	forget func() bool
}

// responseBuffer is how many events are between the cache and the caller.
const responseBuffer = 100

// Next returns the next event. Its error is a *StatusError if the watch failed
// (410 if it begins too far back), io.EOF if the cache ended it without saying
// why (watch again from the last resourceVersion), ErrClosed if the cache is
// closed, or that of ctx, after which Next may be called again.
func (w *Watch) Next(ctx context.Context) (*wire.WatchEvent, error) {
	select {
	case e, ok := <-w.events:
		if !ok {
			return nil, io.EOF
		}
		if w.held.CompareAndSwap(true, false) {
			w.cache.loop.post(w.cache.clientsID, w.resume)
		}
		if e.Type == wire.Failed {
			return nil, statusError(e.Err)
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.cache.loop.done:
		return nil, ErrClosed
	}
}

// Stop ends the watch. It may be called more than once.
func (w *Watch) Stop() {
	w.forget()
	w.stop()
}

func (w *Watch) stop() { w.cache.loop.post(w.cache.clientsID, w.end) }

// begins takes the first message of the watch: unless the cache refuses the request, that
// is wire.WatchEstablished. It returns false if the message is an event.
func (w *Watch) begins(m sim.Payload) bool {
	if w.isBegun {
		return false
	}
	var refused *wire.Error
	switch p := m.(type) {
	case *wire.WatchEstablished:
	case *wire.WatchEvent:
		refused = p.Err
	default:
		refused = interrupted
	}
	w.isBegun = true
	w.cache.clients.release(w.beginning)
	w.begun <- refused
	return true
}

// interrupted is what a request is answered that the cache gives up without a word.
var interrupted = &wire.Error{Code: wire.Unavailable, Message: "the cache was started over while the watch was being established"}

// take passes an event on, or keeps it and takes no other.
func (w *Watch) take(env *sim.Env, e *wire.WatchEvent) {
	// Said before it is tried: a caller that makes room in between must know.
	w.held.Store(true)
	select {
	case w.events <- e:
		w.held.Store(false)
	default:
		w.inHand = e
		env.Hold(w.conn)
	}
}

// resume goes on after the caller has made room.
func (w *Watch) resume(env *sim.Env) {
	if w.inHand == nil || w.cache.clients.watches[w.conn] != w {
		return
	}
	e := w.inHand
	w.inHand = nil
	if w.take(env, e); w.inHand == nil {
		env.Release(w.conn)
	}
}

// end closes the watch from the caller's side.
func (w *Watch) end(env *sim.Env) {
	clients := w.cache.clients
	if clients.watches[w.conn] != w {
		return
	}
	delete(clients.watches, w.conn)
	if !w.isBegun {
		clients.release(w.beginning)
	}
	env.Close(w.conn)
	close(w.events)
}
