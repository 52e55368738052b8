package etcd3

import "github.com/watchbed/watchbed/sim"

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
