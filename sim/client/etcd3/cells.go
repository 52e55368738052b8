package etcd3

import (
	"github.com/watchbed/watchbed/sim"
)

// The cells of a watcher: the number of places, with index 0, and those of each
// watch.
var (
	cellWatches = sim.NewCell("etcd3: watches")
	// cellStartWatching is where startWatching is.
	cellStartWatching = sim.NewCell("etcd3: startWatching")
	// cellResponse is the rest of a response that does not fit into
	// incomingEventChan.
	cellResponse = sim.NewCell("etcd3: response")
	// cellErr is the error that waits for room in resultChan.
	cellErr = sim.NewCell("etcd3: error")
	// cellIncoming is incomingEventChan, by running number.
	cellIncoming = sim.NewCell("etcd3: incomingEventChan")
	// cellSlots is the events that are decoded.
	cellSlots = sim.NewCell("etcd3: processingQueue")
	// cellFailures is how many decodes may still fail, with index 0.
	cellFailures = sim.NewCell("etcd3: decodes that may fail")
	// cellPage is the last page of initial events, cellQueued how many of them are
	// queued.
	cellPage   = sim.NewCell("etcd3: page of initial events")
	cellQueued = sim.NewCell("etcd3: initial events queued")
	// cellUnsupported is what is known of etcd, with index 0, cellLists the number of places
	// of lists, with index 0, and cellList a list that is streamed.
	cellUnsupported = sim.NewCell("etcd3: RangeStream is not supported")
	cellLists       = sim.NewCell("etcd3: lists")
	cellList        = sim.NewCell("etcd3: list")
)

// Cells lists the cells as sim.Celled does.
func (c *Watcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	visit(cellWatches, 0, sim.NewDigest.Int(int64(len(c.watches))))
	if c.decodeFailures > 0 {
		visit(cellFailures, 0, sim.NewDigest.Int(int64(c.decodeFailures)))
	}
	if c.unsupported.marked {
		visit(cellUnsupported, 0, sim.NewDigest.Int(int64(c.unsupported.at)))
	}
	if len(c.lists) > 0 {
		visit(cellLists, 0, sim.NewDigest.Int(int64(len(c.lists))))
	}
	for i := range c.lists {
		if l := &c.lists[i]; l.used() {
			visit(cellList, i, l.digest())
		}
	}
	for i, w := range c.watches {
		w.cells(i, visit)
	}
}

func (w *watchChan) cells(i int, visit func(k sim.CellKind, index int, contents sim.Digest)) {
	if w.state == watchFree {
		return
	}
	starting := sim.NewDigest.Word(uint64(w.state)<<32|uint64(w.from)).Text(w.prefix).Text(w.ctxKey).Bool(w.progressNotify).Bool(w.selects).If(w.withoutPrevKV, "without prevKV")
	if w.end == "" {
		starting = starting.Text("single")
	}
	visit(cellStartWatching, i, starting)
	if w.response != nil {
		visit(cellResponse, i, w.response.Digest(sim.NewDigest.Int(int64(w.next))))
	}
	if w.err != nil {
		visit(cellErr, i, w.err.Digest(sim.NewDigest))
	}
	if w.incomingEventChan.Len() > 0 {
		d := sim.NewDigest
		for _, e := range w.incomingEventChan.All() {
			d = e.digest(d)
		}
		visit(cellIncoming, i, d)
	}
	if len(w.slots) > 0 {
		d := sim.NewDigest
		for i := range w.slots {
			d = w.slots[i].digest(d)
		}
		visit(cellSlots, i, d)
	}
	if s := &w.sync; s.step != syncDone {
		d := sim.NewDigest.Word(uint64(s.step)).Bool(s.more).Text(s.lastKey).Int(s.rev).Bool(s.items != nil)
		for _, kv := range s.items {
			d = kv.Digest(d)
		}
		if s.stream != sim.NoConn {
			d = d.Text("stream")
		}
		visit(cellPage, i, d)
		visit(cellQueued, i, sim.NewDigest.Int(int64(s.next)).Bool(s.endBookmark))
	}
}

// Conns visits the connections of watches and of lists, by place, as sim.Connected does.
func (c *Watcher) Conns(visit func(sim.Conn)) {
	for _, w := range c.watches {
		if w.isLive() {
			visit(w.conn)
			visit(w.sync.stream)
		}
	}
	for i := range c.lists {
		if l := &c.lists[i]; l.used() {
			visit(l.caller)
			visit(l.stream)
		}
	}
}

// isLive reports whether the watch has a cache.
func (w *watchChan) isLive() bool { return w.state != watchFree && w.state != watchDone }
