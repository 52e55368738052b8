package etcd

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/shown"
)

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
