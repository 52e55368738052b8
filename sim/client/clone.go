package client

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Clone implements sim.Cloner. Messages are shared, they never change.
func (c *Client) Clone() sim.Node {
	n := &Client{cfg: c.cfg, streams: slices.Clone(c.streams), watches: slices.Clone(c.watches), calls: slices.Clone(c.calls)}
	for i := range n.streams {
		s := &n.streams[i]
		s.substreams, s.resuming, s.cancelSet = slices.Clone(s.substreams), slices.Clone(s.resuming), slices.Clone(s.cancelSet)
		s.reqc, s.closingc = s.reqc.Clone(), s.closingc.Clone()
	}
	for i := range n.watches {
		w := &n.watches[i]
		w.substream.buf, w.incomingEventChan = w.substream.buf.Clone(), w.incomingEventChan.Clone()
	}
	return n
}

// Fingerprint implements sim.Fingerprinter. Connection numbers depend on the
// past; they are mixed in only where nothing else tells two watches or calls
// of one caller apart.
func (c *Client) Fingerprint(d sim.Digest) sim.Digest {
	for i := range c.streams {
		d = c.streams[i].fingerprint(d)
	}
	for i := range c.watches {
		w := &c.watches[i]
		d = w.fingerprint(d)
		if c.hasTwin(w) {
			d = d.Word(uint64(w.conn))
		}
	}
	for i := range c.calls {
		u := &c.calls[i]
		d = d.Word(uint64(u.state)<<32 | uint64(u.from))
		if u.state == callFree {
			continue
		}
		d = u.request.Digest(d.Int(int64(u.attempts)))
		if u.watch != noWatch {
			d = d.Int(int64(u.watch))
		}
		if slices.ContainsFunc(c.calls, func(o unaryCall) bool {
			return o.state != callFree && o.caller != u.caller && o.from == u.from && o.request.Digest(d) == u.request.Digest(d)
		}) {
			d = d.Word(uint64(u.caller))
		}
	}
	return d
}

// hasTwin reports whether the caller of a watch has another one that looks the
// same to it but for its connection.
func (c *Client) hasTwin(w *watchChan) bool {
	if w.state == watchFree || w.state == watchDone {
		return false
	}
	for i := range c.watches {
		o := &c.watches[i]
		if o != w && o.state != watchFree && o.state != watchDone && o.from == w.from && o.substream.key == w.substream.key {
			return true
		}
	}
	return false
}

func (s *watchGrpcStream) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(s.state))
	if s.state == streamFree {
		return d
	}
	d = d.Text(s.ctxKey).Int(int64(s.backoff)).Bool(s.closeErr != nil)
	for _, list := range [3][]int32{s.substreams, s.resuming, s.closingc.All()} {
		d = d.Int(int64(len(list)))
		for _, w := range list {
			d = d.Int(int64(w))
		}
	}
	d = d.Int(int64(s.reqc.Len()))
	for _, r := range s.reqc.All() {
		d = d.Int(int64(r.watch))
	}
	// A set: the order in which ids came does not matter.
	var cancelled uint64
	for _, id := range s.cancelSet {
		cancelled += uint64(sim.NewDigest.Int(id))
	}
	d = d.Word(cancelled)
	if s.cur != nil {
		d = s.cur.Digest(d)
	}
	return d
}

func (w *watchChan) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(w.state)<<32 | uint64(w.from))
	if w.state == watchFree {
		return d
	}
	d = w.sync.fingerprint(d)
	ws := &w.substream
	d = d.Word(uint64(ws.state)<<32 | uint64(ws.stream)).Int(ws.id).Text(ws.key).Int(ws.rev).Bool(ws.progressNotify).Bool(ws.created)
	d = d.Int(int64(ws.buf.Len()))
	for _, p := range ws.buf.All() {
		d = p.Digest(d)
	}
	if w.response != nil {
		d = w.response.Digest(d.Int(int64(w.next)))
	}
	d = d.Int(int64(w.incomingEventChan.Len()))
	for _, e := range w.incomingEventChan.All() {
		d = d.Int(e.rev).Bool(e.isInitialEventsEndBookmark)
		if e.item != nil {
			d = e.item.Digest(d)
		}
		if ev := e.event; ev != nil {
			d = ev.Kv.Digest(d.Word(uint64(ev.Type)))
			if ev.PrevKv != nil {
				d = ev.PrevKv.Digest(d)
			}
		}
	}
	if w.err != nil {
		d = w.err.Digest(d)
	}
	if ws.closeErr != nil {
		d = ws.closeErr.Digest(d)
	}
	return d
}
