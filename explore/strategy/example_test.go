package strategy_test

import (
	"fmt"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

// newestFirst takes the action that became possible last.
type newestFirst struct{ strategy.Answers }

func (c *newestFirst) Pick(_ *sim.World, enabled []sim.Action) int {
	newest := 0
	for i := range enabled {
		if enabled[i].Since >= enabled[newest].Since {
			newest = i
		}
	}
	return newest
}

// A strategy of your own, also from another module: strategy.Answers answers the
// questions inside steps and begins the run of a seed; only Pick is left to write.
func ExampleRegister() {
	strategy.Register(strategy.Strategy{
		Name: "newest-first", Summary: "what became possible last",
		New: func(strategy.Profile) strategy.Chooser { return &newestFirst{} },
	})
	s, err := strategy.Find("newest-first")
	fmt.Println(s.Name, err)
	// Output: newest-first <nil>
}
