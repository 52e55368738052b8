package clientv3

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
