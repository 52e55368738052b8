package explore

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// DelayBounded is delay-bounded scheduling (Emmi, Qadeer, Rakamaric:
// Delay-Bounded Scheduling, POPL 2011). A deterministic scheduler runs the head
// of a queue of slots until it has nothing to do; at up to so many random picks
// the head is sent to the tail instead. Few delays already give many of the
// orders that matter.
//
// Deviations. A timer that fired goes to the tail, as a thread that yields,
// because in an untimed world a periodic one would stay the head for good. A
// run twice as long as any trial run goes on as a random walk, so that it ends.
// Choices inside steps take the first option, unless one of the delays strikes
// there: in timed runs that is where things get late.
func DelayBounded(delays int) Strategy {
	return Strategy{
		Name: "delay" + strconv.Itoa(delays), Summary: "round robin with up to " + strconv.Itoa(delays) + " delays",
		make: func(p Profile) Chooser {
			return &delayBounded{at: make([]int, delays), k: max(p.Picks, 1), questions: p.Questions, patience: p.patience()}
		},
	}
}

type delayBounded struct {
	random             random
	k, picks, patience int
	// questions is how many there are in a run, asked how many there were.
	questions, asked int
	// at are the picks at which a delay strikes, from 1 on, and after k of them
	// the questions.
	at []int
	// place is the place in the queue by slot, 0 if it has none yet; tail is the
	// last one. They go up in steps that leave room for ranked.
	place []uint64
	tail  uint64
}

func (c *delayBounded) Begin(seed uint64) {
	c.random.seed(seed, 'd')
	c.picks, c.asked, c.tail = 0, 0, 0
	clear(c.place)
	for i := range c.at {
		c.at[i] = 1 + c.random.below(c.k+c.questions)
	}
}

func (c *delayBounded) Choose(_ *sim.World, n int, _ string) int {
	c.asked++
	for _, at := range c.at {
		if at == c.k+c.asked {
			return 1 + c.random.below(n-1)
		}
	}
	return 0
}

func (c *delayBounded) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	c.picks++
	if w.Steps() > c.patience {
		return c.random.below(len(enabled))
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

func (c *delayBounded) head(enabled []sim.Action) int {
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

func (c *delayBounded) sendToTail(a *sim.Action) {
	c.tail += 1 << 16
	c.place[a.Slot] = c.tail
}
