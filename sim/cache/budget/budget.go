// Package budget is upstream's timeBudget: how long a dispatcher may wait for watches that
// do not keep up.
//
// The package imports sim and sim/option. It must never import sim/cache or sim/cache/dispatch.
package budget

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Bound is a value of Bounds.
type Bound uint8

// Cap is how much the dispatcher may keep of a budget.
type Cap func(budget sim.Duration) sim.Duration

// Bounds are the ways to bound it.
var Bounds = option.NewSeam[Bound, Cap]("dispatch-budget",
	"how long the dispatcher waits at most for watches that do not keep up").
	Shipped("capped", "100 ms, of which it earns 50 ms a second", func(budget sim.Duration) sim.Duration { return min(budget, maxBudget) })

// Budget is how long the dispatcher may wait for watchers that do not keep up. It earns
// 50 ms a second, up to its bound. Untimed, the clock stands still and it earns nothing: a
// timer then means nothing about time.
type Budget struct {
	bound Cap
	// Left is what was not used, as of Last, when it was last taken.
	Left sim.Duration
	Last sim.Time
}

const (
	earnedIn  = 20 // one unit of budget for so many units of time
	maxBudget = 100 * time.Millisecond
)

// New is the budget of a new process.
func New(b Bound) Budget { return Budget{bound: Bounds.Of(b)} }

// TakeAvailable takes all that there is.
func (b *Budget) TakeAvailable(now sim.Time) sim.Duration {
	all := b.bound(b.Left + now.Sub(b.Last)/earnedIn)
	b.Left, b.Last = 0, now
	return all
}

// ReturnUnused gives back what was taken and not used.
func (b *Budget) ReturnUnused(unused sim.Duration) {
	if unused > 0 {
		b.Left = b.bound(b.Left + unused)
	}
}
