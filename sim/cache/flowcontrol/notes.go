package flowcontrol

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
)

type (
	// queued: a request waits for seats.
	queued struct {
		from                sim.NodeID
		what                string
		seats, taken, limit int
	}
	// seated: one that waited has its seats.
	seated struct {
		from  sim.NodeID
		what  string
		seats int
	}
	// seatsKept: a watch keeps its seats after its initial events.
	seatsKept struct {
		from  sim.NodeID
		what  string
		seats int
	}
	// refused: one is answered with 429.
	refused struct {
		from sim.NodeID
		what string
		why  Why
	}
	// costs: a LIST is put to etcd with fewer seats than that costs.
	costs struct {
		from        sim.NodeID
		seats, cost int
	}
)

func (n queued) Text(w *sim.World) string {
	return fmt.Sprintf("%s's %s needs %s of %d, and %d are taken: it waits in a queue", w.NodeName(n.from), n.what, seats(n.seats), n.limit, n.taken)
}

func (n seated) Text(w *sim.World) string {
	return fmt.Sprintf("%s's %s has its %s and begins", w.NodeName(n.from), n.what, seats(n.seats))
}

func (n seatsKept) Text(w *sim.World) string {
	return fmt.Sprintf("%s's %s has its initial events, and keeps its %s", w.NodeName(n.from), n.what, seats(n.seats))
}

func (n refused) Text(w *sim.World) string {
	because := "no seats are free and its queue is full"
	if n.why == TimeOut {
		because = "it has waited too long for seats"
	}
	return fmt.Sprintf("refuses %s's %s with 429: %s", w.NodeName(n.from), n.what, because)
}

func (n costs) Text(w *sim.World) string {
	return fmt.Sprintf("%s's LIST has %s, and costs %d at etcd", w.NodeName(n.from), seats(n.seats), n.cost)
}

// seats is a number of them in words.
func seats(n int) string {
	if n == 1 {
		return "1 seat"
	}
	return fmt.Sprintf("%d seats", n)
}
