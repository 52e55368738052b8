package store

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Show shows the objects, the events in the ring, and up to where both are complete.
func (s *Store) Show(visit sim.PartVisitor) {
	visit("resourceVersion", sim.RevisionEntry(s.resourceVersion))
	var list []sim.Entry
	s.objects.tree.Ascend(func(kv *wire.KeyValue) bool {
		text := strings.TrimPrefix(kv.Key, s.cfg.Prefix) + "=" + kv.Value + " of " + strconv.FormatInt(kv.ModRevision, 10)
		list = append(list, sim.Entry{Text: text, First: kv.ModRevision, Last: kv.ModRevision})
		return true
	})
	visit("store", list...)
	var ring []sim.Entry
	for i := s.history.startIndex; i < s.history.endIndex; i++ {
		ring = append(ring, s.history.at(i).Entry())
	}
	visit("ring", ring...)
}

// Entry is the event as a part of a node's state.
func (e *Event) Entry() sim.Entry {
	rv := strconv.FormatInt(e.ResourceVersion, 10)
	if e.Bookmark {
		return sim.Entry{Text: "bookmark " + rv, UpTo: e.ResourceVersion}
	}
	return sim.Entry{Text: "event " + rv, First: e.ResourceVersion, Last: e.ResourceVersion}
}
