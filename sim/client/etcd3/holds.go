package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/view"
)

// Holds is how many watches there are, how many of them no cache holds the other end
// of, and how many events they have queued.
func (c *Watcher) Holds(world *sim.World) (watches, orphans, queued int) {
	for _, w := range c.watches {
		if w.state == watchFree {
			continue
		}
		watches++
		queued += w.incomingEventChan.Len() + len(w.slots)
		if !w.isLive() || !world.IsOpen(w.conn) {
			orphans++
		}
	}
	return watches, orphans, queued
}

// Lists is how many lists are streamed.
func (c *Watcher) Lists() int {
	n := 0
	for i := range c.lists {
		if c.lists[i].used() {
			n++
		}
	}
	return n
}

// LongestQueue is the number of events of the watch that has queued most, and the number
// that its buffer holds.
func (c *Watcher) LongestQueue() (queued, size int) {
	for _, w := range c.watches {
		queued = max(queued, w.incomingEventChan.Len())
	}
	return queued, c.cfg.IncomingBufSize
}

// Show shows what is decoded, and behind it what waits in the incomingEventChan of each watch.
func (c *Watcher) Show(visit view.Visitor) {
	var list []view.Entry
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

func (e event) entry() view.Entry {
	rev := e.rev
	switch {
	case e.event != nil:
		rev = e.event.Kv.ModRevision
	case e.item != nil:
		rev = e.item.ModRevision
	default:
		return view.Entry{Text: "progress " + strconv.FormatInt(rev, 10), UpTo: rev}
	}
	return view.Entry{Text: "event " + strconv.FormatInt(rev, 10), First: rev, Last: rev}
}
