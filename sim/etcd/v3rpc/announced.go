package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// pendingResponse waits until Created of its watch was sent.
type pendingResponse struct{ *wire.WatchResponse }

// Item implements state.Numbered.
func (r *pendingResponse) Item() int64 { return r.WatchID + 1 }

// announce notes that Created goes out and what waited for it follows.
func (sws *ServerWatchStream) announce(env *sim.Env, id int64) {
	sws.ids.Set(env, id, true)
	for r := range sws.pending.Take(env, func(r *pendingResponse) bool { return r.WatchID == id }) {
		env.Cover(coverPendingFlushed)
		sws.send.out.Push(r.WatchResponse)
	}
}
