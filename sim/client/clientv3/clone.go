package clientv3

import "slices"

// CloneTo makes another client a copy of this one, for another subscriber.
// Messages are shared, they never change.
func (c *Client) CloneTo(to *Client, s Subscriber) {
	*to = Client{cfg: c.cfg, subscriber: s, nextEndpoint: c.nextEndpoint, calls: slices.Clone(c.calls), outages: slices.Clone(c.outages)}
	streams, watches := make([]Stream, len(c.streams)), make([]watcherStream, len(c.watches))
	to.streams = make([]*Stream, len(c.streams))
	for i, s := range c.streams {
		n := &streams[i]
		*n = *s
		n.c = to
		n.substreams, n.resuming, n.cancelSet = slices.Clone(s.substreams), slices.Clone(s.resuming), slices.Clone(s.cancelSet)
		n.abandoned = slices.Clone(s.abandoned)
		n.reqc, n.closingc = s.reqc.Clone(), s.closingc.Clone()
		to.streams[i] = n
	}
	to.watches = make([]*watcherStream, len(c.watches))
	for i, w := range c.watches {
		n := &watches[i]
		*n = *w
		n.c = to
		n.buf = w.buf.Clone()
		to.watches[i] = n
	}
}
