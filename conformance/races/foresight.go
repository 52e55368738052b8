package races

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"
)

// foresight finds in the queues of a server what its stream will be sent and was not sent in
// the recording, or not in that order. A watcher that has caught up too early is found out at
// once so, and not after all that could happen until sendLoop comes to it. So is an order in
// which watchers were notified.
type foresight struct {
	server sim.NodeID
	// answers are those of the stream.
	answers []*wire.WatchResponse
	// cancelled are the watches that the client cancels: what is queued for them may never
	// be sent.
	cancelled map[int64]bool
	// created is, by watch, which of the answers says that it is created.
	created map[int64]int
	// next is, by watch, the number of the answers that are looked at next; it is kept
	// for its memory.
	next map[int64]int
	// floor is behind the answers that were found for what is in the watch channel.
	floor int
}

func newForesight(moments []Moment, server sim.NodeID) *foresight {
	f := &foresight{server: server, cancelled: map[int64]bool{}, created: map[int64]int{}, next: map[int64]int{}}
	for i := range moments {
		switch p := moments[i].Payload.(type) {
		case *wire.WatchResponse:
			if p.Created {
				f.created[p.WatchID] = len(f.answers)
			}
			f.answers = append(f.answers, p)
		case *wire.WatchCancelRequest:
			f.cancelled[p.WatchID] = true
		}
	}
	return f
}

func (f *foresight) hopeless(w *sim.World, given []int) bool {
	clear(f.next)
	f.floor = 0
	hopeless := false
	w.Node(f.server).(*etcd.Server).Queued(func(q *v3rpc.Queued) {
		if !hopeless && !f.cancelled[q.WatchID] {
			hopeless = !f.follows(q, given[stream])
		}
	})
	return hopeless
}

// follows reports whether a response is the next one of its watch in the recording, in
// which so many of the stream's answers have come.
func (f *foresight) follows(q *v3rpc.Queued, given int) bool {
	from := max(given, f.next[q.WatchID])
	if q.Created {
		// It may be queued behind events of the watch, which wait for it.
		from = given
	}
	for i := from; i < len(f.answers); i++ {
		r := f.answers[i]
		if r.WatchID != q.WatchID || r.Created != q.Created || len(r.Events) == 0 && len(q.Events) > 0 {
			continue
		}
		if !q.Created {
			f.next[q.WatchID] = i + 1
		}
		return r.Revision == q.Revision && sameEvents(r.Events, q.Events) && f.inOrder(q, i, given)
	}
	return false
}

// inOrder reports whether a response that is in the watch channel has its answer behind those of
// the responses before it there. One to a watch that is not announced yet waits for that, and lets
// others pass.
func (f *foresight) inOrder(q *v3rpc.Queued, answer, given int) bool {
	if !q.InChannel {
		return true
	}
	if answer < f.floor {
		return false
	}
	if created, ok := f.created[q.WatchID]; ok && created < given {
		f.floor = answer + 1
	}
	return true
}

// sameEvents compares all but previous values, which are read when the response is sent.
func sameEvents(a, b []wire.Event) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type || *a[i].Kv != *b[i].Kv {
			return false
		}
	}
	return true
}
