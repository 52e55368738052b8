package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// pendingResponses wait until Created of their watch was sent.
type pendingResponses struct {
	id        int64
	responses []*wire.WatchResponse
}

// announced reports whether Created of a watch was sent.
func (sws *ServerWatchStream) announced(env *sim.Env, id int64) bool {
	env.ReadsItem(cellAnnounced, sws.place, watchItem(id))
	return slices.Contains(sws.send.ids, id)
}

// announce notes that Created goes out and what waited for it follows.
func (sws *ServerWatchStream) announce(env *sim.Env, id int64) {
	l := &sws.send
	env.WritesItem(cellAnnounced, sws.place, watchItem(id))
	if !slices.Contains(l.ids, id) {
		l.ids = append(l.ids, id)
	}
	for i := range l.pending {
		if l.pending[i].id != id {
			continue
		}
		env.Cover(coverPendingFlushed)
		env.ReadsItem(cellPending, sws.place, watchItem(id))
		env.WritesItem(cellPending, sws.place, watchItem(id))
		for _, r := range l.pending[i].responses {
			l.out.Push(r)
		}
		l.pending = append(l.pending[:i], l.pending[i+1:]...)
		return
	}
}

// retract notes that Canceled goes out.
func (sws *ServerWatchStream) retract(env *sim.Env, id int64) {
	l := &sws.send
	env.WritesItem(cellAnnounced, sws.place, watchItem(id))
	if i := slices.Index(l.ids, id); i >= 0 {
		l.ids = append(l.ids[:i], l.ids[i+1:]...)
	}
}

// keep has a response wait for Created of its watch.
func (sws *ServerWatchStream) keep(env *sim.Env, r *wire.WatchResponse) {
	l := &sws.send
	env.WritesItem(cellPending, sws.place, watchItem(r.WatchID))
	for i := range l.pending {
		if p := &l.pending[i]; p.id == r.WatchID {
			p.responses = append(p.responses, r)
			return
		}
	}
	l.pending = append(l.pending, pendingResponses{r.WatchID, []*wire.WatchResponse{r}})
}
