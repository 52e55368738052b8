package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/shown"
)

var (
	// cellHandOver is the event on its way to the dispatcher; an item is its
	// resourceVersion.
	cellHandOver = sim.NewCell("cache: event to hand over")
	// cellHalfTaken is a change of which the cache has the object or the version.
	cellHalfTaken = sim.NewCell("cache: change that is halfway in")
)

var _ shown.Node = (*Cache)(nil)

// Show implements shown.Node.
func (c *Cache) Show(visit shown.Visitor) {
	c.store.Show(visit)
	c.dispatcher.Show(visit)
	c.reads.Show(visit)
}
