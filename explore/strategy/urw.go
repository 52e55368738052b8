package strategy

import "github.com/watchbed/watchbed/sim"

var _ = Register(urw())

// urw is the uniform random walk (Zhao, Wolff, Mathur, Roychoudhury: Selectively
// Uniform Concurrency Testing, ASPLOS 2025): a slot is chosen with probability
// proportional to the events that it still has ahead. It samples all interleavings
// of independent tasks with equal probability.
//
// Deviations. The counts are those of the profile, and a slot is taken to have
// at least one event left. Slots are numbered as they come into being, so the
// counts of connections that only some runs open are a guess. Questions inside
// steps are answered by Answers.
func urw() Strategy {
	return Strategy{
		Name: "urw", Summary: "each task as likely as it has events left (URW)",
		New: func(p Profile) Chooser { return &urwChooser{expected: p.Events} },
	}
}

type urwChooser struct {
	Answers
	// expected and left are numbers of events by slot.
	expected, left []uint32
}

func (c *urwChooser) Begin(seed uint64) {
	c.Answers.Begin(seed)
	c.left = append(c.left[:0], c.expected...)
}

func (c *urwChooser) Pick(_ *sim.World, enabled []sim.Action) int {
	var sum uint64
	for i := range enabled {
		slot := int(enabled[i].Slot)
		for slot >= len(c.left) {
			c.left = append(c.left, 0)
		}
		sum += uint64(max(c.left[slot], 1))
	}
	picked := 0
	if len(enabled) > 1 {
		at := uint64(c.rand.Below(int(sum)))
		for {
			n := uint64(max(c.left[enabled[picked].Slot], 1))
			if at < n {
				break
			}
			at -= n
			picked++
		}
	}
	if n := &c.left[enabled[picked].Slot]; *n > 0 {
		*n--
	}
	return picked
}
