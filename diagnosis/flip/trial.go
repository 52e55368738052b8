package flip

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// trial is one value with which the recorded schedule passes.
type trial struct {
	name  string
	since span
	// params have the value. ran: they fit together, so that there was a run.
	params testbed.Params
	ran    bool
	// taken of recorded choices fit.
	taken, recorded int
	// gone is how many other runs hold with it, still how many are violated. In
	// the rest the property is never checked.
	gone, still int
	// failing is how many other schedules fail with it, before how many of the same
	// ones did without. Those that fail need not be the same.
	failing, before int
}

// try follows the recording and the other runs with these parameters, and compares
// how often other schedules fail. It reports whether the recorded schedule passes.
func (s *search) try(p testbed.Params, v *trial) bool {
	v.params = p
	runner, err := s.scenario.Runner(p)
	if err != nil {
		return false
	}
	v.ran = true
	var verdict model.Verdict
	if verdict, v.taken, v.recorded = follow(runner, s.rec, s.failure.Property); verdict == model.Violated {
		return false
	}
	for _, other := range s.others.alike {
		switch verdict, _, _ := follow(runner, other, s.failure.Property); verdict {
		case model.Holds:
			v.gone++
		case model.Violated:
			v.still++
		}
	}
	s.count(runner, v)
	return true
}

// follow is what becomes of a property if a recording is followed as far as it
// fits.
func follow(runner *explore.Runner, rec *recording.Recording, property string) (verdict model.Verdict, taken, recorded int) {
	follower, err := recording.NewFollower(rec)
	if err != nil {
		return model.Violated, 0, 0
	}
	result := runner.Run(follower)
	taken, recorded = follower.Followed()
	verdict = result.Verdict(property)
	if property == explore.NoPanic && verdict != model.Violated {
		// A run without a panic has no verdict.
		verdict = model.Holds
	}
	return verdict, taken, recorded
}

// convincing: a flip that moves the run a few steps away from the violation
// proves nothing. It decides if of enough other runs nearly all hold with it as
// well (some may have another cause) and half of the recorded choices fit, or if
// there are not enough and nearly all of them fit. One schedule alone may pass by chance. Where other schedules fail as
// often as before, it does not decide. A run that waits in vain has many steps that
// one which does not wait lacks: then it is enough that no schedule fails any more.
func (v *trial) convincing() bool {
	const few = 3
	switch {
	case v.failsIn(1, 4):
		return false
	case v.gone+v.still < few:
		return v.still == 0 && v.gone > 0 && (v.fits() || v.cures())
	}
	return 4*v.gone >= 3*(v.gone+v.still) && (2*v.taken >= v.recorded || v.cures())
}

// speaks: it may be what decides.
func (v *trial) speaks() bool { return v.convincing() || v.plausible() }

// cures: schedules of which several failed all pass.
func (v *trial) cures() bool {
	const several = 5
	return v.before >= several && v.failing == 0
}

// enough are so many failures that a change of their number says something.
const enough = 4

// failsIn reports whether more than this share of the failures is left under other
// schedules: then the change only leads the recorded one elsewhere. Of too few
// failures nothing can be said.
func (v *trial) failsIn(part, of int) bool {
	return v.before >= enough && of*v.failing > part*v.before
}

// plausible: it decides this run, and some others.
func (v *trial) plausible() bool {
	return !v.failsIn(3, 4) && v.gone > 0 && v.fits() && 3*v.gone >= v.gone+v.still
}

// possible: it may decide this run, or lead it elsewhere.
func (v *trial) possible() bool {
	return !v.failsIn(3, 4) && 2*v.taken >= v.recorded && v.gone >= v.still
}

func (v *trial) fits() bool { return 10*v.taken >= 9*v.recorded }

// share is that of the other runs that hold with the value.
func (v *trial) share() float64 { return float64(v.gone) / float64(max(1, v.gone+v.still)) }

// schedule says what became of the recorded schedule.
func (v *trial) schedule() string {
	if v.taken < v.recorded {
		return fmt.Sprintf("replaying the same schedule (%d of %d recorded choices fit) passes", v.taken, v.recorded)
	}
	return "replaying the same schedule passes"
}

// others says what became of the other runs.
func (v *trial) others() string {
	switch {
	case v.gone+v.still == 0:
		return ""
	case v.still > 0:
		return fmt.Sprintf("; %d of %d other failing schedules pass as well", v.gone, v.gone+v.still)
	case v.gone == 1:
		return "; one other failing schedule passes as well"
	}
	return fmt.Sprintf("; %d other failing schedules pass as well", v.gone)
}

// left says which failures are left.
func (v *trial) left() string {
	if v.gone+v.still > 0 {
		return fmt.Sprintf("%d of %d other failing schedules still fail", v.still, v.gone+v.still)
	}
	return fmt.Sprintf("with it %d other schedules fail, without it %d", v.failing, v.before)
}

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
