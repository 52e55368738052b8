package strategy

import "github.com/watchbed/watchbed/sim"

// Strategy is a way from seeds to choices.
type Strategy struct {
	// Name is what recordings and the command line call it.
	Name string
	// Summary is one line about it.
	Summary string
	// New returns a chooser for runs of a subject with that profile.
	New func(Profile) Chooser
}

// Chooser is a strategy at work. It serves one runner.
type Chooser interface {
	sim.Chooser
	// Begin starts the run of a seed. The runs before it must not matter.
	Begin(seed uint64)
}
