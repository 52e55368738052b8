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
	// salts hold a number for each node; an event of the node changes it.
	salts []sim.Digest
}

func (c *pos) Begin(seed uint64) {
	c.answers.begin(seed)
	c.salts = c.salts[:0]
}

// Pick does not store priorities: one is a function of the event (its slot and
// when it became possible) and of the salt of its node. So it changes for all
// that race at once.
func (c *pos) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.random.below(len(enabled))
	}
	for w.Nodes() > len(c.salts) {
		c.salts = append(c.salts, sim.Digest(c.random.next()))
	}
	var top uint64
	for i := range enabled {
		a := &enabled[i]
		rank := c.salts[a.Node].Word(uint64(a.Slot)<<32 | uint64(a.Since))
		top = max(top, ranked(uint64(rank), i))
	}
	best := int(top & rankIndex)
	c.salts[enabled[best].Node] += goldenGamma
	return best
}
