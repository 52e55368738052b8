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
		queued += w.incomingEventChan.Len()
		if !w.isLive() || !world.IsOpen(w.conn) {
			orphans++
		}
	}
	return watches, orphans, queued
}
