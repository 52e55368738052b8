package store

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/view"
	"github.com/watchbed/watchbed/sim/wire"
)

// Show shows the objects, the events in the ring, and up to where both are complete.
func (s *Store) Show(visit view.Visitor) {
	visit("resourceVersion", view.Revision(s.resourceVersion))
	var list []view.Entry
	s.objects.tree.Ascend(func(kv *wire.KeyValue) bool {
		text := strings.TrimPrefix(kv.Key, s.cfg.Prefix) + "=" + kv.Value + " of " + strconv.FormatInt(kv.ModRevision, 10)
		list = append(list, view.Entry{Text: text, First: kv.ModRevision, Last: kv.ModRevision})
		return true
	})
	visit("store", list...)
	var ring []view.Entry
	for i := s.history.startIndex; i < s.history.endIndex; i++ {
		ring = append(ring, s.history.at(i).Entry())
	}
	visit("ring", ring...)
}

// Entry is the event as a part of a node's state.
func (e *Event) Entry() view.Entry {
	rv := strconv.FormatInt(e.ResourceVersion, 10)
	if e.Bookmark {
		return view.Entry{Text: "bookmark " + rv, UpTo: e.ResourceVersion}
	}
	return view.Entry{Text: "event " + rv, First: e.ResourceVersion, Last: e.ResourceVersion}
}
