package flip

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
)

// How far to look for other runs that fail in the same way, and how many choices
// they may have together: each value of each behaviour is tried on all of them.
const (
	maxAlike     = 12
	maxFollowed  = 60_000
	maxChoices   = 500_000
	maxSchedules = 8_000
)

// others are other runs of the campaign in which a failure was found.
type others struct {
	// schedules is how many there are, failing how many of these violate the
	// property.
	schedules uint64
	failing   int
	// alike are those that fail in the same way.
	alike []*recording.Recording
}

// strategy is the one that found the recording.
func (s *search) strategy() strategy.Strategy {
	if found, err := strategy.Find(s.rec.Strategy); err == nil {
		return found
	}
	return strategy.Default()
}

// look runs other schedules, until enough of them fail in the same way.
func (s *search) look() {
	runner, err := s.scenario.Runner(s.params)
	if err != nil {
		return
	}
	o := &s.others
	chooser := s.strategy().For(runner)
	choices, followed := uint64(0), 0
	for choices < maxChoices && o.schedules < maxSchedules && len(o.alike) < maxAlike && followed < maxFollowed {
		seed := o.schedules
		o.schedules++
		chooser.Begin(seed)
		result := runner.Run(chooser)
		choices += result.Stats.Choices
		if result.Verdict(s.failure.Property) == model.Violated {
			o.failing++
		}
		if seed == s.rec.Seed || result.Find(s.failure) == nil {
			continue
		}
		chooser.Begin(seed)
		rec, _ := recording.Record(runner, chooser)
		o.alike = append(o.alike, rec)
		followed += len(rec.Choices)
	}
}

// count runs the same number of schedules with a change, and counts those that violate
// the property. No failure makes a trial better: where nothing speaks for it any more,
// the count ends. Of few failures it would say nothing.
func (s *search) count(runner *explore.Runner, v *trial) {
	v.before = s.others.failing
	if v.before < enough || !v.speaks() {
		return
	}
	chooser := s.strategy().For(runner)
	for seed := uint64(0); seed < s.others.schedules && v.speaks(); seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Verdict(s.failure.Property) == model.Violated {
			v.failing++
		}
	}
}
