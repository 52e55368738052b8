package strategy

import "github.com/watchbed/watchbed/sim"

var _ = Register(pos())

// pos is partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency
// Sampling, CAV 2018). Each pending event has a random priority, the highest one
// runs, and the events that race with it draw anew. So randomness is spent on the
// order of events that race, and not on that of the others.
//
// Deviations. Events race if they change the same node: a step may read and
// write all of its node's state. A run twice as long as any trial run goes on as
// a random walk, so that it ends. Questions inside steps are answered by Answers.
func pos() Strategy {
	return Strategy{
		Name: "pos", Summary: "random priority for each event, redrawn for those it races with (POS)",
		New: func(p Profile) Chooser { return &posChooser{patience: p.patience()} },
	}
}

type posChooser struct {
	Answers
	patience int
	// salts hold a number for each node; an event of the node changes it.
	salts []uint64
}

func (c *posChooser) Begin(seed uint64) {
	c.Answers.Begin(seed)
	c.salts = c.salts[:0]
}

// Pick does not store priorities. The priority of an event is a function of its
// slot, of when it became possible, and of the salt of its node; so it changes at
// once for all events that race.
func (c *posChooser) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.rand.Below(len(enabled))
	}
	for w.Nodes() > len(c.salts) {
		c.salts = append(c.salts, c.rand.Next())
	}
	var top uint64
	for i := range enabled {
		a := &enabled[i]
		rank := sim.Seeded(c.salts[a.Node]).Word(uint64(a.Slot)<<32 | uint64(a.Since))
		top = max(top, ranked(rank.Sum(), i))
	}
	best := int(top & rankIndex)
	c.salts[enabled[best].Node] += goldenGamma
	return best
}
