package explore

import "github.com/watchbed/watchbed/sim"

// POS is partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency
// Sampling, CAV 2018). Each pending event has a random priority, the highest one
// runs, and the events that race with it draw anew, so that the order of events
// that do not race is not what the randomness is spent on.
//
// Deviations. Events race if they change the same node: a step may read and
// write all of its node's state. A run twice as long as any trial run goes on as
// a random walk, so that it ends. Choices inside steps are drawn as answers says.
func POS() Strategy {
	return Strategy{
		Name: "pos", Summary: "random priority for each event, redrawn for those it races with (POS)",
		make: func(p Profile) Chooser { return &pos{patience: p.patience()} },
	}
}

type pos struct {
	answers
	patience int
	events   []prioritized
}

// prioritized is the pending event of a slot.
type prioritized struct {
	rank uint64
	// since is when the event became possible, plus 1; 0 if it must draw.
	since uint32
}

func (c *pos) Begin(seed uint64) {
	c.answers.begin(seed)
	clear(c.events)
}

func (c *pos) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.random.below(len(enabled))
	}
	best, top := 0, uint64(0)
	for i := range enabled {
		a := &enabled[i]
		for int(a.Slot) >= len(c.events) {
			c.events = append(c.events, prioritized{})
		}
		e := &c.events[a.Slot]
		if e.since != a.Since+1 {
			*e = prioritized{c.random.next() | 1, a.Since + 1}
		}
		if e.rank > top {
			best, top = i, e.rank
		}
	}
	node := enabled[best].Node
	for i := range enabled {
		if enabled[i].Node == node {
			c.events[enabled[i].Slot].since = 0
		}
	}
	return best
}
