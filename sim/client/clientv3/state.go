package clientv3

import "github.com/watchbed/watchbed/sim/shown"

// Show shows the responses that the subscribers have not taken.
func (c *Client) Show(visit shown.Visitor) {
	var list []shown.Entry
	for _, w := range c.watches {
		for _, r := range w.buf.All() {
			list = append(list, r.Entry())
		}
	}
	visit("buf", list...)
}
