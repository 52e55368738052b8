package clientv3

import (
	"github.com/watchbed/watchbed/sim"
)

// The cells of streams, by place. cellStreams has index 0.
var (
	// cellStreams is the number of places.
	cellStreams = sim.NewCell("clientv3: streams")
	// cellRun is where run is.
	cellRun     = sim.NewCell("clientv3: run")
	cellBackoff = sim.NewCell("clientv3: backoff")
	// cellSubstreams are the watches that are registered, with their ids, and
	// cellResuming those that are to be. An item of both is watchItem.
	cellSubstreams = sim.NewCell("clientv3: substreams")
	cellResuming   = sim.NewCell("clientv3: resuming")
	// cellReqc is by request.item, cellClosingc by watchItem, cellCancelSet by
	// idItem.
	cellReqc      = sim.NewCell("clientv3: reqc")
	cellClosingc  = sim.NewCell("clientv3: closingc")
	cellCancelSet = sim.NewCell("clientv3: cancelSet")
	// cellCur are the fragments of a response so far.
	cellCur      = sim.NewCell("clientv3: fragments")
	cellCloseErr = sim.NewCell("clientv3: closeErr")
)

// The cells of watches, by the subscriber's number.
var (
	// cellSubstream is where serveSubstream is.
	cellSubstream = sim.NewCell("clientv3: serveSubstream")
	// cellNextRev is the revision from which the watch resumes.
	cellNextRev = sim.NewCell("clientv3: nextRev")
	// cellBuf is by running number.
	cellBuf = sim.NewCell("clientv3: buf")
)

// The cells of unary calls: the number of places, with index 0, and each call.
var (
	cellCalls = sim.NewCell("clientv3: unary calls")
	cellCall  = sim.NewCell("clientv3: unary call")
)

// cellEndpoint is the member at which the next stream is opened, with index 0.
var cellEndpoint = sim.NewCell("clientv3: endpoint of the next stream")

// watchItem is a watch as an entry of a list.
func watchItem(watch int32) int64 { return int64(watch) + 1 }

// item is a request as an entry of reqc: at most one for each watch and for each
// connection waits there.
func (r request) item() int64 {
	if r.watch != noWatch {
		return watchItem(r.watch)
	}
	return 1<<32 + int64(r.caller)
}

// idItem is a watch id as an entry of cancelSet.
func idItem(id int64) int64 { return id + 1 }

// Cells lists the cells as sim.Celled does.
func (c *Client) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	visit(cellStreams, 0, sim.NewDigest.Int(int64(len(c.streams))))
	if c.nextEndpoint > 0 {
		visit(cellEndpoint, 0, sim.NewDigest.Int(int64(c.nextEndpoint)))
	}
	for i, s := range c.streams {
		s.cells(i, visit)
	}
	for i, w := range c.watches {
		w.cells(i, visit)
	}
	visit(cellCalls, 0, sim.NewDigest.Int(int64(len(c.calls))))
	for i := range c.calls {
		if u := &c.calls[i]; u.state != callFree {
			visit(cellCall, i, u.digest())
		}
	}
}

func (s *Stream) cells(i int, visit func(k sim.CellKind, index int, contents sim.Digest)) {
	if s.state == streamFree {
		return
	}
	visit(cellRun, i, sim.NewDigest.Word(uint64(s.state)).Text(s.ctxKey))
	visit(cellBackoff, i, sim.NewDigest.Int(int64(s.backoff)))
	for _, c := range [...]struct {
		kind     sim.CellKind
		contents sim.Digest
	}{
		{cellSubstreams, s.registered()}, {cellResuming, list(s.resuming)}, {cellReqc, s.requests()},
		{cellClosingc, list(s.closingc.All())}, {cellCancelSet, s.cancelled()},
	} {
		if c.contents != sim.NewDigest {
			visit(c.kind, i, c.contents)
		}
	}
	if s.cur != nil {
		visit(cellCur, i, s.cur.Digest(sim.NewDigest))
	}
	if s.closeErr != nil {
		visit(cellCloseErr, i, s.closeErr.Digest(sim.NewDigest))
	}
}

func (s *Stream) registered() sim.Digest {
	d := sim.NewDigest
	for _, w := range s.substreams {
		d = d.Int(int64(w)).Int(s.c.watches[w].id)
	}
	return d
}

func (s *Stream) requests() sim.Digest {
	d := sim.NewDigest
	for _, r := range s.reqc.All() {
		d = d.Int(int64(r.watch))
	}
	return d
}

// cancelled is a digest of a set: the order in which ids came makes no difference.
func (s *Stream) cancelled() sim.Digest {
	d := sim.NewDigest
	for _, id := range s.cancelSet {
		d = d.And(sim.NewDigest.Int(id))
	}
	return d
}

func list(watches []int32) sim.Digest {
	d := sim.NewDigest
	for _, w := range watches {
		d = d.Int(int64(w))
	}
	return d
}

func (w *watcherStream) cells(i int, visit func(k sim.CellKind, index int, contents sim.Digest)) {
	if w.state == substreamNone {
		return
	}
	d := sim.NewDigest.Word(uint64(w.state)<<32 | uint64(w.stream)).Text(w.Key).Bool(w.ProgressNotify).Bool(w.created)
	if w.closeErr != nil {
		d = w.closeErr.Digest(d)
	}
	visit(cellSubstream, i, d)
	visit(cellNextRev, i, sim.NewDigest.Int(w.Rev))
	if w.buf.Len() > 0 {
		d := sim.NewDigest
		for _, p := range w.buf.All() {
			d = p.Digest(d)
		}
		visit(cellBuf, i, d)
	}
}

func (u *unaryCall) digest() sim.Digest {
	d := sim.NewDigest.Word(uint64(u.state)<<32 | uint64(u.from)).Int(int64(u.attempts)).Int(int64(u.watch))
	return u.request.Digest(d)
}

// Conns visits the connections of calls and of streams, by place, as sim.Connected does.
func (c *Client) Conns(visit func(sim.Conn)) {
	for i := range c.calls {
		if u := &c.calls[i]; u.state != callFree {
			visit(u.caller)
			visit(u.conn)
		}
	}
	for _, s := range c.streams {
		if s.state == streamFree {
			continue
		}
		visit(s.conn)
		for _, r := range s.reqc.All() {
			visit(r.caller)
		}
	}
}
