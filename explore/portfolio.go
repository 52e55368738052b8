package explore

import "github.com/watchbed/watchbed/sim"

// Portfolio lets six strategies take turns, by seed: what one of them misses,
// another finds, at six times its price. It is the default.
func Portfolio() Strategy {
	return Strategy{
		Name: "portfolio", Summary: "paced, random, urw, pct3, pos and weights take turns",
		make: func(p Profile) Chooser {
			c := &portfolio{}
			for _, s := range []Strategy{Paced(), Random(), URW(), PCT(3), POS(), Weights()} {
				c.members = append(c.members, s.make(p))
			}
			return c
		},
	}
}

type portfolio struct {
	members []Chooser
	turn    Chooser
}

func (c *portfolio) Begin(seed uint64) {
	c.turn = c.members[seed%uint64(len(c.members))]
	c.turn.Begin(seed)
}

func (c *portfolio) Pick(w *sim.World, enabled []sim.Action) int { return c.turn.Pick(w, enabled) }

func (c *portfolio) Choose(w *sim.World, n int, what string) int { return c.turn.Choose(w, n, what) }
