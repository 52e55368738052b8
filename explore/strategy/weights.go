package strategy

import "github.com/watchbed/watchbed/sim"

var _ = Register(weights())

// weights is a random walk in which some actions are fast and some are slow, for
// the length of a run. The idea is that of swarm testing (Groce, Zhang, Eide,
// Chen, Regehr: Swarm Testing, ISSTA 2012), which leaves out a random subset of
// features per run. Each slot, each node and each kind of action (so timers and
// faults as a whole) draws a weight between 1 and 1/128; an action's weight is the
// product of the three.
//
// Deviations. What swarm testing leaves out comes last here, instead of never. A
// run twice as long as any trial run goes on as a random walk, so that it ends.
func weights() Strategy {
	return Strategy{
		Name: "weights", Summary: "random walk; tasks, nodes and timers are fast or slow, drawn per run",
		New: func(p Profile) Chooser { return &weightsChooser{patience: p.patience()} },
	}
}

type weightsChooser struct {
	Answers
	patience int
	// bySlot is 0 if none was drawn yet.
	bySlot []uint32
}

// maxHalvings is how often each of the three factors halves a weight at most.
const maxHalvings = 7

func (c *weightsChooser) Begin(seed uint64) {
	c.Answers.Begin(seed)
	clear(c.bySlot)
}

func (c *weightsChooser) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.rand.Below(len(enabled))
	}
	var sum uint64
	for i := range enabled {
		slot := int(enabled[i].Slot)
		for slot >= len(c.bySlot) {
			c.bySlot = append(c.bySlot, 0)
		}
		if c.bySlot[slot] == 0 {
			c.bySlot[slot] = c.draw(&enabled[i])
		}
		sum += uint64(c.bySlot[slot])
	}
	at := uint64(c.rand.Below(int(sum)))
	for i := range enabled {
		n := uint64(c.bySlot[enabled[i].Slot])
		if at < n {
			return i
		}
		at -= n
	}
	panic("strategy: weights do not add up")
}

// draw does not depend on when a slot is first seen: the same seed favours the
// same nodes however the run goes.
func (c *weightsChooser) draw(a *sim.Action) uint32 {
	halvings := 0
	for _, factor := range [3]uint64{
		1<<32 | uint64(a.Slot), 2<<32 | uint64(a.Node), 3<<32 | uint64(a.Kind),
	} {
		halvings += int(mix(c.salt+factor*goldenGamma) % (maxHalvings + 1))
	}
	return 1 << (3*maxHalvings - halvings)
}
