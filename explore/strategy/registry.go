package strategy

import (
	"fmt"

	"github.com/watchbed/watchbed/internal/registry"
)

var strategies = registry.New[Strategy]("strategy")

// Register adds a strategy; call it in package variable declarations or init
// functions. It panics if the name is taken or something is missing: that is a
// mistake in the program.
func Register(s Strategy) Strategy {
	if s.Summary == "" || s.New == nil {
		panic(fmt.Sprintf("strategy %q needs a summary and a function New", s.Name))
	}
	return strategies.Add(s.Name, s)
}

// The order in which people read about them. Others come after these.
func init() {
	strategies.Arrange("portfolio", "random", "urw", "pct3", "pos", "weights", "paced")
}

// All returns the registered strategies.
func All() []Strategy { return strategies.All() }

// Default is the strategy of a campaign that names none.
func Default() Strategy { return portfolio() }

// Find returns the strategy of that name. The error names the nearest.
func Find(name string) (Strategy, error) { return strategies.Find(name) }
