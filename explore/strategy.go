package explore

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// Chooser is a strategy at work. It serves one runner.
type Chooser interface {
	sim.Chooser
	// Begin starts the run of a seed. What happened before must not matter to
	// it.
	Begin(seed uint64)
}

// Strategy is a way from seeds to choices. Each has a blind spot; Portfolio
// hides one strategy's behind the others'.
type Strategy struct {
	// Name is what people and recordings call it.
	Name string
	// Summary is one line about it.
	Summary string
	make    func(Profile) Chooser
}

// Chooser puts the strategy to work on a subject with that profile.
func (s Strategy) Chooser(p Profile) Chooser { return s.make(p) }

// Strategies are all that have a name, the default one first.
func Strategies() []Strategy {
	return []Strategy{Portfolio(), Random(), URW(), PCT(3), POS(), Weights(), Paced(), DelayBounded(5)}
}

// StrategyByName returns an error that lists the names if there is no such
// strategy.
func StrategyByName(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Strategy{}, fmt.Errorf("unknown strategy %q; there are %s", name, strings.Join(names, ", "))
}
