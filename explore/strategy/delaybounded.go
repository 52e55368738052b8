package strategy

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

var _ = Register(delayBounded(5))

// delayBounded is delay-bounded scheduling (Emmi, Qadeer, Rakamaric:
// Delay-Bounded Scheduling, POPL 2011). A deterministic scheduler runs the head
// of a queue of slots until it has nothing to do; at up to so many random picks
// the head is sent to the tail instead. Few delays already give many of the
// orders that matter.
//
// Deviations. A timer that fired goes to the tail, as a thread that yields,
// because in an untimed world a periodic one would stay the head for good. A
// run twice as long as any trial run goes on as a random walk, so that it ends.
// A question inside a step is answered with the first option, unless one of the
// delays is spent on it: in timed runs these are the answers that make something
// late.
func delayBounded(delays int) Strategy {
	return Strategy{
		Name: "delay" + strconv.Itoa(delays), Summary: "round robin with up to " + strconv.Itoa(delays) + " delays",
		New: func(p Profile) Chooser {
			return &delayChooser{at: make([]int, delays), k: max(p.Picks, 1), questions: p.Questions, patience: p.patience()}
		},
	}
}

type delayChooser struct {
	rand               Rand
	k, picks, patience int
	// questions is how many a run is expected to ask, asked how many there were.
	questions, asked int
	// at are the picks at which a delay is spent, from 1 on. Numbers above k stand
	// for questions: k+1 is the first one.
	at []int
	// place is the place in the queue by slot, 0 if it has none yet; tail is the
	// last one. Places differ by 2^16, which leaves room for ranked.
	place []uint64
	tail  uint64
}

func (c *delayChooser) Begin(seed uint64) {
	c.rand.Seed(seed, 'd')
	c.picks, c.asked, c.tail = 0, 0, 0
	clear(c.place)
	for i := range c.at {
		c.at[i] = 1 + c.rand.Below(c.k+c.questions)
	}
}

func (c *delayChooser) Choose(_ *sim.World, n int, _ string) int {
	c.asked++
	for _, at := range c.at {
		if at == c.k+c.asked {
			return 1 + c.rand.Below(n-1)
		}
	}
	return 0
}

func (c *delayChooser) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	c.picks++
	if w.Steps() > c.patience {
		return c.rand.Below(len(enabled))
	}
	head := c.head(enabled)
	for _, at := range c.at {
		if at == c.picks && at <= c.k {
			c.sendToTail(&enabled[head])
			head = c.head(enabled)
		}
	}
	if a := &enabled[head]; a.Kind == sim.Fire {
		c.sendToTail(a)
	}
	return head
}

func (c *delayChooser) head(enabled []sim.Action) int {
	first := ^uint64(0)
	for i := range enabled {
		slot := int(enabled[i].Slot)
		for slot >= len(c.place) {
			c.place = append(c.place, 0)
		}
		if c.place[slot] == 0 {
			c.sendToTail(&enabled[i])
		}
		first = min(first, ranked(c.place[slot], i))
	}
	return int(first & rankIndex)
}

func (c *delayChooser) sendToTail(a *sim.Action) {
	c.tail += 1 << 16
	c.place[a.Slot] = c.tail
}
