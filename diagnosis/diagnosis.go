// Package diagnosis (unstable) goes from what a campaign found to causes: it
// finds the distinct ways to fail, makes a small run of each, and explains that
// run.
//
//	find       the failures of a campaign, each with a small run
//	diagnosis  one of them, explained: its story, and what decides
//
// The steps have packages of their own, none of which imports this one:
//
//	trace      one run, taken down, with what its nodes hold after each step
//	slice      the steps that led to given ones
//	story      the few steps that matter, and why the outcome is wrong
//	flip       the behaviour or the fault that decides
//	turning    where the outcome was settled, if no setting decides
//	summary    what a campaign came to, and what its timed runs measured
//	matrix     designs of the cache by versions of etcd, also two of them side by side
//
// Nothing in here writes to a terminal, a page or a file: package report does,
// and imports these packages. They must never import report or a command.
package diagnosis

import (
	"context"
	"time"

	"github.com/watchbed/watchbed/diagnosis/flip"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/diagnosis/turningpoint"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
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

// wait is an option that says how long something waits before it gives up, or how long faults
// strike. Polls and loops go on meanwhile: a read that waits 3 s for the cache has 30 polls in its
// story, and a few of them say the same.
type wait struct {
	option string
	// more is what the wait must be longer than: to give up sooner does not show that the answer takes
	// too long. It is nil if a property allows any wait.
	more func(*testbed.System) testbed.Bound
}

var waits = []wait{
	{"block-timeout", (*testbed.System).ReadBound},
	{"queue-wait", nil},
	{"faults-for", nil},
}

// smallestPart is the smallest part of a wait that is tried, as a divisor.
const smallestPart = 16

// decision is what decides, or else what comes nearest to it, and whether it decides for sure.
func (d *Diagnosis) decision() (decision *flip.Decision, sure bool) {
	if d.Decision != nil {
		return d.Decision, true
	}
	if d.Switch != nil {
		return d.Switch, true
	}
	return d.Maybe, false
}

// shorterWaits is a diagnosis of a timed run in which each wait is as short as it can be while the same
// setting decides.
func (f *Finder) shorterWaits(ctx context.Context, d *Diagnosis, tally campaign.FailureTally) *Diagnosis {
	if decides, _ := d.decision(); decides == nil {
		return d
	}
	for i := range waits {
		for part := smallestPart; part > 1; part /= 2 {
			if ctx.Err() != nil {
				return d
			}
			if shorter := f.withPart(ctx, d, &waits[i], part, tally); shorter != nil {
				d = shorter
				break
			}
		}
	}
	return d
}

// withPart is the diagnosis of a run with a part of a wait, nil if it has no fewer steps, or if it
// is not decided by the setting that decides the other one.
func (f *Finder) withPart(ctx context.Context, d *Diagnosis, w *wait, part int, tally campaign.FailureTally) *Diagnosis {
	with, err := f.Scenario.RecordedParams(d.Recording.Parameters)
	if err != nil {
		return nil
	}
	decides, _ := d.decision()
	passing, _ := decides.Passing()
	short := waitOf(&with, w.option) / time.Duration(part)
	if short <= 0 || with.Set(w.option, short.String()) != nil || passing.Set(w.option, short.String()) != nil {
		return nil
	}
	system, err := f.Scenario.New(with)
	if err != nil || w.more != nil && w.more(system).Total >= short {
		return nil
	}
	if _, fails := f.find(ctx, passing, tally, lessSearch); fails {
		return nil
	}
	seed, found := f.find(ctx, with, tally, fewerSearch)
	if !found {
		return nil
	}
	rec, err := f.smallest(ctx, with, seed, tally.Failure, laterCandidates)
	if err != nil || rec.Steps() >= d.Recording.Steps() {
		return nil
	}
	shorter, err := Of(f.Scenario, rec, tally.Failure)
	if err != nil {
		return nil
	}
	same, sure := shorter.decision()
	_, wasSure := d.decision()
	if same.Blame() != decides.Blame() || wasSure && !sure {
		return nil
	}
	return shorter
}

// waitOf is how long a wait is. Without a value it is the node's own.
func waitOf(p *testbed.Params, name string) time.Duration {
	for _, s := range p.Expand() {
		if d, err := time.ParseDuration(s.Value); s.Name == name && err == nil && d > 0 {
			return d
		}
	}
	for _, o := range testbed.Describe() {
		if d, err := time.ParseDuration(o.Default); o.Name == name && err == nil {
			return d
		}
	}
	return 0
}
