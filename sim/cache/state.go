package cache

import "github.com/watchbed/watchbed/sim/shown"

var _ shown.Node = (*Cache)(nil)

// Show implements shown.Node.
func (c *Cache) Show(visit shown.Visitor) {
	c.store.Show(visit)
	c.dispatcher.Show(visit)
	c.reads.Show(visit)
}
