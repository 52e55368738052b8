package flip

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// trial is one value with which the recorded schedule passes.
type trial struct {
	name  string
	since span
	// bypasses: with it every read goes to etcd.
	bypasses bool
	// taken of recorded choices fit.
	taken, recorded int
	// gone is how many other runs hold with it, still how many are violated. In
	// the rest the property is never checked.
	gone, still int
}

// try follows the recording and the other runs with these parameters. ok says
// that the recorded schedule passes.
func (s *search) try(p testbed.Params) (v trial, ok bool) {
	system, err := s.scenario.New(p)
	if err != nil {
		return v, false
	}
	runner := explore.NewRunner(system, p.Clock.Steps)
	var verdict model.Verdict
	if verdict, v.taken, v.recorded = follow(runner, s.rec, s.failure.Property); verdict == model.Violated {
		return v, false
	}
	for _, other := range s.alike {
		switch verdict, _, _ := follow(runner, other, s.failure.Property); verdict {
		case model.Holds:
			v.gone++
		case model.Violated:
			v.still++
		}
	}
	return v, true
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
	for i := range result.Findings {
		if x := &result.Findings[i]; x.Property == property {
			return x.Verdict, taken, recorded
		}
	}
	return model.Vacuous, taken, recorded
}

// convincing: a flip that moves the run a few steps away from the violation
// proves nothing. It decides if of enough other runs nearly all hold with it as
// well (some may have another cause) and half of the recorded choices fit, or if
// there are not enough and nearly all of them fit.
func (v *trial) convincing() bool {
	const enough = 3
	if v.gone+v.still < enough {
		return v.still == 0 && v.fits()
	}
	return 4*v.gone >= 3*(v.gone+v.still) && 2*v.taken >= v.recorded
}

// plausible: it decides this run, and some others.
func (v *trial) plausible() bool { return v.fits() && 3*v.gone >= v.gone+v.still }

func (v *trial) fits() bool { return 10*v.taken >= 9*v.recorded }

// share is that of the other runs that hold with the value.
func (v *trial) share() float64 { return float64(v.gone) / float64(max(1, v.gone+v.still)) }

// schedule says what became of the recorded schedule.
func (v *trial) schedule() string {
	if v.taken < v.recorded {
		return fmt.Sprintf("replaying the same schedule (%d of %d steps apply) passes", v.taken, v.recorded)
	}
	return "replaying the same schedule passes"
}

// others says what became of the other runs.
func (v *trial) others() string {
	switch {
	case v.gone+v.still == 0:
		return ""
	case v.still > 0:
		return fmt.Sprintf(", and so do %d of %d other failing schedules", v.gone, v.gone+v.still)
	case v.gone == 1:
		return ", and so does the one other failing schedule that was found"
	}
	return fmt.Sprintf(", and so do %d other failing schedules", v.gone)
}
