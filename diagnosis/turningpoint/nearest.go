package turningpoint

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

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
