package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// BudgetBound is a value of BudgetBounds.
type BudgetBound uint8

// Bound is how much the dispatcher may keep of a budget.
type Bound func(budget sim.Duration) sim.Duration

// BudgetBounds are the ways to bound it.
var BudgetBounds = option.NewSeam[BudgetBound, Bound]("dispatch-budget",
	"how long the dispatcher waits at most for watches that do not keep up").
	Shipped("capped", "100 ms, of which it earns 50 ms a second", func(budget sim.Duration) sim.Duration { return min(budget, maxBudget) })

// timeBudget is upstream's: how long the dispatcher may wait for watchers that do
// not keep up. It earns 50 ms a second, up to its bound. Untimed, the clock stands
// still and it earns nothing: a timer then means nothing about time.
type timeBudget struct {
	bound  Bound
	budget sim.Duration
	last   sim.Time
}

const (
	budgetEarnedIn = 20 // one unit of budget for so many units of time
	maxBudget      = 100 * time.Millisecond
)

func (b *timeBudget) takeAvailable(now sim.Time) sim.Duration {
	all := b.bound(b.budget + now.Sub(b.last)/budgetEarnedIn)
	b.budget, b.last = 0, now
	return all
}

func (b *timeBudget) returnUnused(unused sim.Duration) {
	if unused > 0 {
		b.budget = b.bound(b.budget + unused)
	}
}
