package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/shown"
)

// Held is what a server keeps in memory on behalf of clients.
type Held struct {
	// Calls are unary calls that have no answer yet, Followers the streams of other
	// members.
	Calls, Followers int
	// Streams are watch streams.
	Streams int
	// Waiting is how many responses to watches wait in queues, and how many watchers
	// are not synced. Unknown is how many watch ids the streams keep something for that
	// no watcher has.
	Waiting, Unknown int
	// WaitingFrom is the first revision of the events that wait for a full watch channel to
	// have room again, 0 if none do.
	WaitingFrom int64
}

// Held is what the server keeps now.
func (s *Server) Held() Held {
	h := Held{Followers: len(s.replication.followers)}
	for i := range s.reads.handlers {
		if s.reads.handlers[i].used() {
			h.Calls++
		}
	}
	h.Streams, h.Waiting, h.Unknown = s.watch.Holds()
	h.WaitingFrom = s.store.WaitingFrom()
	return h
}

var _ shown.Node = (*Server)(nil)

// Show implements shown.Node.
func (s *Server) Show(visit shown.Visitor) {
	visit("revision", shown.Entry{Text: strconv.FormatInt(s.Revision(), 10)})
	var waits []shown.Entry
	for _, e := range s.log.entries[s.log.next:] {
		waits = append(waits, shown.Entry{Text: e.payload.Label()})
	}
	visit("raft log", waits...)
	s.store.Show(visit)
	s.watch.Show(visit)
}
