package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/shown"
)

// The cells of reads; the index is a read's number.
var (
	// cellWait is what a read asks for and waits for, and since when.
	cellWait = sim.NewCell("cache: a read's wait")
	// cellTurn is whether a waiting read is woken, and whether its time is up.
	cellTurn = sim.NewCell("cache: a read's turn")
	// cellPlaces is which numbers are taken.
	cellPlaces = sim.NewCell("cache: numbers of reads")
	// cellWaiting is which reads wait.
	cellWaiting = sim.NewCell("cache: waiting reads")
	// cellDelegated is how many lists are with etcd.
	cellDelegated = sim.NewCell("cache: lists with etcd")
	// cellGathered is which reads are to share the next question.
	cellGathered = sim.NewCell("cache: gathered reads")

	cellNotified   = sim.NewCell("cache: last progress notification")
	cellSlow       = sim.NewCell("cache: slow")
	cellLastReader = sim.NewCell("cache: revision of the last reader")
	cellLastWatch  = sim.NewCell("cache: revision of the last watch")
	cellLock       = sim.NewCell("cache: lock")
)

// Cells visits the cells of the reads.
func (d *Delegator) Cells(visit sim.CellVisitor) {
	if d.cfg.DetectsNotify {
		visit(cellNotified, 0, sim.NewDigest.Bool(d.notified.heard).Int(int64(d.notified.last)))
	}
	if d.cfg.Pagination == PaginateKept {
		visit(cellKept, 0, d.kept.digest())
	}
	if d.cfg.AvoidsSlowCache {
		visit(cellSlow, 0, sim.NewDigest.Bool(d.slow))
	}
	if d.cfg.RevisionOfLastReader {
		visit(cellLastReader, 0, sim.NewDigest.Int(d.lastReader))
	}
	if d.cfg.RevisionOfLastWatch {
		visit(cellLastWatch, 0, sim.NewDigest.Int(d.lastWatch))
	}
	if d.cfg.HoldsLock {
		visit(cellLock, 0, sim.NewDigest.Bool(d.stuck))
	}
	d.limit.Cells(visit)
	places, gathering, delegating := sim.NewDigest, sim.NewDigest, 0
	for i, r := range d.reads {
		if r.state == free {
			continue
		}
		places = places.Int(int64(i))
		switch r.state {
		case gathered:
			gathering = gathering.Int(int64(i))
		case delegated:
			if r.list != nil {
				delegating++
			}
		}
		visit(cellWait, i, r.wait())
		visit(cellTurn, i, sim.NewDigest.Bool(r.state == woken).Bool(r.expired))
	}
	visit(cellPlaces, 0, places)
	visit(cellGathered, 0, gathering)
	visit(cellDelegated, 0, sim.NewDigest.Int(int64(delegating)))
	visit(cellWaiting, 0, sim.NewDigest.Int(int64(d.waiting)))
}

// wait is the digest of what a read asks for and waits for.
func (r *Read) wait() sim.Digest {
	state := r.state
	if state == woken {
		state = waiting
	}
	h := sim.NewDigest.Word(uint64(state)<<32 | uint64(r.origin)).Int(r.wanted)
	h = h.Bool(r.consistent).Bool(r.unlimited).Bool(r.countsForProgress).Bool(r.proof != 0)
	h = h.Int(int64(r.arrived)).Int(int64(r.began)).Int(r.exact).Text(r.start)
	switch {
	case r.list != nil:
		return r.selection.fingerprint(r.list.Digest(h))
	case r.get != nil:
		return r.get.Digest(h)
	}
	return r.watch.Request().Digest(h.Int(int64(r.watch.Number())))
}

// Conns visits the connections of reads, by place.
func (d *Delegator) Conns(visit func(sim.Conn)) {
	for _, r := range d.reads {
		if r.state != free {
			visit(r.conn)
			visit(r.call)
		}
	}
}

// Relate adds to a fingerprint what depends on reads and on the requester: how far
// the proofs are from coming.
func (d *Delegator) Relate(h sim.Digest) sim.Digest {
	for i, r := range d.reads {
		if r.state != free && r.proof != 0 {
			h = h.Int(int64(i)).Int(d.cfg.Requester.Distance(r.proof))
		}
	}
	return h
}

// Show shows the reads that wait for the cache to get as far as etcd was.
func (d *Delegator) Show(visit shown.Visitor) {
	var waits []shown.Entry
	for _, r := range d.reads {
		if r.state == waiting || r.state == woken {
			waits = append(waits, shown.Entry{Text: r.label() + " for " + strconv.FormatInt(r.wanted, 10)})
		}
	}
	visit("waiting reads", waits...)
}
