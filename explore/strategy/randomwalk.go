package strategy

import "github.com/watchbed/watchbed/sim"

var _ = Register(Random())

// Random is the random walk: each enabled action and each answer is equally
// likely, timers and faults included. The other strategies are measured by it.
// Its blind spot: one short task that must come last.
func Random() Strategy {
	return Strategy{
		Name: "random", Summary: "random walk: every enabled action equally likely",
		New:        func(Profile) Chooser { return &randomWalk{} },
		Unprofiled: true,
	}
}

type randomWalk struct{ rand Rand }

func (c *randomWalk) Begin(seed uint64) { c.rand.Seed(seed, 'w') }

func (c *randomWalk) Pick(_ *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	return c.rand.Below(len(enabled))
}

func (c *randomWalk) Choose(_ *sim.World, n int, _ string) int { return c.rand.Below(n) }
