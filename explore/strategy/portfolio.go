package strategy

import "github.com/watchbed/watchbed/sim"

var _ = Register(portfolio())

// Members are those of the portfolio, which take turns in this order. A change of it changes
// the run of every seed.
func Members() []Strategy {
	return []Strategy{Paced(), Random(), urw(), pct(3), pos(), weights()}
}

// portfolio lets six strategies take turns, by seed: a bug that one of them misses
// is found by another, at up to six times the number of seeds. It is the default.
func portfolio() Strategy {
	return Strategy{
		Name: "portfolio", Summary: "paced, random, urw, pct3, pos and weights take turns",
		New: func(p Profile) Chooser {
			c := &portfolioChooser{}
			for _, s := range Members() {
				c.members = append(c.members, s.New(p))
			}
			return c
		},
	}
}

type portfolioChooser struct {
	members []Chooser
	turn    Chooser
}

func (c *portfolioChooser) Begin(seed uint64) {
	c.turn = c.members[seed%uint64(len(c.members))]
	c.turn.Begin(seed)
}

func (c *portfolioChooser) Pick(w *sim.World, enabled []sim.Action) int {
	return c.turn.Pick(w, enabled)
}

func (c *portfolioChooser) Choose(w *sim.World, n int, what string) int {
	return c.turn.Choose(w, n, what)
}
