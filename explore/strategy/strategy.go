package strategy

import (
	"github.com/watchbed/watchbed/explore"
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
