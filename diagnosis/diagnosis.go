package diagnosis

import (
	"context"

	"github.com/watchbed/watchbed/diagnosis/flip"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/diagnosis/turningpoint"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// Diagnosis is a recorded run that fails in one way, explained.
type Diagnosis struct {
	Failure   explore.Failure
	Recording *recording.Recording
	Story     *story.Story
	// Searched: there was a search for what decides. Without it the fields up to Turning are empty.
	Searched bool
	// Kept is what an earlier search found, as it is in the recording; empty if there was none.
	Kept string
	flip.Outcome
	// Known is why the scenario is known to violate the property with these parameters,
	// empty if it is not. Turning is where it became inevitable. They are looked for if no setting decides.
	Known   string
	Turning *turningpoint.Point
	// Also are other failures of the campaign that this run shows as well.
	Also []explore.Failure
	// Stopped: the time for shrinking was over.
	Stopped bool

	scenario *testbed.Scenario
}

// Told is the story of how a recorded run fails in the way f, without what decides, for which there is a search in
// hundreds of runs. The error is a *recording.Divergence or a *recording.TraceMismatch if the recording does not
// replay.
func Told(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	s, err := story.Tell(sc, rec, f)
	if err != nil {
		return nil, err
	}
	return &Diagnosis{Failure: f, Recording: rec, Story: s, scenario: sc}, nil
}

// Of explains how a recorded run fails in the way f. Errors are those of Told.
func Of(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	d, err := Told(sc, rec, f)
	if err != nil {
		return nil, err
	}
	return d, d.search()
}

// Until is Of as long as a context lets it, and Told when the context ends first: over a compiled program the search
// for what decides can take minutes. A search that has begun goes on, and its result is lost.
func Until(ctx context.Context, sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	told, err := Told(sc, rec, f)
	if err != nil || ctx.Err() != nil {
		return told, err
	}
	explained := *told
	searched := make(chan error, 1)
	go func() { searched <- explore.Settled(explained.search) }()
	select {
	case err := <-searched:
		return &explained, err
	case <-ctx.Done():
		return told, nil
	}
}

// costOfCompiled is how many times as long a choice takes where compiled code takes part: about 20,000 are made in a
// second.
const costOfCompiled = 100

// search looks for what decides and, if no setting does, for what is known and where the run was settled.
func (d *Diagnosis) search() error {
	p, err := d.scenario.RecordedParams(d.Recording.Parameters)
	if err != nil {
		return err
	}
	d.Searched = true
	if d.Outcome = flip.Decide(d.scenario, p, d.Recording, d.Failure); d.Decision != nil {
		return nil
	}
	d.Known = summary.Reasons(summary.KnownOf(d.scenario, &p), d.Failure.Property)
	runner, err := d.scenario.Runner(p)
	if err != nil {
		return err
	}
	budget := uint64(turningpoint.Budget)
	if p.Compiled() {
		budget /= costOfCompiled
	}
	if d.Turning, err = turningpoint.Find(runner, d.Recording, d.Failure.Property, budget); err == nil && d.Turning.Inevitable > 0 && d.Known == "" {
		d.Story.Mention(d.Turning.Inevitable)
	}
	return err
}

// notSearched is the cause where nothing looked for it.
const notSearched = "There was no search for what decides."

// Again tells a run as Told does, and gives the cause that Keep has written into the recording.
func Again(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	d, err := Told(sc, rec, f)
	if err != nil {
		return nil, err
	}
	for _, x := range rec.Findings {
		if n := len(x.Story); n > 0 && x.Property == f.Property && x.Label == f.Label && x.Story[n-1] != notSearched {
			d.Kept = x.Story[n-1]
		}
	}
	return d, nil
}

// Cause says what decides or, if no setting does, what is known and where the run was
// settled.
func (d *Diagnosis) Cause() string {
	switch {
	case !d.Searched && d.Kept != "":
		return d.Kept
	case !d.Searched:
		return notSearched
	}
	s := d.Outcome.String()
	if d.Known != "" {
		s += " What is known of the scenario: " + d.Known + "."
	}
	for _, needed := range d.Needed {
		s += " Without " + needed + " the schedule passes."
	}
	if d.Turning != nil {
		s += " " + d.Turning.Sentences(d.Story.Called)
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
