package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// timeBudget is how long the dispatcher may wait for watchers that do not keep up. It earns
// 50 ms a second, up to 100 ms. Untimed, the clock stands still and it earns nothing: a
// timer then means nothing about time.
type timeBudget struct {
	unbounded bool
	// left is what was not used, as of last, when it was last taken.
	left sim.Duration
	last sim.Time
}

const (
	earnedIn  = 20 // one unit of budget for so many units of time
	maxBudget = 100 * time.Millisecond
)

func (b *timeBudget) bound(budget sim.Duration) sim.Duration {
	if b.unbounded {
		return budget
	}
	return min(budget, maxBudget)
}

// takeAvailable takes all that there is.
func (b *timeBudget) takeAvailable(now sim.Time) sim.Duration {
	all := b.bound(b.left + now.Sub(b.last)/earnedIn)
	b.left, b.last = 0, now
	return all
}

// returnUnused gives back what was taken and not used.
func (b *timeBudget) returnUnused(unused sim.Duration) {
	if unused > 0 {
		b.left = b.bound(b.left + unused)
	}
}
