package strategy

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

var _ = Register(Paced())

// Paced is a random walk that knows how long timers are; it comes from no paper.
// Untimed any timer may fire at any point. So in a random walk most reads time out
// after 3 s in which nothing else took any time, and a run says little about the
// reads that are answered. Here a timer that is as long as one turn of everything
// else is half as likely as a message, and a longer one less so. The length of
// such a turn is drawn for each run, from that of an idle machine to that of an
// overloaded one: some violations need a timer that fires promptly, others need
// that none fires for long. Its blind spot: long timers that must fire at once.
func Paced() Strategy {
	return Strategy{
		Name: "paced", Summary: "random walk; the longer a timer, the less likely",
		New: func(p Profile) Chooser { return &pacedChooser{patience: p.patience()} },
	}
}

type pacedChooser struct {
	rand     Rand
	patience int
	turn     sim.Duration
	weights  []int
}

// fullWeight is the weight of an action that takes no time.
const fullWeight = 1 << 10

// turns begin at etcd's shortest timer, the 10 ms of syncVictimsLoop, and go
// beyond the 100 ms of syncWatchersLoop.
var turns = [...]sim.Duration{10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond}

func (c *pacedChooser) Begin(seed uint64) {
	c.rand.Seed(seed, 'p')
	c.turn = turns[c.rand.Below(len(turns))]
}

func (c *pacedChooser) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.rand.Below(len(enabled))
	}
	c.weights = c.weights[:0]
	sum := 0
	for i := range enabled {
		weight := fullWeight
		switch a := &enabled[i]; a.Kind {
		case sim.Fire:
			weight = max(1, int(fullWeight*c.turn/(c.turn+w.Wait(*a))))
		case sim.Inject:
			weight = fullWeight / 16
		}
		c.weights = append(c.weights, weight)
		sum += weight
	}
	at := c.rand.Below(sum)
	for i, weight := range c.weights {
		if at < weight {
			return i
		}
		at -= weight
	}
	panic("strategy: weights do not add up")
}

func (c *pacedChooser) Choose(_ *sim.World, n int, _ string) int { return c.rand.Below(n) }
