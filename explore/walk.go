package explore

import "github.com/watchbed/watchbed/sim"

// Random is the random walk: each enabled action and each answer is as likely
// as any other, timers and faults included. It is the yardstick for the rest.
// It does not find what needs one short task to come last.
func Random() Strategy {
	return Strategy{
		Name: "random", Summary: "random walk: every enabled action equally likely",
		make: func(Profile) Chooser { return &walk{} },
	}
}

type walk struct{ random random }

func (c *walk) Begin(seed uint64) { c.random.seed(seed, 'w') }

func (c *walk) Pick(_ *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	return c.random.below(len(enabled))
}

func (c *walk) Choose(_ *sim.World, n int, _ string) int { return c.random.below(n) }
