package etcd3

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// Holds is how many watches there are, how many of them no cache holds the other end
// of, and how many events they have queued.
func (c *Watcher) Holds(world *sim.World) (watches, orphans, queued int) {
	for w := range c.watches.Used() {
		watches++
		queued += w.incomingEventChan.Value().Len() + len(*w.slots.Value())
		if l := w.loop.Value(); !l.isLive() || !world.IsOpen(l.conn) {
			orphans++
		}
	}
	return watches, orphans, queued
}

// Decodes reports whether an event of a watch is decoded at a place.
func (c *Watcher) Decodes(watch, place int) bool {
	w := c.watches.At(watch)
	switch {
	case !w.loop.Value().isLive():
		return false
	case !c.cfg.DecodesConcurrently:
		return place == 0 && w.incomingEventChan.Value().Len() > 0
	}
	slots := *w.slots.Value()
	i := placed(slots, place)
	return i >= 0 && !slots[i].done
}

// Lists is how many lists are streamed.
func (c *Watcher) Lists() int { return c.lists.Len() }

// LongestQueue is the number of events of the watch that has queued most, and the number
// that its buffer holds.
func (c *Watcher) LongestQueue() (queued, size int) {
	for _, w := range c.watches.All() {
		queued = max(queued, w.incomingEventChan.Value().Len())
	}
	return queued, c.cfg.IncomingBufSize
}

// Show shows what is decoded, and behind it what waits in the incomingEventChan of each watch.
func (c *Watcher) Show(visit sim.PartVisitor) {
	var list []sim.Entry
	for _, w := range c.watches.All() {
		for _, s := range *w.slots.Value() {
			list = append(list, s.event.entry())
		}
		for _, e := range w.incomingEventChan.Value().All() {
			list = append(list, e.entry())
		}
	}
	visit("incomingEventChan", list...)
}

func (e event) entry() sim.Entry {
	rev := e.rev
	switch {
	case e.event != nil:
		rev = e.event.Kv.ModRevision
	case e.item != nil:
		rev = e.item.ModRevision
	default:
		return sim.Entry{Text: "progress " + strconv.FormatInt(rev, 10), UpTo: rev}
	}
	return sim.Entry{Text: "event " + strconv.FormatInt(rev, 10), First: rev, Last: rev}
}
