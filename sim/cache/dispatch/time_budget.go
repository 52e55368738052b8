package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// timeBudget is upstream's: how long the dispatcher may wait for watchers that do
// not keep up. It earns 50 ms a second, up to 100 ms. Untimed, the clock stands
// still and it earns nothing: a timer then means nothing about time.
type timeBudget struct {
	budget sim.Duration
	last   sim.Time
}

const (
	budgetEarnedIn = 20 // one unit of budget for so many units of time
	maxBudget      = 100 * time.Millisecond
)

func (b *timeBudget) takeAvailable(now sim.Time) sim.Duration {
	all := min(b.budget+now.Sub(b.last)/budgetEarnedIn, maxBudget)
	b.budget, b.last = 0, now
	return all
}

func (b *timeBudget) returnUnused(unused sim.Duration) {
	if unused > 0 {
		b.budget = min(b.budget+unused, maxBudget)
	}
}
