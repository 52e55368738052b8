// Package turningpoint (unstable) finds where a recorded run could still have passed: the step after
// which all random continuations fail that are tried, how many of them fail before it, and the
// nearest schedule that passes, which is the one that leaves the recorded one latest: for one
// choice if there is such a one, else for good.
//
// It is for violations of which no known cause is found. It knows steps and verdicts
// only, and must never import package flip, package story or package report.
package turningpoint

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Point is where the outcome of a run was settled, as far as a sample shows it.
type Point struct {
	// Inevitable is the step from which on all continuations failed that were tried; 0 is
	// the start of the run, -1 that some did not fail up to the last choice.
	Inevitable int
	// Tried is how many random continuations were tried at each of three places: behind
	// that step, where all of them fail; one choice earlier, where Before fail; at the
	// start, where FromStart fail.
	Tried, Before, FromStart int
	// Steepest is the choice that makes most of them fail; nil if it is the one of the
	// step Inevitable, or was not looked for.
	Steepest *Rise
	// Nearest is the latest fork at which another course makes the run pass; nil if none
	// was found.
	Nearest *recording.Fork
	// Other is what is taken there, and the rest of the recording after it. It is empty
	// if only runs pass that take other courses from there on: those of the seed.
	Other string
	seed  uint64
}

// Rise is one choice of a run: so many continuations fail that leave the run before it
// and after it.
type Rise struct {
	Step, Before, After int
}

// How many continuations are tried at each place, if the budget of choices allows, and
// how many runs a search for the nearest schedule may take. Of 200 that all fail follows
// that no more than 1.5 % pass, with 95 % confidence.
const (
	mostContinuations  = 200
	leastContinuations = 20
	maxDetours         = 400
	// leastRise is the part of the continuations, one in so many, by which their number
	// has to rise to be told: a tenth of 200 is twice as much as chance makes of it.
	leastRise = 10
)

// Budget is how many choices the continuations may take together.
const Budget = 8_000_000

// Find looks for the turning point of a recording that violates a property, in continuations of so many choices. The
// error says that the recording is not well-formed.
func Find(r *explore.Runner, rec *recording.Recording, property string, budget uint64) (*Point, error) {
	s := &search{runner: r, rec: rec, property: property, budget: budget, chooser: strategy.Random().For(r)}
	forks, err := recording.Forks(r, rec)
	if err != nil {
		return nil, err
	}
	s.allow(forks)
	i := s.settled(forks)
	p := &Point{Tried: s.continuations, FromStart: s.failing(0)}
	last := min(i, len(forks)-1)
	switch {
	case i > len(forks):
		p.Inevitable = -1
	case i > 0:
		p.Inevitable = forks[i-1].Step
		p.Before = s.failing(forks[i-1].At)
		if 2*p.Before > p.Tried {
			p.Steepest = s.steepest(forks[:i-1], p.Before)
		}
	}
	end := last + 1
search:
	for detours := 0; last >= 0; last-- {
		for _, other := range forks[last].Others {
			if detours++; detours > maxDetours {
				break search
			}
			if s.passes(forks[last], other) {
				p.Nearest, p.Other = &forks[last], other
				return p, nil
			}
		}
	}
	p.Nearest, p.seed = s.lastFork(forks[:end])
	return p, nil
}

type search struct {
	runner   *explore.Runner
	rec      *recording.Recording
	property string
	budget   uint64
	chooser  strategy.Chooser
	// continuations is how many are tried at each place, length how many choices a run
	// takes, as far as is known.
	continuations int
	length        uint64
}

// allow decides how many continuations the budget allows. A search by halves looks at
// as many places as the number of forks has bits, and at four more.
func (s *search) allow(forks []recording.Fork) {
	s.chooser.Begin(0)
	s.length = max(s.runner.Run(s.chooser).Stats.Choices, uint64(len(s.rec.Choices)), 1)
	places := uint64(bits.Len(uint(len(forks))) + 4)
	s.continuations = int(min(max(s.budget/(places*s.length), leastContinuations), mostContinuations))
}

// settled is how many forks are behind the run when all continuations fail that are
// tried; one more than there are if some do not fail to the end. A continuation that
// does not fail shows that nothing was settled at any fork before. So if one turns up
// at a later fork after all, the search goes on behind that.
func (s *search) settled(forks []recording.Fork) int {
	places := make([]int, 0, len(forks)+1)
	for i := range forks {
		places = append(places, forks[i].At)
	}
	places = append(places, len(s.rec.Choices))
	for first := 0; ; {
		first += sort.Search(len(places)-first, func(i int) bool { return s.allFail(places[first+i]) })
		passing := s.latestPassing(places, first)
		if passing < 0 {
			return first
		}
		first = passing + 1
	}
}

// allFail reports whether all continuations fail after so many recorded choices.
func (s *search) allFail(choices int) bool {
	for seed := range uint64(s.continuations) {
		if !s.fails(choices, seed) {
			return false
		}
	}
	return true
}

// latestPassing tries as many continuations again, with other seeds and spread over
// all places from the first on, and is the index of the latest place at which one does
// not fail, -1 if all fail.
func (s *search) latestPassing(places []int, first int) int {
	left := len(places) - first
	for n := s.continuations - 1; n >= 0 && left > 0; n-- {
		i := first + n*left/s.continuations
		if !s.fails(places[i], uint64(s.continuations+n)) {
			return i
		}
	}
	return -1
}

// failing counts the continuations that fail after so many recorded choices.
func (s *search) failing(choices int) int {
	failing := 0
	for seed := range uint64(s.continuations) {
		if s.fails(choices, seed) {
			failing++
		}
	}
	return failing
}

// steepest is the fork of these at which the number of continuations that fail rises
// most; after the last of them it is last. It is nil if the number rises more behind
// them, too little to mean much, or if there are too many forks for the budget.
func (s *search) steepest(forks []recording.Fork, last int) *Rise {
	if uint64(len(forks))*uint64(s.continuations)*s.length > s.budget {
		return nil
	}
	var steepest *Rise
	least := max(s.continuations-last, s.continuations/leastRise)
	for i := len(forks) - 1; i >= 0; i-- {
		rise := Rise{Step: forks[i].Step, Before: s.failing(forks[i].At), After: last}
		if rise.After-rise.Before > least {
			steepest, least = &rise, rise.After-rise.Before
		}
		last = rise.Before
	}
	return steepest
}

func (s *search) fails(choices int, seed uint64) bool {
	b, err := s.continuation(choices, seed)
	return err == nil && s.verdict(b) == model.Violated
}

func (s *search) passes(at recording.Fork, other string) bool {
	b, err := recording.NewDetour(s.rec, at, other)
	return err == nil && s.verdict(b) == model.Holds
}

func (s *search) verdict(b *recording.Branch) model.Verdict {
	result := s.runner.Run(b)
	return result.Verdict(s.property)
}

// Sentences say it, with steps as place names them.
func (p *Point) Sentences(place func(step int) string) string {
	return p.settled(place) + " " + p.nearest(place)
}

func (p *Point) settled(place func(step int) string) string {
	switch {
	case p.Inevitable < 0:
		return "No step settles the run: up to its last choice some random continuations pass."
	case p.Inevitable == 0:
		return fmt.Sprintf("From the start on all of %d random schedules fail%s.", p.Tried, p.confidence())
	}
	s := fmt.Sprintf("After %s all of %d random continuations of the run fail%s; one choice earlier %d of %d fail, from the start %d of %d.",
		place(p.Inevitable), p.Tried, p.confidence(), p.Before, p.Tried, p.FromStart, p.Tried)
	if p.Steepest != nil {
		s += fmt.Sprintf(" The number rises most at %s: from %d to %d.", place(p.Steepest.Step), p.Steepest.Before, p.Steepest.After)
	}
	return s
}

// confidence is what follows of the sample for all continuations: the share that may
// pass at most, with which a sample like this one comes about in one of twenty cases.
func (p *Point) confidence() string {
	const chance = 0.05
	share := 1 - math.Pow(chance, 1/float64(p.Tried))
	return fmt.Sprintf(" (with 95 %% confidence at most %.1f %% pass)", math.Ceil(share*1000)/10)
}

func (p *Point) nearest(place func(step int) string) string {
	switch {
	case p.Nearest == nil:
		return "No schedule was found that passes."
	case p.Other == "":
		return fmt.Sprintf("No schedule was found that passes and differs in one choice. The nearest that passes takes other courses from %s on.", place(p.Nearest.Step))
	}
	return fmt.Sprintf("The nearest schedule that passes takes %q in place of %q at %s.", p.Other, p.Nearest.Taken, place(p.Nearest.Step))
}

// lastFork is the latest fork from which on other courses make the run pass, and the seed
// of these courses; nil if none was found.
func (s *search) lastFork(forks []recording.Fork) (*recording.Fork, uint64) {
	tried := 0
	for last := len(forks) - 1; last >= 0; last-- {
		for seed := range uint64(leastContinuations) {
			if tried++; tried > maxDetours {
				return nil, 0
			}
			if b, err := s.continuation(forks[last].At, seed); err == nil && s.verdict(b) == model.Holds {
				return &forks[last], seed
			}
		}
	}
	return nil, 0
}

// continuation takes so many recorded choices, and those of a seed after them.
func (s *search) continuation(choices int, seed uint64) (*recording.Branch, error) {
	s.chooser.Begin(seed)
	return recording.NewBranch(s.rec, choices, s.chooser)
}

// Passing chooses the nearest schedule that passes, which there must be. The error says
// that the recording is not well-formed.
func (p *Point) Passing(r *explore.Runner, rec *recording.Recording) (sim.Chooser, error) {
	if p.Other != "" {
		return recording.NewDetour(rec, *p.Nearest, p.Other)
	}
	s := &search{rec: rec, chooser: strategy.Random().For(r)}
	return s.continuation(p.Nearest.At, p.seed)
}
