package turning

import (
	"fmt"
	"sort"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// Point is where the outcome of a run was settled.
type Point struct {
	// Inevitable is the step from which on all continuations failed that were tried,
	// Tried of them; 0 is the start of the run.
	Inevitable, Tried int
	// Before is how many failed of those that leave the recorded run one choice
	// earlier.
	Before int
	// Nearest is the latest fork at which another course makes the run pass; nil if none
	// was found.
	Nearest *recording.Fork
	// Other is what is taken there, and the rest of the recording after it. It is empty
	// if only runs pass that take other courses from there on: those of the seed.
	Other string
	seed  uint64
}

// How many continuations are tried behind each step, and how many runs a search for
// the nearest schedule may take.
const (
	continuations = 16
	maxDetours    = 400
)

// Find looks for the turning point of a recording that violates a property. The
// error says that the recording is not well-formed.
func Find(r *explore.Runner, rec *recording.Recording, property string) (*Point, error) {
	s := &search{runner: r, rec: rec, property: property, chooser: strategy.Random().New(strategy.Measure(r))}
	forks, err := recording.Forks(r, rec)
	if err != nil {
		return nil, err
	}
	p := &Point{Tried: continuations}
	// The share of continuations that fail does not fall while the run goes on.
	i := sort.Search(len(forks), func(i int) bool { return s.failing(forks[i].At) == continuations })
	last := i
	switch {
	case i == len(forks):
		p.Inevitable = -1
		last = len(forks) - 1
	case i > 0:
		p.Inevitable = forks[i-1].Step
		p.Before = s.failing(forks[i-1].At)
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
	p.Nearest, p.seed = s.leaves(forks[:end])
	return p, nil
}

type search struct {
	runner   *explore.Runner
	rec      *recording.Recording
	property string
	chooser  strategy.Chooser
}

// failing counts the continuations that fail after so many recorded choices.
func (s *search) failing(choices int) int {
	failing := 0
	for seed := range uint64(continuations) {
		b, err := s.continuation(choices, seed)
		if err != nil {
			return 0
		}
		if s.verdict(b) == model.Violated {
			failing++
		}
	}
	return failing
}

func (s *search) passes(at recording.Fork, other string) bool {
	b, err := recording.NewDetour(s.rec, at, other)
	return err == nil && s.verdict(b) == model.Holds
}

func (s *search) verdict(b *recording.Branch) model.Verdict {
	result := s.runner.Run(b)
	for i := range result.Findings {
		if f := &result.Findings[i]; f.Property == s.property {
			return f.Verdict
		}
	}
	return model.Vacuous
}

// String says it in a sentence or two.
func (p *Point) String() string {
	var s string
	switch {
	case p.Inevitable < 0:
		s = "To the last step some continuations of the run pass."
	case p.Inevitable == 0:
		s = fmt.Sprintf("From the start on each of %d schedules fails that was tried.", p.Tried)
	default:
		s = fmt.Sprintf("After step %d each of %d continuations fails that was tried; before it %d do.", p.Inevitable, p.Tried, p.Before)
	}
	switch {
	case p.Nearest == nil:
		return s + " No schedule was found that passes."
	case p.Other == "":
		return s + fmt.Sprintf(" No schedule was found that passes and differs in one choice. The nearest that passes takes other courses from step %d on.", p.Nearest.Step)
	}
	return s + fmt.Sprintf(" The nearest schedule that passes takes %q in place of %q at step %d.", p.Other, p.Nearest.Taken, p.Nearest.Step)
}
