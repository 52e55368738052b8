package strategy

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim"
)

// Strategy is a way from seeds to choices.
type Strategy struct {
	// Name is what recordings and the command line call it.
	Name string
	// Summary is one line about it.
	Summary string
	// New returns a chooser for runs of a subject with that profile.
	New func(Profile) Chooser
	// Unprofiled: New does not look at the profile, so that none is measured. Trial runs
	// of a large subject take as long as a small campaign.
	Unprofiled bool
}

// Profile measures what New wants to know of a subject.
func (s Strategy) Profile(r *explore.Runner) Profile {
	if s.Unprofiled {
		return Profile{}
	}
	return Measure(r)
}

// For returns a chooser for a runner.
func (s Strategy) For(r *explore.Runner) Chooser { return s.New(s.Profile(r)) }

// Chooser is a strategy at work. It serves one runner.
type Chooser interface {
	sim.Chooser
	// Begin starts the run of a seed. The runs before it must not matter.
	Begin(seed uint64)
}

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
