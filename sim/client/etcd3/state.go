package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim/shown"
)

// Show shows what is decoded, and behind it what waits in the incomingEventChan of each watch.
func (c *Watcher) Show(visit shown.Visitor) {
	var list []shown.Entry
	for _, w := range c.watches {
		for i := range w.slots {
			list = append(list, w.slots[i].event.entry())
		}
		for _, e := range w.incomingEventChan.All() {
			list = append(list, e.entry())
		}
	}
	visit("incomingEventChan", list...)
}

func (e event) entry() shown.Entry {
	rev := e.rev
	switch {
	case e.event != nil:
		rev = e.event.Kv.ModRevision
	case e.item != nil:
		rev = e.item.ModRevision
	default:
		return shown.Entry{Text: "progress " + strconv.FormatInt(rev, 10), UpTo: rev}
	}
	return shown.Entry{Text: "event " + strconv.FormatInt(rev, 10), First: rev, Last: rev}
}
