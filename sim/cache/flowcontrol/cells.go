package flowcontrol

import "github.com/watchbed/watchbed/sim"

var (
	// cellSeats is which requests have seats, and the virtual time.
	cellSeats = sim.NewCell("cache: seats")
	// cellQueues is which requests wait for seats.
	cellQueues = sim.NewCell("cache: queues of requests")
)

// Cells visits the cells of the level.
func (l *Level) Cells(visit sim.CellVisitor) {
	if !l.Limits() {
		return
	}
	seats := sim.NewDigest.Int(l.virtual).Int(int64(l.last)).Int(int64(l.arrivals))
	for i := range l.executing {
		r := &l.executing[i]
		seats = r.digest(seats).Bool(r.begun).Int(int64(r.AtEtcd))
	}
	waiting := sim.NewDigest
	for n := range l.queues {
		q := &l.queues[n]
		if len(q.waiting) == 0 && q.next == 0 {
			continue
		}
		waiting = waiting.Int(int64(n)).Int(q.next)
		for i := range q.waiting {
			waiting = q.waiting[i].digest(waiting)
		}
	}
	visit(cellSeats, 0, seats)
	visit(cellQueues, 0, waiting)
}

func (r *Request) digest(h sim.Digest) sim.Digest {
	h = r.Message.Payload.Digest(h.Int(int64(r.Message.From)))
	return h.Int(int64(r.Number)).Int(int64(r.Arrived)).Int(int64(r.Seats))
}
