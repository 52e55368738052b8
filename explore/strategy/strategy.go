// Package strategy (unstable) makes choices from seeds: which enabled action is next, and which
// answer a question inside a step gets.
//
// A strategy is a file, which registers it. One from another module does the same:
//
//	var _ = strategy.Register(strategy.Strategy{Name: "mine", Summary: "...", New: newMine})
//
// The comment on top of its file names the paper that a strategy comes from, and
// the deviations from it. Each has a blind spot; "portfolio", the default, hides
// the blind spot of one behind the others.
//
// What a strategy does is a function of the seed and of the subject's profile,
// which comes from trial runs that are the same for every seed. So a seed gives the
// same run alone and in any campaign, on every machine.
//
// The package imports sim and explore. It must never import anything that knows
// etcd, nor have a goroutine or a clock.
package strategy

import (
	"fmt"
	"math/bits"

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

// Rand is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014). It is written out here because a seed must mean the
// same run in every version of Go on every machine, and because one multiplication
// more or less shows in the time of a choice.
type Rand struct{ state uint64 }

const goldenGamma = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Seed starts the sequence of a seed. The sequences of one seed for different
// purposes have nothing to do with each other.
func (r *Rand) Seed(seed, purpose uint64) { r.state = mix(seed*goldenGamma + purpose) }

// Next returns the next 64 random bits.
func (r *Rand) Next() uint64 {
	r.state += goldenGamma
	return mix(r.state)
}

// Below returns a number in [0, n). The multiplication favours some numbers by
// n in 2^64 (Lemire: Fast Random Integer Generation in an Interval, 2019), which
// is far below what any test can notice.
func (r *Rand) Below(n int) int {
	hi, _ := bits.Mul64(r.Next(), uint64(n))
	return int(hi)
}

// ranked puts an index in a list into the low bits of a rank, so that the
// greatest of many is found without a branch: such branches are hard to predict
// and cost more than the rest of a pick. Lists are far shorter than 2^16.
func ranked(rank uint64, index int) uint64 { return rank&^rankIndex | uint64(index) }

const rankIndex = 1<<16 - 1
