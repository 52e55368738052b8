package diagnosis

import (
	"fmt"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Nearest is the run beside the failing one: it passes, and differs in as little as
// was found.
type Nearest struct {
	Recording *recording.Recording
	// Difference says in a few words what is different.
	Difference string
}

// Nearest is the recorded schedule with what decides taken away or, if nothing
// decides, the nearest schedule that passes; nil if there is none.
func (d *Diagnosis) Nearest() (*Nearest, error) {
	switch {
	case d.Decision != nil:
		p, difference := d.Decision.Passing()
		follower, err := recording.NewFollower(d.Recording)
		if err != nil {
			return nil, err
		}
		return d.passing(p, follower, difference)
	case d.Turning != nil && d.Turning.Nearest != nil:
		p, err := d.scenario.RecordedParams(d.Recording.Parameters)
		if err != nil {
			return nil, err
		}
		runner, err := d.scenario.Runner(p)
		if err != nil {
			return nil, err
		}
		chooser, err := d.Turning.Passing(runner, d.Recording)
		if err != nil {
			return nil, err
		}
		difference := fmt.Sprintf("step %d takes another course: %s", d.Turning.Nearest.Step, d.Turning.Other)
		if d.Turning.Other == "" {
			difference = fmt.Sprintf("other courses from step %d on", d.Turning.Nearest.Step)
		}
		return d.passing(p, chooser, difference)
	}
	return nil, nil
}

// passing records what a chooser makes of these parameters, nil if that is violated as
// well.
func (d *Diagnosis) passing(p testbed.Params, c sim.Chooser, difference string) (*Nearest, error) {
	runner, err := d.scenario.Runner(p)
	if err != nil {
		return nil, err
	}
	rec, result := recording.Record(runner, c)
	rec.Scenario, rec.Parameters = d.scenario.Name, p.Expand()
	if result.Verdict(d.Failure.Property) == model.Violated {
		return nil, nil
	}
	return &Nearest{rec, difference}, nil
}

// Scenario is that of the recording.
func (d *Diagnosis) Scenario() *testbed.Scenario { return d.scenario }
