package flip

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// How far to look for other runs that fail in the same way, and how many choices
// they may have together: each value of each behaviour is tried on all of them.
const (
	maxAlike     = 12
	maxFollowed  = 15_000
	maxChoices   = 500_000
	maxSchedules = 8_000
)

// alike finds runs that fail in the same way, as a campaign would; except is the
// seed of the run that is known already.
func alike(sc *testbed.Scenario, p testbed.Params, f explore.Failure, except uint64) []*recording.Recording {
	system, err := sc.New(p)
	if err != nil {
		return nil
	}
	runner := explore.NewRunner(system, p.Clock.Steps)
	chooser := strategy.Default().New(strategy.Measure(runner))
	var found []*recording.Recording
	choices, followed := uint64(0), 0
	for seed := uint64(0); seed < maxSchedules && choices < maxChoices && len(found) < maxAlike && followed < maxFollowed; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		choices += result.Stats.Choices
		if seed == except || result.Find(f) == nil {
			continue
		}
		chooser.Begin(seed)
		rec, _ := recording.Record(runner, chooser)
		found = append(found, rec)
		followed += len(rec.Choices)
	}
	return found
}
