package diagnosis

import (
	"context"
	"github.com/watchbed/watchbed/diagnosis/flip"
	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/diagnosis/turning"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Diagnosis is a recorded run that fails in one way, explained.
type Diagnosis struct {
	Failure   explore.Failure
	Recording *recording.Recording
	Story     *story.Story
	// Decision is what decides, nil if no setting does. Maybe is then what comes nearest
	// to it, nil if nothing does.
	Decision, Maybe *flip.Decision
	// Known is why the scenario is known to violate the property with these parameters,
	// empty if it is not. Needed are the faults that the violation needs, Turning is where
	// it became inevitable. They are looked for if no setting decides.
	Known   string
	Needed  []option.Setting
	Turning *turning.Point
	// Also are other failures of the campaign that this run shows as well.
	Also []explore.Failure

	scenario *testbed.Scenario
}

// Until is Of, for as long as a context lets it: a cause is looked for in hundreds of runs, which can take minutes over a program
// that is slow. The error is that of the context if that ended first; what was begun goes on and is lost.
func Until(ctx context.Context, sc *testbed.Scenario, rec *recording.Recording, failure explore.Failure) (*Diagnosis, error) {
	var d *Diagnosis
	var err error
	told := make(chan struct{})
	go func() {
		defer close(told)
		d, err = Of(sc, rec, failure)
	}()
	select {
	case <-told:
		return d, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Of explains how a recorded run fails in the way f. The error is a
// *recording.Divergence or a *recording.TraceMismatch if it does not replay.
func Of(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	s, err := story.Tell(sc, rec, f)
	if err != nil {
		return nil, err
	}
	p, err := recorded.Params(sc, rec)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{Failure: f, Recording: rec, Story: s, scenario: sc}
	if d.Decision, d.Maybe = flip.Decide(sc, p, rec, f); d.Decision != nil {
		return d, nil
	}
	d.Known = summary.Reasons(summary.KnownOf(sc, &p), f.Property)
	d.Needed = flip.Needed(sc, p, rec, f)
	system, err := sc.New(p)
	if err != nil {
		return nil, err
	}
	d.Turning, err = turning.Find(explore.NewRunner(system, p.Clock.Steps), rec, f.Property)
	return d, err
}

// Cause says what decides or, if no setting does, what is known and where the run was
// settled.
func (d *Diagnosis) Cause() string {
	s := d.Decision.String()
	if d.Maybe != nil {
		s = d.Maybe.Doubt()
	}
	if d.Known != "" {
		s += " What is known of the scenario: " + d.Known + "."
	}
	for _, fault := range d.Needed {
		s += " Without the fault " + fault.String() + " the schedule passes."
	}
	if d.Turning != nil {
		s += " " + d.Turning.String()
	}
	return s
}

// Keep writes the story into the recording, which is from then on the one that was
// made for this failure.
func (d *Diagnosis) Keep() {
	for i := range d.Recording.Findings {
		if f := &d.Recording.Findings[i]; f.Property == d.Failure.Property && f.Label == d.Failure.Label {
			f.Story = d.Lines()
		}
	}
}

// Lines is the diagnosis as plain text, for files.
func (d *Diagnosis) Lines() []string { return append(d.Story.Strings(), d.Cause()) }
