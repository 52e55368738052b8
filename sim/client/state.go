package client

import "github.com/watchbed/watchbed/sim/shown"

var _ shown.Node = (*Client)(nil)

// Show implements shown.Node.
func (c *Client) Show(visit shown.Visitor) {
	c.library.Show(visit)
	c.watcher.Show(visit)
}
