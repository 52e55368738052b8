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
	i := l.pendingOf(id)
	if i < 0 {
		return
	}
	env.Cover(coverPendingFlushed)
	env.ReadsItem(cellPending, sws.place, watchItem(id))
	env.WritesItem(cellPending, sws.place, watchItem(id))
	for _, r := range l.pending[i].responses {
		l.out.Push(r)
	}
	l.pending = slices.Delete(l.pending, i, i+1)
}

// pendingOf is the place of what waits for Created of a watch, -1 if nothing does.
func (l *sendLoop) pendingOf(id int64) int {
	return slices.IndexFunc(l.pending, func(p pendingResponses) bool { return p.id == id })
}

// retract notes that Canceled goes out.
func (sws *ServerWatchStream) retract(env *sim.Env, id int64) {
	l := &sws.send
	env.WritesItem(cellAnnounced, sws.place, watchItem(id))
	l.ids = slices.DeleteFunc(l.ids, func(other int64) bool { return other == id })
}

// keep has a response wait for Created of its watch.
func (sws *ServerWatchStream) keep(env *sim.Env, r *wire.WatchResponse) {
	l := &sws.send
	env.WritesItem(cellPending, sws.place, watchItem(r.WatchID))
	kept.Say(env, response{r}, r.WatchID, sws.watch.Name)
	if i := l.pendingOf(r.WatchID); i >= 0 {
		l.pending[i].responses = append(l.pending[i].responses, r)
		return
	}
	l.pending = append(l.pending, pendingResponses{r.WatchID, []*wire.WatchResponse{r}})
}
