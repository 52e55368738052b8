package clientv3

import "github.com/watchbed/watchbed/sim/view"

// Holds is what the client library has in memory: watches that were requested and not
// forgotten, calls that are under way or wait for their next attempt, and requests and
// closing watches that wait for run.
func (c *Client) Holds() (watches, calls, waiting int) {
	for _, w := range c.watches {
		if w.state != substreamNone {
			watches++
		}
	}
	for i := range c.calls {
		if c.calls[i].state != callFree {
			calls++
		}
	}
	for _, s := range c.streams {
		waiting += s.reqc.Len()
		waiting += s.closingc.Len()
	}
	return watches, calls, waiting
}

// Show shows the responses that the subscribers have not taken.
func (c *Client) Show(visit view.Visitor) {
	var list []view.Entry
	for _, w := range c.watches {
		for _, r := range w.buf.All() {
			list = append(list, r.Entry())
		}
	}
	visit("buf", list...)
}
